// Owns the proof of bulk actions on dead jobs over HTTP: preview, execution by its token, and what is refused.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JobFields } from '../fixtures/jobs.ts';
import { Api, type Json } from './fixture/api.ts';
import { die, FATAL } from './fixture/deaths.ts';

const NOTHING = { gone: 0, keyTaken: 0, noHandler: 0, schema: 0 };

let api: Api;
/** Each test has a queue of its own, so that its filter finds its own jobs. */
let queue: string;
let queues = 0;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
beforeEach(() => {
  queue = `q${++queues}`;
});
afterAll(() => api.close());

function dead(count: number, fields: JobFields = {}, outcome = FATAL): Promise<string[]> {
  return die(api, count, { queue, ...fields }, outcome);
}

async function preview(action: string, more: Json = {}) {
  const { status, json } = await api.post('/dlq/preview', { action, filter: { queue }, ...more });
  expect({ status, json }).toMatchObject({ status: 200 });
  return json;
}

async function counts() {
  return (await api.get(`/queues/${queue}`)).json.counts;
}

test('I3 · A preview shows total, cap and samples, and changes nothing; its token does exactly that', async () => {
  const ids = await dead(12);
  const before = (await api.get(`/dlq?queue=${queue}&limit=200`)).text;
  const shown = await preview('resurrect', { maxJobs: 11 });
  expect(shown).toMatchObject({ matched: 12, isExact: true, willAffect: 11, needsAcknowledgement: false });
  expect(shown.reasons).toEqual({ FatalError: 11 });
  const listed = (await api.get(`/dlq?queue=${queue}&limit=10`)).json.items;
  expect(shown.samples).toEqual(listed);
  expect((await api.get(`/dlq?queue=${queue}&limit=200`)).text).toBe(before);
  api.wakes.splice(0);
  const { status, json } = await api.post('/dlq/resurrect', { token: shown.token });
  expect({ status, json }).toEqual({ status: 200, json: { affected: 11, skipped: NOTHING } });
  expect(api.wakes.length).toBeGreaterThan(0);
  expect((await api.get(`/dlq?queue=${queue}`)).json.items).toHaveLength(1);
  expect(await counts()).toMatchObject({ pending: 11, dead: 1, failed: 12 });
  const rounds = await Promise.all(ids.map(async id => (await api.get(`/jobs/${id}`)).json.round));
  expect(rounds.sort()).toEqual([1, ...Array(11).fill(2)]);
});

test('I3 · Forged, used, expired, or for another action: 409, and nothing is done', async () => {
  await dead(3);
  const { token } = await preview('purge');
  const stale = async (path: string, body: Json) =>
    expect((await api.post(path, body)).json).toMatchObject({ status: 409, code: 'preview-stale' });
  await stale('/dlq/resurrect', { token });
  for (const forged of [`${token}x`, token.replace(/.\./, '.'), 'nonsense', `x${token}`])
    await stale('/dlq/purge', { token: forged });
  const late = await preview('purge');
  api.clock.advance(5 * 60_000);
  await stale('/dlq/purge', { token: late.token });
  expect(await counts()).toMatchObject({ dead: 3 });
  const fresh = (await preview('purge')).token;
  expect((await api.post('/dlq/purge', { token: fresh })).json.affected).toBe(3);
  await stale('/dlq/purge', { token: fresh });
  expect((await api.post('/dlq/purge', { token: fresh })).json.detail).toMatch(/\/operations\/[\w-]+/);
});

test('I4 · Only what was previewed is taken: what dies later stays, what left is told as gone', async () => {
  const ids = await dead(5);
  const { token } = await preview('purge', { maxJobs: 4 });
  await api.call('DELETE', `/dlq/${ids[4]}`);
  await api.post(`/dlq/${ids[3]}/resurrect`);
  const again = (await api.run(1_000)).find(({ id }) => id === ids[3]);
  if (again) await api.end(again, FATAL);
  const later = await dead(3);
  expect((await api.post('/dlq/purge', { token })).json).toEqual({ affected: 2, skipped: { ...NOTHING, gone: 2 } });
  const left = (await api.get(`/dlq?queue=${queue}`)).json.items.map(({ id }: { id: string }) => id);
  expect(left.sort()).toEqual([ids[0], ids[3], ...later].toSorted());
});

test('I4 · The count is true for each reason to skip a job', async () => {
  await api.register('strict.v1');
  await api.register('gone.v1');
  await dead(1, { idempotencyKey: `key-${queue}` });
  await dead(2, { type: 'strict.v1' });
  await dead(3, { type: 'gone.v1' });
  await dead(4);
  const schema = { type: 'object', required: ['to'] };
  await api.call('PUT', '/handlers/strict.v1?force=true', { body: { url: 'http://127.0.0.1:9/', schema } });
  await api.call('DELETE', '/handlers/gone.v1?force=true');
  await api.post('/jobs', { type: 'work.v1', payload: {}, queue, idempotencyKey: `key-${queue}` });
  const { token } = await preview('resurrect');
  expect((await api.post('/dlq/resurrect', { token })).json).toEqual({
    affected: 4,
    skipped: { gone: 0, keyTaken: 1, noHandler: 3, schema: 2 },
  });
});

test('More than 1 000 jobs go on behind the answer, and the operation tells how far', async () => {
  await dead(1_350);
  const { token, willAffect } = await preview('purge', { maxJobs: 1_300 });
  expect(willAffect).toBe(1_300);
  const { status, headers, json } = await api.post('/dlq/purge', { token });
  expect(status).toBe(202);
  expect(json).toMatchObject({
    state: 'running',
    total: 1_300,
    affected: 0,
    filter: { queue },
    startedBy: 'anonymous',
  });
  const path = String(headers.location);
  await api.parts.operations.step();
  expect((await api.get(path)).json).toMatchObject({ state: 'running', affected: 200 });
  const later = await dead(2);
  while (await api.parts.operations.step());
  expect((await api.get(path)).json).toMatchObject({ state: 'finished', affected: 1_300, skipped: NOTHING });
  expect(await counts()).toMatchObject({ dead: 52, failed: 1_352 });
  const left = (await api.get(`/dlq?queue=${queue}&limit=2`)).json.items.map(({ id }: { id: string }) => id);
  expect(left.sort()).toEqual(later.toSorted());
  expect((await api.get('/operations/nowhere')).status).toBe(404);
  const rows = (await api.get('/audit?action=dlq.purge&limit=5')).json.items;
  expect(rows.slice(0, 2)).toMatchObject([
    { outcome: 'succeeded', affected: 1_300, filter: { queue } },
    { outcome: 'accepted', affected: null },
  ]);
});

test('I5 · Hostile filters are refused with their place, or taken literally', async () => {
  const refused: readonly (readonly [Json, string])[] = [
    [{ action: 'purge' }, '#/filter'],
    [{ action: 'purge', filter: {} }, '#/filter'],
    [{ action: 'purge', all: false }, '#/filter'],
    [{ action: 'purge', filter: { queue }, all: true }, '#/all'],
    [{ action: 'purge', filter: { reason: 'Bored' } }, '#/filter/reason'],
    [{ action: 'purge', filter: { quue: 'x' } }, '#/filter/quue'],
    [{ action: 'purge', filter: { queue: '' } }, '#/filter/queue'],
    [{ action: 'purge', filter: { search: 'x'.repeat(201) } }, '#/filter/search'],
    [{ action: 'purge', filter: { failedAfter: '2026-02-30T00:00:00Z' } }, '#/filter/failedAfter'],
    [
      { action: 'purge', filter: { failedAfter: '2026-02-02T00:00:00Z', failedBefore: '2026-02-01T00:00:00Z' } },
      '#/filter/failedBefore',
    ],
    [
      { action: 'purge', filter: { createdAfter: '2026-02-02T00:00:00Z', createdBefore: '2026-02-02T00:00:00Z' } },
      '#/filter/createdBefore',
    ],
    [{ action: 'burn', all: true }, '#/action'],
    [{ all: true }, '#/action'],
    [{ action: 'purge', all: true, maxJobs: 0 }, '#/maxJobs'],
    [{ action: 'purge', all: true, maxJobs: 100_001 }, '#/maxJobs'],
  ];
  for (const [body, pointer] of refused) {
    const { json } = await api.post('/dlq/preview', body);
    expect({ status: json.status, at: json.errors[0]?.pointer }, JSON.stringify(body)).toEqual({
      status: 422,
      at: pointer,
    });
  }
  const [percent] = await dead(1, { tags: ['100%'] });
  await dead(1, { tags: ['a_b'] });
  await dead(1, { tags: ['1000'] });
  const found = async (search: string) =>
    (await preview('purge', { filter: { queue, search } })).samples.map(({ id }: Json) => id);
  expect(await found('00%')).toEqual([percent]);
  expect(await found('a_b')).toHaveLength(1);
  expect(await found('a%b')).toEqual([]);
});

test('Every dead job is taken when all are asked for, and an empty preview does nothing', async () => {
  await dead(2);
  const { matched, token } = await preview('purge', { filter: undefined, all: true, maxJobs: 100_000 });
  expect(matched).toBeGreaterThanOrEqual(2);
  await api.post('/dlq/purge', { token });
  while (await api.parts.operations.step());
  const empty = await preview('purge', { filter: undefined, all: true });
  expect(empty).toMatchObject({ matched: 0, isExact: true, willAffect: 0, samples: [], reasons: {} });
  expect((await api.post('/dlq/purge', { token: empty.token })).json).toEqual({ affected: 0, skipped: NOTHING });
});
