// Owns every change of a job's state: which moves exist, who may make them, and what happens after an attempt.
import { verdictOf } from './circuit.ts';
import type { FailureReason } from './failure.ts';
import type { AttemptOutcome, ClaimedJob, HotState, Job } from './job.ts';
import { type AttemptPolicy, requestedDelayMs, retryDelayMs } from './retry.ts';
import type { Answer, Change, Guard, JobEdits, Outcome, Transition } from './transition.ts';

export type { Answer, Change, Guard, JobEdits, Outcome, Transition } from './transition.ts';

export type From = HotState | 'succeeded' | 'dead';
type To = HotState | 'succeeded' | 'dead' | 'gone' | 'unchanged';

interface Move {
  readonly from: readonly From[];
  readonly to: To;
  /** Only the owner under the current lease may make it. */
  readonly fenced: boolean;
}

/** The table of moves (docs/delivery-guarantees.md, "States"). Nothing else decides where a job may go. */
export const MOVES = {
  start: { from: ['fetched'], to: 'processing', fenced: true },
  release: { from: ['fetched'], to: 'pending', fenced: true },
  reclaim: { from: ['fetched'], to: 'pending', fenced: true },
  skip: { from: ['fetched'], to: 'succeeded', fenced: true },
  postpone: { from: ['fetched'], to: 'pending', fenced: true },
  succeed: { from: ['processing'], to: 'succeeded', fenced: true },
  retry: { from: ['processing'], to: 'pending', fenced: true },
  bury: { from: ['processing'], to: 'dead', fenced: true },
  reject: { from: ['pending', 'fetched'], to: 'dead', fenced: false },
  cancel: { from: ['pending', 'fetched'], to: 'dead', fenced: false },
  requestCancel: { from: ['processing'], to: 'unchanged', fenced: false },
  edit: { from: ['pending', 'fetched'], to: 'pending', fenced: false },
  editDead: { from: ['dead'], to: 'unchanged', fenced: false },
  resurrect: { from: ['dead'], to: 'pending', fenced: false },
  purge: { from: ['dead'], to: 'gone', fenced: false },
  remove: { from: ['succeeded'], to: 'gone', fenced: false },
} as const satisfies Record<string, Move>;

export type MoveName = keyof typeof MOVES;

/** The part of a running job that rules look at. */
export type RunningJob = Pick<ClaimedJob, 'id' | 'leaseId' | 'attempts' | 'firstDueAt' | 'resurrectedAt'> & {
  readonly heartbeatAt?: number | null;
};

/** `now` is the database's time (epoch ms), `random` uniform in [0, 1). */
export interface Moment {
  readonly now: number;
  readonly random: number;
}

const NO_ANSWER: Answer = { responseStatus: null, responseBody: null, error: null };

/** The default of the service. */
const ZOMBIE_TIMEOUT_MS = 10 * 60_000;

/**
 * The start of an attempt: only after this is committed may a byte be sent. A job with a result claim takes it for longer
 * than it could be taken for lost; `zombieTimeoutMs` is the service's limit, that of the job's queue wins.
 */
export function start(job: Pick<ClaimedJob, 'id' | 'leaseId'>, zombieTimeoutMs = ZOMBIE_TIMEOUT_MS): Transition {
  return fenced('start', job, { to: 'processing', zombieTimeoutMs }, { queueRuns: true, circuitAdmits: true });
}

/** The operation of this job has been done by another: archived as a duplicate, without a call. */
export function skip(job: Pick<ClaimedJob, 'id' | 'leaseId'>): Transition {
  return fenced('skip', job, { to: 'succeeded', outcome: 'duplicate', answer: NO_ANSWER });
}

/** Another job runs the operation of this one: it looks again later, without an attempt. */
export function postpone(job: Pick<ClaimedJob, 'id' | 'leaseId'>, dueInMs: number): Transition {
  return fenced('postpone', job, { to: 'pending', dueInMs });
}

/** Gives claimed, unstarted work back; no attempt is counted. */
export function release(job: Pick<ClaimedJob, 'id' | 'leaseId'>): Transition {
  return fenced('release', job, { to: 'pending', dueInMs: null });
}

/** Recovery of work that was claimed but never started by an owner that is late or gone. */
export function reclaim(job: Pick<ClaimedJob, 'id' | 'leaseId'>): Transition {
  return fenced('reclaim', job, { to: 'pending', dueInMs: null });
}

/** Refuses a job before its start, because its payload or its handler makes it impossible. */
export function reject(job: Pick<Job, 'id' | 'round'>, error: string): Transition {
  return unfenced('reject', job, { to: 'dead', reason: 'FatalError', answer: { ...NO_ANSWER, error }, by: null });
}

/** What happens after an attempt: the one place that turns an outcome into the next state. Verdicts: fatal > attempts used up > age. */
export function decide(job: RunningJob, outcome: Outcome, policy: AttemptPolicy, moment: Moment): Transition {
  switch (outcome.kind) {
    case 'succeeded':
      return fenced('succeed', job, { to: 'succeeded', outcome: 'succeeded', answer: answerOf(outcome) });
    case 'fatal':
      return bury(job, outcome, 'FatalError');
    case 'cancelled':
      return bury(job, outcome, 'Cancelled', outcome.by);
    case 'retryable':
    case 'throttled':
      return again(job, outcome, policy, moment);
    case 'timedOut':
      return policy.retryOnTimeout ? again(job, outcome, policy, moment) : bury(job, outcome, 'Timeout');
    case 'interrupted':
      if (outcome.by === 'heartbeat') return bury(job, outcome, 'HeartbeatFailure');
      return policy.retryOnZombie ? again(job, outcome, policy, moment) : bury(job, outcome, 'Zombie');
    case 'expired':
      return policy.retryOnZombie ? again(job, outcome, policy, moment) : bury(job, outcome, 'Zombie');
  }
}

/**
 * The same transition, which also tells the circuit of the handler that was called how the attempt ended, unless there is
 * nothing to tell: a circuit that never moved learns nothing from a success.
 */
export function judged(
  transition: Transition,
  call: { readonly handlerType: string; readonly circuitEpoch: number },
  outcome: Outcome,
): Transition {
  const verdict = verdictOf(outcome);
  if (verdict === 'none' || (verdict === 'success' && call.circuitEpoch === 0)) return transition;
  return { ...transition, circuit: { type: call.handlerType, verdict } };
}

/** Why a job is dead when its last attempt ended in a way that would otherwise be tried again. */
const EXHAUSTED = {
  retryable: 'MaxRetriesExceeded',
  throttled: 'Throttled',
  timedOut: 'Timeout',
  interrupted: 'Zombie',
  expired: 'Zombie',
} as const satisfies Partial<Record<AttemptOutcome, FailureReason>>;

type Repeatable = Extract<Outcome, { readonly kind: keyof typeof EXHAUSTED }>;

function again(job: RunningJob, outcome: Repeatable, policy: AttemptPolicy, moment: Moment): Transition {
  if (job.attempts >= policy.maxAttempts) return bury(job, outcome, EXHAUSTED[outcome.kind]);
  const dueInMs = waitAfter(job, outcome, policy, moment.random);
  const { maxAgeMs } = policy.retry;
  const ageStart = Math.max(job.firstDueAt, job.resurrectedAt ?? 0);
  if (maxAgeMs !== null && moment.now + dueInMs > ageStart + maxAgeMs)
    return bury(job, outcome, 'RetryLifetimeExpired');
  const change: Change = { to: 'pending', dueInMs, answer: answerOf(outcome) };
  return { ...fenced('retry', job, change, { notCancelRequested: true }), attempt: historyOf(outcome) };
}

function waitAfter(job: RunningJob, outcome: Outcome, policy: AttemptPolicy, random: number): number {
  if (outcome.kind === 'interrupted') return 0;
  const asked = outcome.kind === 'retryable' || outcome.kind === 'throttled' ? outcome.askedDelayMs : null;
  return asked === null ? retryDelayMs(policy.retry, job.attempts, random) : requestedDelayMs(policy.retry, asked);
}

function bury(job: RunningJob, outcome: Outcome, reason: FailureReason, by: string | null = null): Transition {
  return { ...fenced('bury', job, { to: 'dead', reason, answer: answerOf(outcome), by }), attempt: historyOf(outcome) };
}

/** An operator stops a job that has not started. */
export function cancel(job: Pick<Job, 'id' | 'round'>, by: string): Transition {
  const error = `cancelled by ${by} before it started`;
  return unfenced('cancel', job, { to: 'dead', reason: 'Cancelled', answer: { ...NO_ANSWER, error }, by });
}

/** An operator, on any node, asks the owner of a running job to abort it. */
export function requestCancel(job: Pick<Job, 'id' | 'round'>, by: string): Transition {
  return unfenced('requestCancel', job, { to: 'cancelRequested', by });
}

/** What stopping a job means in the state it is in: at once, by its owner, or not at all any more (null). */
export function stop(job: Pick<Job, 'id' | 'round' | 'state'>, by: string): Transition | null {
  if (job.state === 'succeeded' || job.state === 'dead') return null;
  return job.state === 'processing' ? requestCancel(job, by) : cancel(job, by);
}

/** An operator changes a job that is not running and has not succeeded, as it was when `version` was read; null otherwise. */
export function edit(
  job: Pick<Job, 'id' | 'round' | 'state' | 'version'>,
  edits: JobEdits,
  by: string,
): Transition | null {
  if (job.state === 'succeeded' || job.state === 'processing') return null;
  const { guard, ...transition } = unfenced(job.state === 'dead' ? 'editDead' : 'edit', job, {
    to: 'edited',
    edits,
    by,
  });
  return { ...transition, guard: { ...guard, version: job.version } };
}

/** An operator deletes a job that has ended; null while it has not. */
export function discard(job: Pick<Job, 'id' | 'round' | 'state'>): Transition | null {
  if (job.state === 'dead') return unfenced('purge', job, { to: 'gone' });
  return job.state === 'succeeded' ? unfenced('remove', job, { to: 'gone' }) : null;
}

/** Back to pending from the DLQ: same id, attempts 0, round + 1, history kept, fresh age; as stored or as edited. */
export function resurrect(job: Pick<Job, 'id' | 'round'>, edits: JobEdits, by: string): Transition {
  return unfenced('resurrect', job, { to: 'resurrected', edits, by });
}

function fenced(
  move: MoveName,
  job: Pick<RunningJob, 'id' | 'leaseId' | 'heartbeatAt'>,
  change: Change,
  extra: Partial<Guard> = {},
): Transition {
  const seen = job.heartbeatAt === undefined ? {} : { heartbeatAt: job.heartbeatAt };
  return { move, jobId: job.id, guard: { states: MOVES[move].from, leaseId: job.leaseId, ...seen, ...extra }, change };
}

function unfenced(move: MoveName, job: Pick<Job, 'id' | 'round'>, change: Change): Transition {
  return { move, jobId: job.id, guard: { states: MOVES[move].from, round: job.round }, change };
}

function answerOf({ responseStatus, responseBody, error }: Answer): Answer {
  return { responseStatus, responseBody, error };
}

function historyOf(outcome: Outcome): Answer & { readonly outcome: AttemptOutcome } {
  return { ...answerOf(outcome), outcome: outcome.kind };
}
