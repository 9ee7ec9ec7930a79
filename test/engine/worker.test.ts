// Owns the proof of the claim loop's dealings with running calls: slots, stops, and what a pause may rely on.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MachineClock } from '#service/clock.js';
import { DomainError } from '#service/domain/errors.js';
import type { Handler } from '#service/domain/handler.js';
import type { NewJob } from '#service/domain/job.js';
import type { Outcome } from '#service/domain/lifecycle.js';
import { DEFAULT_ATTEMPT_POLICY } from '#service/domain/retry.js';
import { Heartbeat } from '#service/engine/heartbeat.js';
import { Worker } from '#service/engine/worker.js';
import type { Log } from '#service/log.js';
import type { Call, Delivery } from '#service/ports/delivery.js';
import type { Store } from '#service/ports/store.js';
import { openStore } from '#service/storage/open.js';

const OWNER = 'host/1/1/boot';
const SUCCEEDED: Outcome = { kind: 'succeeded', responseStatus: 200, responseBody: null, error: null };
const HOUR_MS = 3_600_000;
const SETTINGS = { concurrency: 4, pollIntervalMs: HOUR_MS, zombieTimeoutMs: HOUR_MS, cancelOnHeartbeatFailure: false };
const STORED = { revision: 0, load: async () => {} };
const silent: Log = { event: () => undefined };

/** Calls that a test ends by hand. */
class HeldDelivery implements Delivery {
  readonly calls: { readonly call: Call; end(outcome: Outcome): void }[] = [];

  deliver(call: Call): Promise<Outcome> {
    return new Promise(resolve => this.calls.push({ call, end: resolve }));
  }

  ping(): never {
    throw new Error('nobody is pinged here');
  }

  refusal(): null {
    return null;
  }

  async close(): Promise<void> {}
}

let store: Store;
let delivery: HeldDelivery;
let worker: Worker;
let clock: MachineClock;
let isStorageAway = false;
/** Runs before each transition of this node. */
let interlude: () => Promise<unknown> = async () => undefined;

beforeEach(async () => {
  clock = new MachineClock();
  isStorageAway = false;
  interlude = async () => undefined;
  store = await openStore({ kind: 'memory' }, { clock });
  delivery = new HeldDelivery();
  await store.nodes.announce({ id: OWNER, host: 'host', version: '0', concurrency: 4 });
  const { handler } = await store.handlers.put(handlerOf('work.v1'));
  const registry = { revision: 1_000, limited: [], load: async () => {}, find: () => handler, flaw: () => null };
  worker = new Worker({
    ...{ store: failing(store), delivery, registry, log: silent, policy: DEFAULT_ATTEMPT_POLICY, random: () => 0.5 },
    ...{ owner: OWNER, settings: SETTINGS, stored: STORED },
  });
  worker.loop.start();
});

afterEach(async () => {
  await worker.loop.stop();
  for (const { end } of delivery.calls) end(SUCCEEDED);
  await expect.poll(() => worker.held.size).toBe(0);
  await store.close();
});

/** The same store, whose transitions are refused while storage is away. */
function failing(whole: Store): Store {
  const away = () => Promise.reject(new DomainError('storage-unavailable', 'away'));
  const { jobs } = whole;
  return {
    ...whole,
    jobs: {
      insert: posted => jobs.insert(posted),
      claim: request => jobs.claim(request),
      apply: async moves => {
        await interlude();
        return isStorageAway ? away() : jobs.apply(moves);
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

function handlerOf(type: string): Handler {
  return {
    ...{ type, url: 'http://127.0.0.1:9/', secret: 'whsec_AAAA', previousSecret: null, previousSecretUntil: null },
    ...{ attempts: {}, fatalStatuses: [], circuit: {}, headers: {}, schema: null, concurrency: null },
    ...{ managedBy: 'api', lastResponse: null, createdAt: 0, updatedAt: 0 },
  };
}

function jobOf(id: string): NewJob {
  return {
    ...{ id, queue: 'default', type: 'work.v1', payload: Buffer.from('1'), payloadHash: Buffer.alloc(32), tags: [] },
    ...{ priority: 10, overrides: {}, idempotencyKey: null, onConflict: 'refuse', resultTtlMs: null },
    ...{ due: { inMs: 0 }, createdBy: null, creatorKeyId: null, seesAll: true },
    ...{ traceparent: null, tracestate: null },
  };
}

/** As the API does it: the claim that is woken joins the transaction of the insert. */
async function enqueue(...ids: string[]): Promise<void> {
  const stored = store.jobs.insert(ids.map(jobOf));
  worker.wake();
  await stored;
}

const acknowledged = async () => (await store.nodes.list())[0]?.queuesRevision ?? null;

test('B8 · A job enqueued here starts at once, though the next poll is an hour away', async () => {
  await enqueue('a');
  await expect.poll(() => delivery.calls.map(({ call }) => call.job.id)).toEqual(['a']);
});

test('C1 · The start is committed before the call is made', async () => {
  await enqueue('a');
  await expect.poll(() => delivery.calls.length).toBe(1);
  expect(await store.jobs.get('a')).toMatchObject({ state: 'processing', attempts: 1, workerId: OWNER });
});

test('B9 · Calls that hang leave a slot of the node free', async () => {
  await enqueue('a', 'b', 'c', 'd', 'e');
  await expect.poll(() => delivery.calls.length).toBe(3);
  await worker.step();
  expect(worker.active).toBe(3);
});

test('Claims that were given up for hanging and are answered after all fill no more than the slots there are', async () => {
  await worker.loop.stop();
  await store.jobs.insert(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(jobOf));
  worker.loop.start();
  for (let n = 0; n < 4; n++) worker.loop.restart();
  await expect.poll(() => worker.loop.stepMs()).toBe(0);
  await worker.step();
  expect(worker.active).toBe(3);
});

test('A node acknowledges a pause only when what it had started before has been sent', async () => {
  await enqueue('a');
  await expect.poll(() => delivery.calls.length).toBe(1);
  const configured = await store.queues.configure('default', { isPaused: true });
  worker.look();
  await expect.poll(() => worker.loop.stepMs()).toBe(0);
  expect(await acknowledged()).not.toBe(configured?.revision);
  delivery.calls[0]?.call.onSent?.();
  await expect.poll(acknowledged).toBe(configured?.revision);
});

test('A call that never leaves does not hold an acknowledgement up once it has ended', async () => {
  await enqueue('a');
  await expect.poll(() => delivery.calls.length).toBe(1);
  const configured = await store.queues.configure('default', { isPaused: true });
  worker.look();
  delivery.calls[0]?.end({ ...SUCCEEDED, kind: 'retryable', askedDelayMs: null });
  await expect.poll(acknowledged).toBe(configured?.revision);
});

test('G2 · A wish to cancel reaches a node whose slots are all taken, and the job is Cancelled', async () => {
  await enqueue('a', 'b', 'c');
  await expect.poll(() => delivery.calls.length).toBe(3);
  await store.jobs.apply([
    {
      move: 'requestCancel',
      jobId: 'b',
      guard: { states: ['processing'] },
      change: { to: 'cancelRequested', by: 'alice' },
    },
  ]);
  worker.look();
  const held = delivery.calls.find(({ call }) => call.job.id === 'b');
  await expect.poll(() => held?.call.signal.reason).toEqual({ kind: 'cancelled', by: 'alice' });
  held?.end({ kind: 'cancelled', by: 'alice', responseStatus: null, responseBody: null, error: 'stopped' });
  await expect
    .poll(async () => store.jobs.get('b'))
    .toMatchObject({ state: 'dead', failureReason: 'Cancelled', endedBy: 'alice' });
});

test('A failure that meets a wish to cancel ends the job instead of retrying it', async () => {
  await enqueue('a');
  await expect.poll(() => delivery.calls.length).toBe(1);
  await store.jobs.apply([
    {
      move: 'requestCancel',
      jobId: 'a',
      guard: { states: ['processing'] },
      change: { to: 'cancelRequested', by: 'bob' },
    },
  ]);
  delivery.calls[0]?.end({ ...SUCCEEDED, kind: 'retryable', askedDelayMs: null, responseStatus: 500 });
  await expect.poll(async () => store.jobs.get('a')).toMatchObject({ state: 'dead', failureReason: 'Cancelled' });
});

test('H4 · Of two jobs of one operation one is called, and the other is archived as its duplicate', async () => {
  const operation = { idempotencyKey: 'order:1', resultTtlMs: HOUR_MS, onConflict: 'wait' } as const;
  const stored = store.jobs.insert(['a', 'b'].map(id => ({ ...jobOf(id), ...operation })));
  worker.wake();
  await stored;
  await expect.poll(() => delivery.calls.map(({ call }) => call.job.id)).toEqual(['a']);
  await expect.poll(async () => store.jobs.get('b')).toMatchObject({ state: 'scheduled', attempts: 0 });
  delivery.calls[0]?.end(SUCCEEDED);
  await expect
    .poll(async () => store.jobs.get('b'), { timeout: 10_000 })
    .toMatchObject({ state: 'succeeded', outcome: 'duplicate', attempts: 0 });
  expect(delivery.calls).toHaveLength(1);
});

test('A job whose circuit opens between its claim and its start goes back, and starts after a reset', async () => {
  interlude = () => store.circuits.open('work.v1');
  const stored = store.jobs.insert([{ ...jobOf('a'), idempotencyKey: 'order:2', resultTtlMs: HOUR_MS }]);
  worker.wake();
  await stored;
  const back = { state: 'pending', attempts: 0, leaseId: null, version: 3 };
  await expect.poll(async () => store.jobs.get('a')).toMatchObject(back);
  await worker.step();
  expect(await store.jobs.get('a'), 'it is not claimed again').toMatchObject(back);
  interlude = async () => undefined;
  await store.circuits.reset('work.v1');
  worker.wake();
  await expect.poll(() => delivery.calls.map(({ call }) => call.job.id)).toEqual(['a']);
});

test('C9 · A job whose success cannot be stored yet keeps beating, so that nobody takes it for lost', async () => {
  await enqueue('a');
  await expect.poll(() => delivery.calls.length).toBe(1);
  isStorageAway = true;
  delivery.calls[0]?.end(SUCCEEDED);
  await expect.poll(() => [...worker.held.values()].map(({ phase }) => phase)).toEqual(['settling']);
  clock.advance(HOUR_MS);
  const node = { id: OWNER, host: 'host', version: '0' };
  const beats = { minMs: 1, maxMs: 1, settings: SETTINGS, stored: STORED, random: () => 0.5, log: silent };
  await new Heartbeat({ store, worker, node, ...beats }).step();
  const limits = { fetchedTimeoutMs: 60_000, zombieTimeoutMs: 60_000, goneOwners: [], limit: 10 };
  expect(await store.jobs.stale(limits)).toEqual([]);
  isStorageAway = false;
  await expect.poll(async () => store.jobs.get('a'), { timeout: 10_000 }).toMatchObject({ state: 'succeeded' });
});
