// Owns the proof of the moves: what follows from every outcome under every policy, and that builders keep to the table.
import { describe, expect, it } from 'vitest';
import type { FailureReason } from '#service/domain/failure.js';
import { JOB_STATES, type JobState } from '#service/domain/job.js';
import {
  type Change,
  cancel,
  decide,
  discard,
  edit,
  MOVES,
  type Outcome,
  postpone,
  type RunningJob,
  reclaim,
  reject,
  release,
  requestCancel,
  resurrect,
  skip,
  start,
  stop,
  type Transition,
} from '#service/domain/lifecycle.js';
import { type AttemptPolicy, DEFAULT_ATTEMPT_POLICY } from '#service/domain/retry.js';

const ANSWER = { responseStatus: 500, responseBody: 'body', error: 'text' };
const NOW = 1_000_000_000;
const DAY = 86_400_000;
const MOMENT = { now: NOW, random: 0 };
const JOB: RunningJob = { id: 'j', leaseId: 'l', attempts: 1, firstDueAt: NOW - 1_000, resurrectedAt: null };

const OUTCOMES = {
  succeeded: { kind: 'succeeded', ...ANSWER },
  retryable: { kind: 'retryable', askedDelayMs: null, ...ANSWER },
  'retryable, asked to wait 30 s': { kind: 'retryable', askedDelayMs: 30_000, ...ANSWER },
  throttled: { kind: 'throttled', askedDelayMs: null, ...ANSWER },
  'throttled, asked to wait 30 s': { kind: 'throttled', askedDelayMs: 30_000, ...ANSWER },
  'throttled, asked to wait 9 days': { kind: 'throttled', askedDelayMs: 9 * DAY, ...ANSWER },
  fatal: { kind: 'fatal', endpointGone: false, ...ANSWER },
  gone: { kind: 'fatal', endpointGone: true, ...ANSWER },
  timedOut: { kind: 'timedOut', ...ANSWER },
  cancelled: { kind: 'cancelled', by: 'ann', ...ANSWER },
  'interrupted by shutdown': { kind: 'interrupted', by: 'shutdown', ...ANSWER },
  'interrupted by its heartbeat': { kind: 'interrupted', by: 'heartbeat', ...ANSWER },
  expired: { kind: 'expired', ...ANSWER },
} as const satisfies Record<string, Outcome>;

type Name = keyof typeof OUTCOMES;
/** A number is the wait before the next attempt. */
type Verdict = number | FailureReason | 'succeeded';

/** In the order: attempts left · the last attempt · too old · the last attempt and too old. */
const TABLE: Record<Name, readonly [Verdict, Verdict, Verdict, Verdict]> = {
  succeeded: ['succeeded', 'succeeded', 'succeeded', 'succeeded'],
  retryable: [3_000, 'MaxRetriesExceeded', 'RetryLifetimeExpired', 'MaxRetriesExceeded'],
  'retryable, asked to wait 30 s': [30_000, 'MaxRetriesExceeded', 'RetryLifetimeExpired', 'MaxRetriesExceeded'],
  throttled: [3_000, 'Throttled', 'RetryLifetimeExpired', 'Throttled'],
  'throttled, asked to wait 30 s': [30_000, 'Throttled', 'RetryLifetimeExpired', 'Throttled'],
  'throttled, asked to wait 9 days': [3_600_000, 'Throttled', 'RetryLifetimeExpired', 'Throttled'],
  fatal: ['FatalError', 'FatalError', 'FatalError', 'FatalError'],
  gone: ['FatalError', 'FatalError', 'FatalError', 'FatalError'],
  timedOut: ['Timeout', 'Timeout', 'Timeout', 'Timeout'],
  cancelled: ['Cancelled', 'Cancelled', 'Cancelled', 'Cancelled'],
  'interrupted by shutdown': ['Zombie', 'Zombie', 'Zombie', 'Zombie'],
  'interrupted by its heartbeat': Array<Verdict>(4).fill('HeartbeatFailure') as [Verdict, Verdict, Verdict, Verdict],
  expired: ['Zombie', 'Zombie', 'Zombie', 'Zombie'],
};

/** What becomes different when the handler sets `retryOnTimeout` and `retryOnZombie`; exhausted keeps its reason. */
const OPTED_IN: Partial<typeof TABLE> = {
  timedOut: [3_000, 'Timeout', 'RetryLifetimeExpired', 'Timeout'],
  'interrupted by shutdown': [0, 'Zombie', 'RetryLifetimeExpired', 'Zombie'],
  expired: [3_000, 'Zombie', 'RetryLifetimeExpired', 'Zombie'],
};

describe.each([false, true])('what happens after an attempt, with retryOnTimeout and retryOnZombie %s', optedIn => {
  const policy = { ...DEFAULT_ATTEMPT_POLICY, retryOnTimeout: optedIn, retryOnZombie: optedIn };
  const rows = Object.entries({ ...TABLE, ...(optedIn && OPTED_IN) }) as [Name, (typeof TABLE)[Name]][];
  const old = NOW - 2 * DAY;

  it.each(rows)('D2 D5 D6 D7 · %s → %j', (name, verdicts) => {
    const cases = [JOB, { ...JOB, attempts: 3 }, { ...JOB, firstDueAt: old }, { ...JOB, attempts: 3, firstDueAt: old }];
    expect(cases.map(job => verdictOf(decide(job, OUTCOMES[name], policy, MOMENT)))).toEqual(verdicts);
  });

  it.each(rows)('keeps the answer and leaves a row of history after %s, but for a success', (name, [verdict]) => {
    const transition = decide(JOB, OUTCOMES[name], policy, MOMENT);
    expect(transition.change).toMatchObject({ answer: ANSWER });
    const history = { ...ANSWER, outcome: OUTCOMES[name].kind };
    expect(transition.attempt).toEqual(verdict === 'succeeded' ? undefined : history);
  });

  it.each(rows)('C5 · is fenced by the lease after %s', name => {
    const transition = decide({ ...JOB, heartbeatAt: 17 }, OUTCOMES[name], policy, MOMENT);
    expect(transition).toMatchObject({ jobId: 'j', guard: { states: ['processing'], leaseId: 'l', heartbeatAt: 17 } });
    expect(decide(JOB, OUTCOMES[name], policy, MOMENT).guard).not.toHaveProperty('heartbeatAt');
  });
});

describe('the two opt-ins', () => {
  it('are independent of each other', () => {
    const onlyTimeout: AttemptPolicy = { ...DEFAULT_ATTEMPT_POLICY, retryOnTimeout: true };
    const onlyZombie: AttemptPolicy = { ...DEFAULT_ATTEMPT_POLICY, retryOnZombie: true };
    expect(verdictOf(decide(JOB, OUTCOMES.timedOut, onlyZombie, MOMENT))).toBe('Timeout');
    expect(verdictOf(decide(JOB, OUTCOMES.expired, onlyTimeout, MOMENT))).toBe('Zombie');
    expect(verdictOf(decide(JOB, OUTCOMES['interrupted by shutdown'], onlyTimeout, MOMENT))).toBe('Zombie');
  });
});

describe('the age of a job', () => {
  const policy = { ...DEFAULT_ATTEMPT_POLICY, maxAttempts: 1_000 };
  const verdictFor = (job: Partial<RunningJob>, maxAgeMs: number | null = DAY) =>
    verdictOf(
      decide({ ...JOB, ...job }, OUTCOMES.retryable, { ...policy, retry: { ...policy.retry, maxAgeMs } }, MOMENT),
    );

  it('D7 · counts to the next start, to the millisecond, and has no limit when the limit is null', () => {
    expect(verdictFor({ firstDueAt: NOW + 3_000 - DAY })).toBe(3_000);
    expect(verdictFor({ firstDueAt: NOW + 2_999 - DAY })).toBe('RetryLifetimeExpired');
    expect(verdictFor({ firstDueAt: 0 }, null)).toBe(3_000);
  });

  it('D8 · starts afresh with a resurrection, and with the due time of one for later', () => {
    expect(verdictFor({ firstDueAt: 0, resurrectedAt: NOW })).toBe(3_000);
    expect(verdictFor({ firstDueAt: NOW, resurrectedAt: NOW - 2 * DAY })).toBe(3_000);
    expect(verdictFor({ firstDueAt: NOW - 2 * DAY, resurrectedAt: NOW - 2 * DAY })).toBe('RetryLifetimeExpired');
  });
});

describe('a retry', () => {
  it('G2 · does not hold against an operator who asked to cancel meanwhile, and nothing else minds', () => {
    expect(decide(JOB, OUTCOMES.retryable, DEFAULT_ATTEMPT_POLICY, MOMENT).guard.notCancelRequested).toBe(true);
    for (const name of ['succeeded', 'fatal', 'timedOut', 'cancelled'] as const)
      expect(decide(JOB, OUTCOMES[name], DEFAULT_ATTEMPT_POLICY, MOMENT).guard).not.toHaveProperty(
        'notCancelRequested',
      );
  });

  it('uses the chance it is given for jitter, but not below what a handler asked for', () => {
    const wait = (outcome: Outcome) =>
      verdictOf(decide(JOB, outcome, DEFAULT_ATTEMPT_POLICY, { now: NOW, random: 0.5 }));
    expect(wait(OUTCOMES.retryable)).toBe(3_500);
    expect(wait(OUTCOMES['throttled, asked to wait 30 s'])).toBe(30_000);
  });
});

describe('every builder of transitions', () => {
  const owned = { id: 'j', leaseId: 'l', round: 2 };
  const decided = Object.values(OUTCOMES).flatMap(outcome =>
    [1, 3].flatMap(attempts => [decide({ ...JOB, attempts }, outcome, DEFAULT_ATTEMPT_POLICY, MOMENT)]),
  );
  const inState = (state: JobState) => ({ ...owned, state, version: 7 });
  const byOperator = JOB_STATES.flatMap(state => {
    const job = inState(state);
    return [stop(job, 'ann'), edit(job, {}, 'ann'), discard(job)].filter(transition => transition !== null);
  });
  const built: readonly Transition[] = [
    ...byOperator,
    start(owned),
    release(owned),
    reclaim(owned),
    skip(owned),
    postpone(owned, 5),
    reject(owned, 'why'),
    cancel(owned, 'ann'),
    requestCancel(owned, 'ann'),
    resurrect(owned, { priority: 1 }, 'ann'),
    ...decided,
  ];

  it.each(built.map(transition => [transition.move, transition] as const))(
    'obeys the table: %s',
    (name, transition) => {
      const { guard } = transition;
      expect(guard.states).toEqual(MOVES[name].from);
      expect(stateAfter(transition)).toBe(MOVES[name].to);
      if (MOVES[name].fenced) expect(guard.leaseId).toBe('l');
      else expect(guard).toMatchObject({ round: 2 });
      if (!MOVES[name].fenced) expect(guard).not.toHaveProperty('leaseId');
    },
  );

  it('G2 I1 I2 · fits the state that the operator saw', () => {
    const names = JOB_STATES.map(state => {
      const job = inState(state);
      return [state, ...[stop(job, 'ann'), edit(job, {}, 'ann'), discard(job)].map(made => made?.move ?? null)];
    });
    expect(names).toEqual([
      ['scheduled', 'cancel', 'edit', null],
      ['pending', 'cancel', 'edit', null],
      ['fetched', 'cancel', 'edit', null],
      ['processing', 'requestCancel', null, null],
      ['succeeded', null, null, 'remove'],
      ['dead', null, 'editDead', 'purge'],
    ]);
    expect(edit(inState('pending'), { priority: 1 }, 'ann')).toMatchObject({
      guard: { version: 7, round: 2 },
      change: { edits: { priority: 1 }, by: 'ann' },
    });
  });

  it('C1 · is fenced wherever a node moves its own work, and never where an operator does', () => {
    const fenced = Object.entries(MOVES).filter(([, move]) => move.fenced);
    expect(fenced.map(([name]) => name)).toEqual('start release reclaim skip postpone succeed retry bury'.split(' '));
  });

  it('B7 · starts nothing in a queue that stands still', () => {
    expect(start(owned).guard).toMatchObject({ queueRuns: true, circuitAdmits: true });
    expect(built.filter(({ guard }) => guard.queueRuns).map(({ move }) => move)).toEqual(['start']);
  });

  it('G2 · names the actor where an operator acts', () => {
    expect(cancel(owned, 'ann').change).toMatchObject({ by: 'ann', reason: 'Cancelled' });
    expect(requestCancel(owned, 'ann').change).toMatchObject({ by: 'ann' });
    expect(resurrect(owned, {}, 'ann').change).toMatchObject({ by: 'ann' });
    expect(decide(JOB, OUTCOMES.cancelled, DEFAULT_ATTEMPT_POLICY, MOMENT).change).toMatchObject({ by: 'ann' });
  });
});

describe('the table of moves', () => {
  it('leads out of every state, and out of the end states only by an operator', () => {
    const from = (state: string) =>
      Object.entries(MOVES)
        .filter(([, move]) => (move.from as readonly string[]).includes(state))
        .map(([name]) => name);
    expect(from('pending')).toEqual(['reject', 'cancel', 'edit']);
    expect(from('succeeded')).toEqual(['remove']);
    expect(from('dead')).toEqual(['editDead', 'resurrect', 'purge']);
    expect(from('processing')).toEqual(['succeed', 'retry', 'bury', 'requestCancel']);
  });

  it('knows one way into processing', () => {
    expect(Object.entries(MOVES).filter(([, { to }]) => to === 'processing')).toEqual([['start', MOVES.start]]);
  });
});

function verdictOf({ change }: Transition): Verdict | undefined {
  if (change.to === 'pending') return change.dueInMs ?? undefined;
  if (change.to === 'dead') return change.reason;
  return change.to === 'succeeded' ? 'succeeded' : undefined;
}

function stateAfter({ move, change }: Transition): string {
  const spoken: Partial<Record<Change['to'], string>> = { resurrected: 'pending', cancelRequested: 'unchanged' };
  if (change.to === 'edited') return move === 'editDead' ? 'unchanged' : 'pending';
  return spoken[change.to] ?? change.to;
}
