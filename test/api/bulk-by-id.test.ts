// Owns the proof of bulk actions on dead jobs that are named, and of what must be acknowledged.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JobFields } from '../fixtures/jobs.ts';
import { Api, type Json } from './fixture/api.ts';
import { die, FATAL, TIMED_OUT } from './fixture/deaths.ts';

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

test('By ids each job tells its own result, in order', async () => {
  const [first = '', other = ''] = await dead(2);
  const { id: waiting } = (await api.post('/jobs', { type: 'work.v1', payload: {}, queue, delay: '1h' })).json;
  const { json } = await api.post('/dlq/resurrect', { ids: [waiting, first, 'nowhere', first] });
  expect(json.results).toEqual([
    { id: waiting, ok: false, code: 'conflict-state' },
    { id: first, ok: true, code: null },
    { id: 'nowhere', ok: false, code: 'not-found' },
    { id: first, ok: false, code: 'conflict-state' },
  ]);
  expect((await api.get(`/jobs/${first}`)).json).toMatchObject({ state: 'pending', round: 2 });
  expect((await api.post('/dlq/purge', { ids: [other, first] })).json.results).toEqual([
    { id: other, ok: true, code: null },
    { id: first, ok: false, code: 'conflict-state' },
  ]);
  expect((await api.get(`/jobs/${other}`)).status).toBe(404);
});

test('A thousand ids at once, each brought back once', async () => {
  const ids = await dead(1_000);
  const { json } = await api.post('/dlq/resurrect', { ids });
  expect(json.results.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
  expect(await counts()).toMatchObject({ pending: 1_000, dead: 0, failed: 1_000 });
});

test('Zombies and Timeouts come back in bulk only when that is acknowledged; a refusal uses nothing up', async () => {
  const ids = [...(await dead(2)), ...(await dead(2, {}, TIMED_OUT))];
  const { token, needsAcknowledgement, reasons } = await preview('resurrect');
  expect({ needsAcknowledgement, reasons }).toEqual({
    needsAcknowledgement: true,
    reasons: { FatalError: 2, Timeout: 2 },
  });
  const refused = { status: 422, code: 'acknowledge-required' };
  expect((await api.post('/dlq/resurrect', { token })).json).toMatchObject({
    ...refused,
    errors: [{ pointer: '#/acknowledge' }],
  });
  expect((await api.post('/dlq/resurrect', { token, acknowledge: false })).json).toMatchObject(refused);
  const { json } = await api.post('/dlq/resurrect', { ids });
  expect(json).toMatchObject({ ...refused, errors: [{}, { pointer: '#/ids/2' }, { pointer: '#/ids/3' }] });
  expect(await counts()).toMatchObject({ dead: 4 });
  expect((await api.post('/dlq/resurrect', { token, acknowledge: true })).json.affected).toBe(4);
  await dead(1, {}, TIMED_OUT);
  expect((await preview('purge')).needsAcknowledgement).toBe(false);
  expect((await api.post('/dlq/purge', { token: (await preview('purge')).token })).json.affected).toBe(1);
});

test('Ids and a token are alternatives, and neither can be empty or too long', async () => {
  for (const body of [
    {},
    { ids: [] },
    { ids: ['a'], token: 'b' },
    { ids: Array(1_001).fill('a') },
    { token: '' },
    { token: 'x', acknowledge: 1 },
  ])
    expect((await api.post('/dlq/resurrect', body)).json, JSON.stringify(body)).toMatchObject({ status: 422 });
  expect((await api.post('/dlq/purge', { ids: ['a'], acknowledge: true })).json).toMatchObject({ status: 422 });
  for (const path of ['/dlq/preview', '/dlq/resurrect', '/dlq/purge'])
    expect((await api.get(path)).json, path).toMatchObject({ status: 405 });
});
