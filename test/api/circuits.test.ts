// Owns the proof of circuits over HTTP: what operators see of them, hold open and reset.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide, judged, type Outcome } from '#service/domain/lifecycle.js';
import { PATIENT } from '../fixtures/jobs.ts';
import { Api } from './fixture/api.ts';

const BROKEN: Outcome = { kind: 'retryable', askedDelayMs: null, responseStatus: 500, responseBody: null, error: 'no' };
const BREAK_MS = 30_000;

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.close());

/** Runs what is due, and ends each as the node that called the handler does. */
async function runAll(outcome: Outcome): Promise<void> {
  const now = api.clock.now();
  const ends = (await api.run()).map(job =>
    judged(decide(job, outcome, PATIENT, { now, random: 0 }), { ...job, handlerType: job.type }, outcome),
  );
  await api.store.jobs.apply(ends);
}

const circuit = async (type: string) =>
  (await api.get('/circuits')).json.items.find((item: { type: string }) => item.type === type);

async function enqueue(type: string, count: number): Promise<void> {
  const jobs = Array.from({ length: count }, () => ({ type, payload: 1 }));
  expect((await api.post('/jobs/batch', { jobs })).status).toBe(200);
}

test('Every handler has a closed circuit from the start, with the policy in force', async () => {
  await api.register('fresh.v1', { circuit: { failureThreshold: 3, breakTime: '10m' } });
  expect(await circuit('fresh.v1')).toEqual({
    type: 'fresh.v1',
    state: 'closed',
    isForced: false,
    failures: 0,
    openedAt: null,
    openUntil: null,
    breakTimeMs: null,
    probeAt: null,
    rampLimit: null,
    waiting: 0,
    inFlight: 0,
    policy: { failureThreshold: 3, window: '1m', breakTime: '10m', maxBreakTime: '10m', probeTimeout: '30s' },
  });
});

test('E1 E2 · Failures are counted, open the circuit, and a probe is told apart', async () => {
  await api.register('failing.v1');
  await enqueue('failing.v1', 4);
  await runAll(BROKEN);
  expect(await circuit('failing.v1')).toMatchObject({ state: 'closed', failures: 4, waiting: 4 });
  await runAll(BROKEN);
  const opened = await circuit('failing.v1');
  expect(opened).toMatchObject({ state: 'open', isForced: false, failures: 0, breakTimeMs: BREAK_MS, waiting: 4 });
  expect(Date.parse(opened.openUntil) - Date.parse(opened.openedAt)).toBe(BREAK_MS);
  expect(await api.run()).toEqual([]);
  api.clock.advance(BREAK_MS);
  expect(await api.run()).toHaveLength(1);
  const probing = await circuit('failing.v1');
  expect(probing).toMatchObject({ state: 'half-open', openedAt: null, openUntil: null, waiting: 3, inFlight: 1 });
  expect(Date.parse(probing.probeAt)).toBeGreaterThanOrEqual(Date.parse(opened.openUntil));
});

test('An operator holds a circuit open, once or twice, and resets it: then this node claims at once', async () => {
  await api.register('held.v1');
  await enqueue('held.v1', 2);
  for (let n = 0; n < 2; n++) {
    const { status, json } = await api.post('/circuits/held.v1/open');
    expect([status, json]).toMatchObject([200, { state: 'open', isForced: true, openUntil: null, waiting: 2 }]);
  }
  expect((await api.run()).filter(({ type }) => type === 'held.v1')).toEqual([]);
  api.wakes.length = 0;
  const { status, json } = await api.post('/circuits/held.v1/reset');
  expect([status, json]).toMatchObject([200, { state: 'closed', isForced: false, openedAt: null }]);
  expect(api.wakes).toHaveLength(1);
  expect((await api.run()).filter(({ type }) => type === 'held.v1')).toHaveLength(2);
  expect((await api.post('/circuits/held.v1/reset')).status).toBe(200);
});

test('The circuit goes with its handler, and stays when the handler is replaced', async () => {
  await api.register('leaving.v1');
  await api.post('/circuits/leaving.v1/open');
  expect((await api.register('leaving.v1', { timeout: '5s' })).status).toBe(200);
  expect(await circuit('leaving.v1')).toMatchObject({ state: 'open', isForced: true });
  expect((await api.call('DELETE', '/handlers/leaving.v1')).status).toBe(204);
  expect(await circuit('leaving.v1')).toBeUndefined();
});

test('Keys in any script, and the catch-all, are found; a type without its own handler is told where to look', async () => {
  const type = 'Письмо/отправить %2F v1';
  await api.register(type);
  expect((await api.post(`/circuits/${encodeURIComponent(type)}/open`)).json).toMatchObject({ type, isForced: true });
  expect((await api.post('/circuits/none.v1/open')).json).toMatchObject({ status: 404, code: 'not-found' });
  await api.register('*');
  expect((await api.post('/circuits/*/open')).json).toMatchObject({ type: '*', isForced: true });
  const { json } = await api.post('/circuits/none.v1/reset');
  expect(json).toMatchObject({ status: 404, detail: expect.stringContaining('share the circuit of the handler *') });
  await api.post('/circuits/*/reset');
});

test('What is no key, no route or no method is refused', async () => {
  expect((await api.post('/circuits/%20/open')).json).toMatchObject({ status: 400, errors: [{ parameter: 'type' }] });
  expect((await api.post('/circuits/a.v1/close')).status).toBe(404);
  const { status, headers } = await api.get('/circuits/a.v1/open');
  expect([status, headers.allow]).toEqual([405, 'POST']);
});

test.each<[object, string]>([
  [{ breakTime: '2m', maxBreakTime: '1m' }, '#/circuit/maxBreakTime'],
  [{ breakTime: '500ms' }, '#/circuit/breakTime'],
  [{ window: 'long' }, '#/circuit/window'],
  [{ failureThreshold: 0 }, '#/circuit/failureThreshold'],
])('The policy %j is refused with a pointer', async (policy, pointer) => {
  const { json } = await api.register('bad.v1', { circuit: policy });
  expect(json).toMatchObject({ status: 422, errors: [{ pointer }] });
});
