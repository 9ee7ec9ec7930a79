// Owns the proof of reading over HTTP: lists with cursors and filters, single jobs, waiting, attempts and queues.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

const JOB = { type: 'work.v1', payload: { n: 1 } };

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
  await api.register('other.v1');
});
afterAll(() => api.close());

async function allPages(path: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const { json } = await api.get(`${path}&limit=7${cursor ? `&cursor=${cursor}` : ''}`);
    ids.push(...json.items.map(({ id }: { id: string }) => id));
    cursor = json.nextCursor;
  } while (cursor !== null);
  return ids;
}

test('A list goes through all jobs once, newest first, without payloads', async () => {
  for (let n = 0; n < 20; n++) {
    await api.post('/jobs', { ...JOB, id: `page-${n}`, queue: 'pages' });
    api.clock.advance(1);
  }
  const ids = await allPages('/jobs?queue=pages');
  expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => `page-${19 - n}`));
  expect((await api.get('/jobs?queue=pages&limit=1')).json.items[0]).not.toHaveProperty('payload');
  const full = await api.get('/jobs?queue=pages&limit=2&view=full');
  expect(full.json.items.map(({ payload }: { payload: unknown }) => payload)).toEqual([{ n: 1 }, { n: 1 }]);
});

test('Filters by state, type, tag, time and literal text', async () => {
  await api.post('/jobs', { ...JOB, id: 'f-tag', tags: ['a,b/c'], queue: 'filters' });
  await api.post('/jobs', { ...JOB, id: 'f-other', type: 'other.v1', queue: 'filters', tags: ['100%_x'] });
  await api.post('/jobs', { ...JOB, id: 'f-later', delay: '1h', queue: 'filters' });
  const ids = async (query: string) => (await allPages(`/jobs?queue=filters&${query}`)).sort();
  expect(await ids('state=scheduled')).toEqual(['f-later']);
  expect(await ids('state=pending')).toEqual(['f-other', 'f-tag']);
  expect(await ids('type=other.v1')).toEqual(['f-other']);
  expect(await ids(`tag=${encodeURIComponent('a,b/c')}`)).toEqual(['f-tag']);
  expect(await ids('search=%25_')).toEqual(['f-other']);
  expect(await ids('search=F-LAT')).toEqual(['f-later']);
  expect(await ids('createdBefore=2020-01-01T00:00:00Z')).toEqual([]);
  expect(await ids('createdAfter=2020-01-01T00:00:00%2B02:00')).toHaveLength(3);
});

test('I5 · A range that ends before it begins is refused', async () => {
  const { json } = await api.get('/jobs?createdAfter=2030-01-01T00:00:00Z&createdBefore=2020-01-01T00:00:00Z');
  expect(json).toMatchObject({ status: 400, errors: [{ parameter: 'createdBefore' }] });
});

test('A cursor of one list is refused by the other', async () => {
  const { nextCursor } = (await api.get('/jobs?queue=pages&limit=1')).json;
  expect((await api.get(`/dlq?cursor=${nextCursor}`)).json).toMatchObject({
    status: 400,
    errors: [{ parameter: 'cursor' }],
  });
});

test('wait holds the answer until the job has finished', async () => {
  const { id } = (await api.post('/jobs', { ...JOB, priority: 999 })).json;
  const waiting = api.get(`/jobs/${id}?wait=20s`);
  const job = (await api.run(1)).find(running => running.id === id);
  if (!job) throw new Error('not claimed');
  await api.end(job, { kind: 'succeeded', responseStatus: 200, responseBody: 'fine', error: null });
  expect((await waiting).json).toMatchObject({
    state: 'succeeded',
    outcome: 'succeeded',
    lastResponseStatus: 200,
    attempts: 1,
  });
});

test('wait ends when its time is up, and at once when the service stops', async () => {
  const own = await Api.start({ requireRegisteredTypes: false });
  const { id } = (await own.post('/jobs', JOB)).json;
  expect((await own.get(`/jobs/${id}?wait=30ms`)).json.state).toBe('pending');
  const waiting = own.get(`/jobs/${id}?wait=60s`);
  own.stopping.abort();
  expect((await waiting).json.state).toBe('pending');
  await own.close();
});

test('Attempts are told with what came back, the successful one included', async () => {
  const { id } = (await api.post('/jobs', { ...JOB, priority: 998 })).json;
  const claim = async () => {
    const job = (await api.run(1)).find(running => running.id === id);
    if (!job) throw new Error('not claimed');
    return job;
  };
  const answer = { responseStatus: 500, responseBody: 'oops', error: 'said 500' };
  await api.end(await claim(), { kind: 'retryable', askedDelayMs: null, ...answer });
  api.clock.advance(60_000);
  await api.end(await claim(), { kind: 'succeeded', responseStatus: 204, responseBody: '', error: null });
  const { items, nextCursor } = (await api.get(`/jobs/${id}/attempts`)).json;
  expect(nextCursor).toBeNull();
  expect(items).toMatchObject([
    { round: 1, attempt: 1, outcome: 'retryable', ...answer },
    { round: 1, attempt: 2, outcome: 'succeeded', responseStatus: 204 },
  ]);
});

test('Attempts of a job that never ran are none, and of no job not found', async () => {
  const { id } = (await api.post('/jobs', { ...JOB, delay: '1d' })).json;
  expect((await api.get(`/jobs/${id}/attempts`)).json).toEqual({ items: [], nextCursor: null });
  expect((await api.get('/jobs/nope/attempts')).status).toBe(404);
});

test('A queue is read by its encoded name, in any script', async () => {
  const name = 'Почта/100% ?#';
  await api.post('/jobs', { ...JOB, queue: name });
  const { json } = await api.get(`/queues/${encodeURIComponent(name)}`);
  expect(json).toMatchObject({ name, isPaused: false, isActive: true, maxWorkers: null, counts: { pending: 1 } });
  expect((await api.get('/queues/none')).json.code).toBe('not-found');
});

test('A query that cannot be decoded is refused, and does not filter by something else', async () => {
  for (const query of ['search=100%', 'queue=%ff', 'tag=%zz']) {
    const { json } = await api.get(`/jobs?${query}`);
    expect(json, query).toMatchObject({ status: 400, code: 'malformed-request', errors: [{ parameter: 'query' }] });
  }
});
