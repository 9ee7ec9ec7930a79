// Owns the proof of the dead-letter queue over HTTP: lists, single dead jobs, and resurrection with and without edits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

const JOB = { type: 'work.v1', payload: { n: 1 } };

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
afterAll(() => api.close());

test('D9 · A dead job shows everything: what it was, why it died, and what to check first', async () => {
  const id = await api.deadJob({ ...JOB, queue: 'dead', tags: ['t'], priority: 20, idempotencyKey: 'd9' });
  const { json } = await api.get(`/dlq/${id}`);
  expect(json).toMatchObject({
    id,
    state: 'dead',
    queue: 'dead',
    tags: ['t'],
    priority: 20,
    idempotencyKey: 'd9',
    attempts: 1,
  });
  expect(json).toMatchObject({
    failureReason: 'FatalError',
    lastResponseStatus: 422,
    lastResponseBody: 'no',
    payload: { n: 1 },
  });
  expect(json.advice).toContain('handler');
  expect(json.failedAt).toBe(json.finishedAt);
  expect(json.failedAt).not.toBeNull();
});

test('Newest failure first, filtered by reason, status and time; payloads stay out', async () => {
  const first = await api.deadJob({ ...JOB, queue: 'order' }, 400);
  api.clock.advance(1_000);
  const second = await api.deadJob({ ...JOB, queue: 'order' }, 422);
  const ids = async (query: string) =>
    (await api.get(`/dlq?queue=order&${query}`)).json.items.map(({ id }: { id: string }) => id);
  expect(await ids('reason=FatalError')).toEqual([second, first]);
  expect(await ids('responseStatus=400')).toEqual([first]);
  expect(await ids('reason=Zombie')).toEqual([]);
  const { failedAt } = (await api.get(`/dlq/${second}`)).json;
  expect(await ids(`failedAfter=${failedAt}`)).toEqual([second]);
  expect(await ids(`failedBefore=${failedAt}`)).toEqual([first]);
  const page = (await api.get('/dlq?queue=order&limit=1')).json;
  expect(page.items[0]).not.toHaveProperty('payload');
  expect((await api.get(`/dlq?queue=order&limit=1&cursor=${page.nextCursor}`)).json.items[0].id).toBe(first);
});

test('The top error families say what the jobs died of, and each leads to its jobs', async () => {
  const ids = [await api.deadJob(JOB, 451), await api.deadJob(JOB, 452)];
  const { json } = await api.get('/dlq/errors');
  const family = json.items.find(({ prefix }: { prefix: string }) => prefix === 'said #');
  expect(family).toMatchObject({ reason: 'FatalError', advice: expect.stringContaining('handler') });
  expect(family.count).toBe((await api.get('/dlq?limit=200')).json.items.length);
  const found = (await api.get(`/dlq?errorFamily=${family.id}`)).json.items;
  expect(
    found
      .map(({ id }: { id: string }) => id)
      .slice(0, 2)
      .sort(),
  ).toEqual(ids.toSorted());
  expect(found[0].failedAt).toBe(family.newestAt);
  expect((await api.get('/dlq/errors?limit=1')).json.items).toHaveLength(1);
  for (const query of ['/dlq/errors?limit=201', '/dlq?errorFamily=0', '/dlq?errorFamily=x', '/dlq/errors?queue=a'])
    expect((await api.get(query)).status, query).toBe(400);
  expect((await api.call('DELETE', '/dlq/errors')).status).toBe(405);
});

test('A job that is not dead is not in the DLQ', async () => {
  const { id } = (await api.post('/jobs', { ...JOB, delay: '1d' })).json;
  expect((await api.get(`/dlq/${id}`)).json).toMatchObject({ code: 'not-found' });
  expect((await api.post(`/dlq/${id}/resurrect`)).json).toMatchObject({ status: 409, code: 'conflict-state' });
  expect((await api.post('/dlq/nope/resurrect')).status).toBe(404);
});

test('I1 D8 · Resurrected without a body: same id, next round, fresh attempts and age, history kept', async () => {
  const id = await api.deadJob(JOB);
  api.clock.advance(2 * 86_400_000);
  api.wakes.splice(0);
  const { status, json } = await api.post(`/dlq/${id}/resurrect`);
  expect(status).toBe(200);
  expect(json).toMatchObject({ id, state: 'pending', attempts: 0, round: 2, failureReason: null, failedAt: null });
  expect(api.wakes).toHaveLength(1);
  expect((await api.get(`/jobs/${id}/attempts`)).json.items).toHaveLength(1);
  const job = (await api.run()).find(running => running.id === id);
  if (!job) throw new Error('not claimed');
  const answer = { responseStatus: 500, responseBody: '', error: 'said 500' };
  await api.end(job, { kind: 'retryable', askedDelayMs: null, ...answer });
  expect((await api.get(`/jobs/${id}`)).json).toMatchObject({ attempts: 1, failureReason: null });
});

test('I1 · Edits are applied in the same move', async () => {
  const id = await api.deadJob({ ...JOB, tags: ['old'] });
  const { json } = await api.call('POST', `/dlq/${id}/resurrect`, {
    raw: '{"payload":{"big":9007199254740993, "b":1.0},"tags":["new"],"priority":77,"delay":"10m"}',
  });
  expect(json).toMatchObject({ id, state: 'scheduled', tags: ['new'], priority: 77 });
  expect((await api.get(`/jobs/${id}`)).text).toContain('"payload":{"big":9007199254740993, "b":1.0}');
});

test('I1 · Five at once bring it back once', async () => {
  const id = await api.deadJob(JOB);
  const answers = await Promise.all(Array.from({ length: 5 }, () => api.post(`/dlq/${id}/resurrect`)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect((await api.get(`/jobs/${id}`)).json.round).toBe(2);
});

test('H3 · A dead job leaves its key free; while another holds it, it cannot come back', async () => {
  const id = await api.deadJob({ ...JOB, idempotencyKey: 'h3' });
  expect((await api.post('/jobs', { ...JOB, idempotencyKey: 'h3' })).status).toBe(201);
  expect((await api.post(`/dlq/${id}/resurrect`)).json).toMatchObject({ status: 409, code: 'key-taken' });
  expect((await api.get(`/dlq/${id}`)).status).toBe(200);
});

test('I2 · Edits that break a rule or the handler’s schema are refused and change nothing', async () => {
  await api.register('strict.v1', { schema: { type: 'object', required: ['to'] } });
  const id = await api.deadJob({ type: 'strict.v1', payload: { to: 1 } });
  const refuse = async (raw: string, status: number, pointer?: string) => {
    const { json } = await api.call('POST', `/dlq/${id}/resurrect`, { raw });
    expect(json).toMatchObject({ status, ...(pointer && { errors: [{ pointer }] }) });
  };
  await refuse('{"payload":{"from":1}}', 422, '#/payload');
  await refuse('{"payload":{nope}}', 400);
  await refuse('{"tags":[""]}', 422, '#/tags/0');
  await refuse('{"type":"work.v1"}', 422, '#/type');
  await refuse(`{"payload":"${'x'.repeat(1_000_000)}"}`, 413, '#/payload');
  expect((await api.get(`/dlq/${id}`)).json).toMatchObject({ round: 1, payload: { to: 1 } });
});

test('A dead job without a handler stays where it is until there is one', async () => {
  await api.register('gone.v1');
  const id = await api.deadJob({ ...JOB, type: 'gone.v1' });
  expect((await api.call('DELETE', '/handlers/gone.v1?force=true')).status).toBe(204);
  expect((await api.post(`/dlq/${id}/resurrect`)).json).toMatchObject({ status: 422, code: 'type-not-registered' });
  await api.register('gone.v1');
  expect((await api.post(`/dlq/${id}/resurrect`)).status).toBe(200);
});
