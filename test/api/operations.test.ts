// Owns the proof of operations over HTTP: whatever storage or a bug does on the way, answer, audit and operation tell what happened.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DomainError } from '#service/domain/errors.js';
import type { Transition } from '#service/domain/lifecycle.js';
import type { Store } from '#service/ports/store.js';
import { newJobs } from '../fixtures/jobs.ts';
import { Api } from './fixture/api.ts';
import { die, FATAL } from './fixture/deaths.ts';

const NOTHING = { gone: 0, keyTaken: 0, noHandler: 0, schema: 0 };
const AWAY = () => new DomainError('storage-unavailable', 'away');

let api: Api;
let type: string;
let types = 0;
/** What the next moves meet. */
let meet: (moves: readonly Transition[]) => Error | undefined;

beforeAll(async () => {
  api = await Api.start({ wrap: faulty });
});
beforeEach(async () => {
  meet = () => undefined;
  type = `t${++types}.v1`;
  await api.register(type);
});
afterAll(() => api.close());

/** The same store, but for moves that meet what the test says. */
function faulty(store: Store): Store {
  const { jobs } = store;
  return {
    ...store,
    check: () => store.check(),
    close: () => store.close(),
    jobs: {
      insert: posted => jobs.insert(posted),
      claim: request => jobs.claim(request),
      apply: async moves => {
        const error = meet(moves);
        if (error) throw error;
        return jobs.apply(moves);
      },
      heartbeat: (owner, leaseIds) => jobs.heartbeat(owner, leaseIds),
      stale: request => jobs.stale(request),
      get: id => jobs.get(id),
      list: (filter, page) => jobs.list(filter, page),
      attempts: id => jobs.attempts(id),
      retain: limits => jobs.retain(limits),
    },
  };
}

/** Lets so many batches through, then fails until `meet` is set anew. */
function failAfter(batches: number, error: () => Error): void {
  let left = batches;
  meet = () => (left-- > 0 ? undefined : error());
}

async function carryOn(): Promise<void> {
  while (await api.parts.operations.step());
}

async function wait(count: number): Promise<readonly string[]> {
  const stored = await api.store.jobs.insert(newJobs(count, () => ({ type, queue: type })));
  return stored.map(({ job }) => job.id);
}

async function dead(count: number): Promise<string[]> {
  return die(api, count, { type, queue: type }, FATAL);
}

async function begin(action: string, queue = type) {
  const { token } = (await api.post('/dlq/preview', { action, filter: { queue }, maxJobs: 100_000 })).json;
  return api.post(`/dlq/${action}`, { token });
}

async function audited(action: string) {
  return (await api.get(`/audit?action=${action}&limit=3`)).json.items;
}

test('What waits for a handler that goes dies behind the answer, which a second request finds again', async () => {
  await wait(1_201);
  const { status, headers, json } = await api.call('DELETE', `/handlers/${type}?force=true`);
  expect({ status, json }).toMatchObject({
    ...{ status: 202, json: { action: 'reject', total: 1_201, affected: 0, state: 'running', filter: { type } } },
  });
  await api.parts.operations.step();
  const again = await api.call('DELETE', `/handlers/${type}?force=true`);
  expect({ at: again.headers.location, ...again.json }).toMatchObject({ at: headers.location, affected: 200 });
  expect((await api.call('DELETE', `/handlers/${type}`)).status).toBe(404);
  await carryOn();
  expect((await api.get(String(headers.location))).json).toMatchObject({
    ...{ state: 'finished', affected: 1_201, skipped: NOTHING },
  });
  expect((await api.get(`/queues/${type}`)).json.counts).toMatchObject({ pending: 0, dead: 1_201 });
  expect(await audited('handler.remove')).toMatchObject([
    { outcome: 'succeeded', affected: 1_201, target: type },
    { outcome: 'not-found', affected: 0 },
    { outcome: 'accepted', affected: null },
  ]);
  expect((await api.call('DELETE', `/handlers/${type}?force=true`)).status).toBe(404);
});

test('A removal that storage interrupts is answered as what it is: begun, and carried on later', async () => {
  const ids = await wait(450);
  failAfter(1, AWAY);
  const { status, headers, json } = await api.call('DELETE', `/handlers/${type}?force=true`);
  expect({ status, json }).toMatchObject({ status: 202, json: { affected: 200, total: 450, state: 'running' } });
  meet = () => undefined;
  await carryOn();
  expect((await api.get(String(headers.location))).json).toMatchObject({ state: 'finished', affected: 450 });
  expect((await api.get(`/jobs/${ids[0]}`)).json).toMatchObject({ state: 'dead', failureReason: 'FatalError' });
});

test('A handler that comes back takes what has not been reached', async () => {
  await wait(1_400);
  const { headers } = await api.call('DELETE', `/handlers/${type}?force=true`);
  await api.parts.operations.step();
  await api.register(type);
  await carryOn();
  expect((await api.get(String(headers.location))).json).toMatchObject({ affected: 200, skipped: { gone: 1_200 } });
  expect((await api.get(`/queues/${type}`)).json.counts).toMatchObject({ pending: 1_200, dead: 200 });
});

test('A bulk that storage interrupts goes on behind the answer, and its true count is audited', async () => {
  await dead(500);
  failAfter(2, AWAY);
  const { status, headers, json } = await begin('purge');
  expect({ status, json }).toMatchObject({ status: 202, json: { affected: 400, total: 500, state: 'running' } });
  meet = () => undefined;
  await carryOn();
  const finished = { state: 'finished', affected: 500, skipped: NOTHING };
  expect((await api.get(String(headers.location))).json).toMatchObject(finished);
  expect(await audited('dlq.purge')).toMatchObject([
    { outcome: 'succeeded', affected: 500, filter: { queue: type } },
    { outcome: 'accepted', affected: null },
  ]);
});

test('By ids each tells whether it was reached when storage goes away between two batches', async () => {
  const ids = await dead(450);
  failAfter(1, AWAY);
  const { status, json } = await api.post('/dlq/purge', { ids });
  const codes = json.results.map(({ code }: { code: string | null }) => code);
  expect({ status, codes }).toEqual({
    ...{ status: 200, codes: [...Array(200).fill(null), ...Array(250).fill('storage-unavailable')] },
  });
  expect((await audited('dlq.purge'))[0]).toMatchObject({ outcome: 'succeeded', affected: 200 });
  expect((await api.post('/dlq/purge', { ids: ids.slice(200) })).json.status).toBe(503);
  meet = () => undefined;
  const rest = (await api.post('/dlq/purge', { ids: ids.slice(200) })).json.results;
  expect(rest.every(({ ok }: { ok: boolean }) => ok)).toBe(true);
});

test('An operation that always meets a bug fails after five tries and holds up no other', async () => {
  await dead(300);
  const broken = type;
  failAfter(0, () => new Error('no such column: colour'));
  const { status, headers, json } = await begin('purge');
  expect({ status, json }).toMatchObject({ status: 202, json: { state: 'running', error: 'no such column: colour' } });
  const brokenJob = (moves: readonly Transition[]) => moves.some(({ operationId }) => operationId === json.id);
  meet = moves => (brokenJob(moves) ? new Error('no such column: colour') : undefined);
  type = `t${++types}.v1`;
  await api.register(type);
  await dead(1_001);
  const other = await begin('purge');
  await carryOn();
  expect((await api.get(String(other.headers.location))).json).toMatchObject({ state: 'finished', affected: 1_001 });
  for (const waitMs of [1_000, 2_000, 4_000, 8_000]) {
    expect((await api.get(String(headers.location))).json.state, String(waitMs)).toBe('running');
    await carryOn();
    api.clock.advance(waitMs);
    await carryOn();
  }
  const failed = { state: 'failed', affected: 0, error: 'no such column: colour', finishedAt: expect.any(String) };
  expect((await api.get(String(headers.location))).json).toMatchObject(failed);
  expect((await audited('dlq.purge'))[0]).toMatchObject({
    ...{ outcome: 'failed', affected: 0, target: json.id, details: { error: 'no such column: colour' } },
  });
  expect((await api.get(`/queues/${broken}`)).json.counts).toMatchObject({ dead: 300 });
});

test('A cancelled operation has moved what it says, and moves nothing more', async () => {
  await dead(1_100);
  const path = String((await begin('purge')).headers.location);
  await api.parts.operations.step();
  const { status, json } = await api.post(`${path}/cancel`);
  expect({ status, json }).toMatchObject({
    ...{ status: 200, json: { state: 'cancelled', affected: 200, skipped: NOTHING, finishedAt: expect.any(String) } },
  });
  await carryOn();
  expect((await api.get(`/queues/${type}`)).json.counts).toMatchObject({ dead: 900 });
  expect((await api.post(`${path}/cancel`)).json).toMatchObject({
    ...{ status: 409, code: 'conflict-state', detail: expect.stringContaining('was cancelled before') },
  });
  expect((await api.post('/operations/nowhere/cancel')).json).toMatchObject({ status: 404 });
  expect((await audited('dlq.purge'))[0]).toMatchObject({ outcome: 'cancelled', affected: 200 });
  expect((await audited('operation.cancel'))[2]).toMatchObject({ outcome: 'succeeded', details: { affected: 200 } });
});

test('What a cancelled removal has left is taken by the next one, though the handler is gone', async () => {
  await wait(1_100);
  const path = String((await api.call('DELETE', `/handlers/${type}?force=true`)).headers.location);
  await api.parts.operations.step();
  await api.post(`${path}/cancel`);
  expect((await api.get(`/queues/${type}`)).json.counts).toMatchObject({ pending: 900, dead: 200 });
  expect((await api.call('DELETE', `/handlers/${type}?force=true`)).status).toBe(204);
  expect((await api.get(`/queues/${type}`)).json.counts).toMatchObject({ pending: 0, dead: 1_100 });
  expect((await api.call('DELETE', `/handlers/${type}?force=true`)).status).toBe(404);
});
