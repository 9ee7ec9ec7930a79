// Owns the proof that what is counted is what was committed: every path into the DLQ by its stored reason, and nothing that failed.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Audit } from '#service/application/audit.js';
import { Handlers } from '#service/application/handlers.js';
import { HandlerRegistry } from '#service/application/registry.js';
import { DomainError } from '#service/domain/errors.js';
import { FAILURE_REASONS } from '#service/domain/failure.js';
import type { ClaimedJob } from '#service/domain/job.js';
import { cancel, decide, type Outcome, skip, start } from '#service/domain/lifecycle.js';
import { type AttemptPolicy, DEFAULT_ATTEMPT_POLICY } from '#service/domain/retry.js';
import { createLog } from '#service/log.js';
import type { Store } from '#service/ports/store.js';
import { bulkParts } from '../api/fixture/bulk.ts';
import { handlerFor, type JobFields, newJob, PATIENT, TYPE } from '../fixtures/jobs.ts';
import { Measured } from './fixture/measured.ts';

const DLQ = 'chokaq_jobs_dlq_total';
const CLAIM = { owner: 'node-a', limit: 100, perType: 100, perHandler: {}, start: true };
const ANSWER = { responseStatus: null, responseBody: null, error: 'no' };
const OLD: AttemptPolicy = { ...PATIENT, retry: { ...PATIENT.retry, baseMs: 60_000, maxMs: 60_000, maxAgeMs: 1 } };

/** How a started job comes to each reason. */
const ENDS: Readonly<Record<(typeof FAILURE_REASONS)[number], readonly [Outcome, AttemptPolicy]>> = {
  FatalError: [{ ...ANSWER, kind: 'fatal', endpointGone: false }, PATIENT],
  MaxRetriesExceeded: [
    { ...ANSWER, kind: 'retryable', askedDelayMs: null },
    { ...PATIENT, maxAttempts: 1 },
  ],
  Throttled: [
    { ...ANSWER, kind: 'throttled', askedDelayMs: null },
    { ...PATIENT, maxAttempts: 1 },
  ],
  RetryLifetimeExpired: [{ ...ANSWER, kind: 'retryable', askedDelayMs: null }, OLD],
  Timeout: [{ ...ANSWER, kind: 'timedOut' }, DEFAULT_ATTEMPT_POLICY],
  Cancelled: [{ ...ANSWER, kind: 'cancelled', by: 'ops' }, DEFAULT_ATTEMPT_POLICY],
  Zombie: [{ ...ANSWER, kind: 'expired' }, DEFAULT_ATTEMPT_POLICY],
  HeartbeatFailure: [{ ...ANSWER, kind: 'interrupted', by: 'heartbeat' }, DEFAULT_ATTEMPT_POLICY],
};

let measured: Measured;
let isAway = false;

/** A store whose commits fail while `isAway`. */
function failing(store: Store): Store {
  const refused = () => Promise.reject(new DomainError('storage-unavailable', 'away'));
  const { jobs } = store;
  const insert: typeof jobs.insert = posted => (isAway ? refused() : jobs.insert(posted));
  const apply: typeof jobs.apply = moves => (isAway ? refused() : jobs.apply(moves));
  const rest = {
    claim: jobs.claim.bind(jobs),
    get: jobs.get.bind(jobs),
    list: jobs.list.bind(jobs),
    heartbeat: jobs.heartbeat.bind(jobs),
    stale: jobs.stale.bind(jobs),
    attempts: jobs.attempts.bind(jobs),
    retain: jobs.retain.bind(jobs),
  };
  return { ...store, close: () => store.close(), check: () => store.check(), jobs: { ...rest, insert, apply } };
}

beforeEach(async () => {
  isAway = false;
  measured = await Measured.open(failing);
  await measured.store.handlers.put(handlerFor(TYPE));
});
afterEach(() => measured.store.close());

async function running(fields: JobFields = {}): Promise<ClaimedJob> {
  await measured.store.jobs.insert([newJob(fields)]);
  const [job] = (await measured.store.jobs.claim(CLAIM)).jobs;
  if (job === undefined) throw new Error('nothing was claimed');
  return job;
}

async function end(job: ClaimedJob, [outcome, policy]: readonly [Outcome, AttemptPolicy]): Promise<void> {
  const { store } = measured;
  await store.jobs.apply([decide(job, outcome, policy, { now: store.clock.now(), random: 0 })]);
}

test('J1 · Every path into the DLQ is counted with the reason that is stored', async () => {
  const { store } = measured;
  for (const reason of FAILURE_REASONS) {
    const job = await running({ queue: 'mail' });
    await end(job, ENDS[reason]);
    expect(await store.jobs.get(job.id)).toMatchObject({ state: 'dead', failureReason: reason });
    expect(await measured.sum(DLQ, { queue: 'mail', type: TYPE, reason }), reason).toBe(1);
  }
  expect(await measured.sum(DLQ)).toBe(FAILURE_REASONS.length);
  expect(await measured.sum('chokaq_recovered_jobs_total', { kind: 'zombie' })).toBe(1);
});

test('J1 · Operators who cancel what waits, or force a handler away, bury jobs that are counted too', async () => {
  const { store } = measured;
  const [waiting] = await store.jobs.insert([newJob()]);
  if (waiting === undefined) throw new Error('nothing was stored');
  await store.jobs.apply([cancel(waiting.job, 'ops')]);
  await store.jobs.insert([newJob(), newJob()]);
  const registry = new HandlerRegistry(store.handlers, DEFAULT_ATTEMPT_POLICY);
  await registry.load();
  const delivery = { refusal: () => null, ping: () => Promise.reject(new Error('nobody is pinged here')) };
  const rules = { requireRegisteredTypes: true, maxPayloadBytes: 1_000 };
  const audit = new Audit(store.audit, createLog('silent'));
  const { operations } = bulkParts({ store, registry, rules, audit, wake: () => undefined }, 'node-a');
  await new Handlers({ store, registry, delivery, operations }).removeByForce(TYPE, 'ops');
  expect(await measured.sum(DLQ, { reason: 'Cancelled' })).toBe(1);
  expect(await measured.sum(DLQ, { reason: 'FatalError' })).toBe(2);
  expect(await measured.sum('chokaq_jobs_failed_total')).toBe(0);
});

test('J1 · Nothing is counted before the commit, nor when there is none', async () => {
  const job = await running();
  isAway = true;
  await expect(measured.store.jobs.insert([newJob({ idempotencyKey: 'k' })])).rejects.toThrow('away');
  await expect(end(job, ENDS.FatalError)).rejects.toThrow('away');
  expect(await measured.sum('chokaq_jobs_enqueued_total')).toBe(1);
  for (const name of [DLQ, 'chokaq_jobs_failed_total', 'chokaq_idempotency_claims_total'])
    expect(await measured.sum(name), name).toBe(0);
  isAway = false;
  await end(job, ENDS.FatalError);
  await end(job, ENDS.FatalError);
  expect(await measured.sum(DLQ)).toBe(1);
  expect(await measured.sum('chokaq_state_transition_conflicts_total', { transition: 'bury' })).toBe(1);
});

test('J1 · Meetings with idempotency keys are counted by how they went', async () => {
  const { store } = measured;
  const outcome = (name: string) => measured.sum('chokaq_idempotency_claims_total', { outcome: name });
  const operation = { idempotencyKey: 'order:1', resultTtlMs: 3_600_000, onConflict: 'wait' } as const;
  await store.jobs.insert([newJob(operation), newJob({ ...operation, json: '{"n":2}' })]);
  expect(await outcome('stored')).toBe(2);
  await store.jobs.insert([newJob({ ...operation, onConflict: 'keep' })]);
  expect(await outcome('duplicate')).toBe(1);
  await expect(store.jobs.insert([newJob({ ...operation, onConflict: 'refuse', json: '3' })])).rejects.toThrow();
  expect(await outcome('conflict')).toBe(1);
  const [first, second] = (await store.jobs.claim(CLAIM)).jobs;
  if (!first || !second) throw new Error('two were not claimed');
  await store.jobs.apply([start(first), start(second)]);
  expect([await outcome('run'), await outcome('held'), await outcome('done')]).toEqual([1, 1, 0]);
  await end(first, [{ kind: 'succeeded', responseStatus: 200, responseBody: null, error: null }, PATIENT]);
  await store.jobs.apply([start(second)]);
  await store.jobs.apply([skip(second)]);
  expect(await outcome('done')).toBe(1);
});

test('J3 · A job due in 30 s adds no lag; once due, lag counts from the due time, whichever way it starts', async () => {
  const { store } = measured;
  const lags = async () => (await store.queues.list()).map(queue => queue.lagMs.max);
  const histogram = (part: string) => measured.sum(`chokaq_job_queue_lag_seconds_${part}`, { queue: 'default' });
  await store.jobs.insert([newJob({ due: { inMs: 30_000 } })]);
  const checked = { resultTtlMs: 1_000, idempotencyKey: 'k' };
  await store.jobs.insert([newJob({ due: { inMs: 30_000 }, ...checked })]);
  expect(await lags()).toEqual([0]);
  measured.advance(29_000);
  expect((await store.jobs.claim(CLAIM)).jobs).toEqual([]);
  expect(await lags()).toEqual([0]);
  expect(await histogram('count')).toBe(0);
  measured.advance(11_000);
  const { jobs } = await store.jobs.claim({ ...CLAIM, limit: 2 });
  await store.jobs.apply(jobs.filter(job => job.state === 'fetched').map(job => start(job)));
  expect(await histogram('count')).toBe(2);
  expect(await histogram('sum')).toBeGreaterThanOrEqual(20);
  expect(await histogram('sum')).toBeLessThan(22);
});
