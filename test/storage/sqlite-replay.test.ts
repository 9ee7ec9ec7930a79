// Owns the proof that a commit whose answer is lost is told as what it was when it is tried again: nothing done twice, nothing denied.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MachineClock } from '#service/clock.js';
import type { Job } from '#service/domain/job.js';
import { cancel, discard, resurrect, start, type Transition } from '#service/domain/lifecycle.js';
import type { AuditEntry } from '#service/ports/audit.js';
import type { Store } from '#service/ports/store.js';
import { THREAD_LOST, ThreadFault } from '#service/storage/sqlite/protocol.js';
import { storeOver } from '#service/storage/sqlite/store.js';
import { type Answered, type Asked, Thread } from '#service/storage/sqlite/thread.js';
import { FATAL, handlerFor, newJob, newJobs, RETRYABLE, SUCCEEDED } from '../fixtures/jobs.ts';
import { NEW } from './suite/operations.ts';
import { only, Stage } from './suite/world.ts';

/** Commits, and loses the answer when it is told to. */
class LossyThread extends Thread {
  losses = 0;

  override async ask(now: number, calls: readonly Asked[], tried: readonly number[]): Promise<readonly Answered[]> {
    const answers = await super.ask(now, calls, tried);
    if (this.losses === 0) return answers;
    this.losses -= 1;
    throw new ThreadFault({ name: 'Error', message: 'the answer is lost', code: THREAD_LOST, stack: null });
  }
}

let thread: LossyThread;
let store: Store;
let stage: Stage;

beforeEach(async () => {
  thread = new LossyThread({ path: ':memory:', mode: 'write', capacity: null, migrates: true });
  await thread.open();
  const clock = new MachineClock();
  const wait = async (ms: number) => clock.advance(Math.ceil(ms));
  store = storeOver({ writer: thread, reader: thread }, { clock, wait }, () => thread.close());
  stage = new Stage({ nodes: [store, store], clock, close: () => store.close() });
  await store.handlers.put(handlerFor('work.v1'));
});
afterEach(() => store.close());

/** Runs the call so that its first answer, or its first two, are lost. */
function lost<T>(call: () => Promise<T>, times = 1): Promise<T> {
  thread.losses = times;
  return call();
}

async function counted() {
  return (await store.queues.get('default'))?.counts;
}

test('A job that is stored is no duplicate of itself; the second of one id is one', async () => {
  const job = newJob({ idempotencyKey: 'k' });
  const other = newJob({ queue: 'new' });
  const [first, second, third] = await lost(() => store.jobs.insert([job, other, job]));
  expect([first, second, third].map(one => one?.duplicate)).toEqual([false, false, true]);
  const stored = await stage.job(job.id);
  expect(first?.job.createdAt).toBe(stored.createdAt);
  expect(await counted()).toMatchObject({ pending: 1 });
  expect(only(await lost(() => store.jobs.insert([job]))).duplicate, 'it was stored before').toBe(true);
  expect(only(await store.jobs.insert([job])).duplicate).toBe(true);
  expect(only(await lost(() => store.jobs.insert([newJob({ idempotencyKey: 'k' })]))).job.id).toBe(job.id);
});

test('A claim of which two answers are lost is found again, and takes nothing more', async () => {
  await store.jobs.insert(newJobs(5));
  await store.handlers.put(handlerFor('checked.v1', { schema: { type: 'object' } }));
  await store.jobs.insert([newJob({ type: 'checked.v1', json: '{"n":2}' })]);
  const claimed = await lost(() => stage.claim({ limit: 4, perType: 3, start: true }), 2);
  expect(claimed.map(({ state }) => state)).toEqual(['processing', 'processing', 'processing', 'fetched']);
  expect(await counted()).toMatchObject({ pending: 2, processing: 3, fetched: 1 });
  const [first] = claimed;
  expect(first).toMatchObject({ attempts: 1, startedAt: (await stage.job(first?.id ?? '')).startedAt });
  expect(claimed.map(({ payload }) => Buffer.from(payload).toString())).toEqual([
    ...['{"n":1}', '{"n":1}', '{"n":1}', '{"n":2}'],
  ]);
  for (const job of claimed.slice(0, 3)) expect(await stage.finish(job, SUCCEEDED)).toMatchObject({ held: true });
  expect((await lost(() => stage.claim({ limit: 9, start: true }))).length, 'a later claim').toBe(2);
});

test('Every move that a lost try has made is held, once, and counted once', async () => {
  const fetched = await stage.fetched();
  const began = await lost(() => stage.apply(start(fetched)));
  expect(began).toMatchObject({ held: true, started: { dueAt: fetched.dueAt, tookClaim: false } });
  const running = { ...fetched, state: 'processing', attempts: 1 } as const;
  expect((await stage.job(running.id)).attempts).toBe(1);
  expect(await lost(() => stage.finish(running, RETRYABLE))).toMatchObject({ held: true });
  const again = await stage.runAgain(running.id);
  expect(await lost(() => stage.finish(again, FATAL))).toMatchObject({ held: true, queue: 'default' });
  const dead = await stage.job(running.id);
  const revived = [resurrect(dead, {}, 'ann'), resurrect(dead, {}, 'bob')];
  const both = await lost(() => store.jobs.apply(revived));
  expect(both, 'one of two').toMatchObject([{ held: true }, { held: false, why: 'lost' }]);
  expect(await lost(() => stage.apply(cancel({ ...dead, round: 2 }, 'ann')))).toMatchObject({ held: true });
  const done = await stage.running();
  expect(await lost(() => stage.finish(done, SUCCEEDED))).toMatchObject({ held: true });
  expect(await stage.finish(done, SUCCEEDED), 'this one is late').toMatchObject({ held: false });
  expect(await lost(() => stage.finish(done, SUCCEEDED)), 'and so is this').toMatchObject({ held: false });
  expect(await counted()).toMatchObject({ succeeded: 1, dead: 1, failed: 2, retried: 1, pending: 0, processing: 0 });
});

test('An operation counts what a lost try has moved once, and goes on where that left it', async () => {
  const dead = [await stage.dead(), await stage.dead()];
  expect(await lost(() => store.operations.begin(NEW))).toMatchObject({ id: NEW.id, affected: 0 });
  expect(await store.operations.begin(NEW)).toBeNull();
  const moves = dead.map((job): Transition => ({ ...purgeOf(job), operationId: NEW.id }));
  expect(await lost(() => store.jobs.apply(moves))).toMatchObject([{ held: true }, { held: true }]);
  const batch = { id: NEW.id, owner: 'node-a', position: null, keyTaken: 1, noHandler: 0, schema: 2 };
  const known = { affected: 2, keyTaken: 1, schema: 2 };
  expect(await lost(() => store.operations.advance({ ...batch, isFinished: false }))).toMatchObject(known);
  const failure = { id: NEW.id, owner: 'node-a', error: 'oh', isLast: false };
  expect(await lost(() => store.operations.fail(failure))).toMatchObject({ ...known, failures: 1 });
  const seen = only((await store.operations.unfinished(null)).items);
  expect(await lost(() => store.operations.take(seen, 'node-b'))).toBe(true);
  expect(await lost(() => store.operations.cancel(NEW.id))).toMatchObject({ ...known, ended: 'cancelled' });
});

function purgeOf(job: Job): Transition {
  const move = discard(job);
  if (move === null) throw new Error(`job ${job.id} cannot be purged`);
  return move;
}

test('Handlers, queues, keys and the audit log tell what the lost try has done', async () => {
  expect(await lost(() => store.handlers.put(handlerFor('new.v1')))).toMatchObject({ created: true });
  await store.jobs.insert([newJob({ type: 'new.v1' })]);
  const rejection = { id: 'r', by: 'ann', owner: 'node-a' };
  expect(await lost(() => store.handlers.remove('new.v1', true, rejection))).toMatchObject({ id: 'r', total: 1 });
  expect(await lost(() => store.handlers.remove('work.v1', false))).toBe('removed');
  expect(await store.handlers.remove('work.v1', false)).toBe('absent');
  await store.queues.configure('empty', {}, true);
  expect(await lost(() => store.queues.remove('empty'))).toBe('removed');
  const key = { id: 'k1', name: 'producer', hash: '00', scopes: [], rateLimit: null };
  expect(await lost(() => store.keys.create(key))).toMatchObject({ id: 'k1' });
  expect(await lost(() => store.keys.revoke('k1', 'ann'))).toMatchObject({ revokedBy: 'ann' });
  const entry: AuditEntry = {
    ...{ actor: 'ann', keyId: null, action: 'job.cancel', target: 'j', filter: null, affected: 1 },
    ...{ outcome: 'succeeded', requestId: 'q', details: null },
  };
  await lost(() => store.audit.record(entry));
  await store.audit.record(entry);
  expect((await store.audit.list({}, 9, null)).items).toHaveLength(2);
});
