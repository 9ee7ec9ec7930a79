// Owns what is measured: decorators around the ports, so that the code measured does not know it.
import type { CircuitEvent } from '../domain/circuit.ts';
import { DomainError } from '../domain/errors.ts';
import type { NewJob } from '../domain/job.ts';
import type { Transition } from '../domain/lifecycle.ts';
import type { CircuitOrdered, CircuitStore } from '../ports/circuits.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { Applied, Claim, Inserted, JobStore, Store } from '../ports/store.ts';
import type { Metrics } from './metrics.ts';

type Held = Extract<Applied, { readonly held: true }>;
type NotHeld = Extract<Applied, { readonly held: false }>;

/** The same store; what it commits is counted after the commit, and its verbs are timed. */
export function measuredStore(store: Store, metrics: Metrics): Store {
  const lifecycle = { check: () => store.check(), close: () => store.close() };
  const circuits = measuredCircuits(store.circuits, metrics);
  return { ...store, ...lifecycle, jobs: measuredJobs(store.jobs, metrics), circuits };
}

function measuredJobs(jobs: JobStore, metrics: Metrics): JobStore {
  return {
    insert: posted => timed(metrics, 'insert', inserted(metrics, posted, jobs.insert(posted))),
    claim: request => timed(metrics, 'claim', jobs.claim(request), claim => countStarted(metrics, claim)),
    apply: moves => timed(metrics, 'apply', jobs.apply(moves), applied => countApplied(metrics, moves, applied)),
    heartbeat: (owner, leaseIds) => timed(metrics, 'heartbeat', jobs.heartbeat(owner, leaseIds)),
    stale: request => timed(metrics, 'stale', jobs.stale(request)),
    get: id => timed(metrics, 'get', jobs.get(id)),
    list: (filter, page) => timed(metrics, 'list', jobs.list(filter, page)),
    attempts: id => timed(metrics, 'attempts', jobs.attempts(id)),
    retain: limits => timed(metrics, 'retain', jobs.retain(limits)),
  };
}

function measuredCircuits(circuits: CircuitStore, metrics: Metrics): CircuitStore {
  const counted = async (order: Promise<CircuitOrdered | null>) => {
    const ordered = await order;
    if (ordered?.event) countCircuit(metrics, ordered.event);
    return ordered;
  };
  return {
    list: () => circuits.list(),
    open: type => counted(circuits.open(type)),
    reset: type => counted(circuits.reset(type)),
  };
}

function countCircuit(metrics: Metrics, { type, event }: CircuitEvent): void {
  metrics.count('circuitEvents', { type: metrics.budget.type(type), event });
}

async function timed<T>(metrics: Metrics, operation: string, work: Promise<T>, done?: (result: T) => void): Promise<T> {
  const startedAt = performance.now();
  try {
    const result = await work;
    done?.(result);
    return result;
  } finally {
    metrics.observe('storage', { operation }, (performance.now() - startedAt) / 1_000);
  }
}

async function inserted(metrics: Metrics, posted: readonly NewJob[], storing: Promise<readonly Inserted[]>) {
  try {
    const stored = await storing;
    for (const [at, one] of stored.entries()) countInserted(metrics, one, posted[at]?.idempotencyKey ?? null);
    return stored;
  } catch (error) {
    if (error instanceof DomainError && KEY_CONFLICTS.includes(error.code))
      metrics.count('idempotency', { outcome: 'conflict' });
    throw error;
  }
}

const KEY_CONFLICTS: readonly string[] = ['idempotency-conflict', 'conflict-state'];

function countInserted(metrics: Metrics, { job, duplicate }: Inserted, key: string | null): void {
  if (!duplicate) metrics.count('enqueued', metrics.budget.pair(job.queue, job.type));
  if (key !== null) metrics.count('idempotency', { outcome: duplicate ? 'duplicate' : 'stored' });
}

function countStarted(metrics: Metrics, claim: Claim): void {
  for (const event of claim.circuitEvents) countCircuit(metrics, event);
  for (const { queue, state, startedAt, dueAt } of claim.jobs) {
    if (state !== 'processing' || startedAt === null) continue;
    observeLag(metrics, queue, startedAt - dueAt);
  }
}

function observeLag(metrics: Metrics, queue: string, lagMs: number): void {
  metrics.observe('lag', { queue: metrics.budget.queue(queue) }, Math.max(0, lagMs) / 1_000);
}

function countApplied(metrics: Metrics, moves: readonly Transition[], applied: readonly Applied[]): void {
  moves.forEach((move, at) => {
    const result = applied[at];
    if (result?.held) countMove(metrics, move, result);
    else if (result) countRefusal(metrics, move, result.why);
  });
}

function countRefusal(metrics: Metrics, { move }: Transition, why: NotHeld['why']): void {
  if (why === 'lost') metrics.count('conflicts', { transition: move });
  if (why === 'operation-done') metrics.count('idempotency', { outcome: 'done' });
  if (why === 'operation-held') metrics.count('idempotency', { outcome: 'held' });
}

function countMove(metrics: Metrics, transition: Transition, result: Held): void {
  const { move, change, attempt } = transition;
  if (result.circuitEvent) countCircuit(metrics, result.circuitEvent);
  if (result.started?.tookClaim) metrics.count('idempotency', { outcome: 'run' });
  if (result.started) observeLag(metrics, result.queue, result.at - result.started.dueAt);
  const pair = metrics.budget.pair(result.queue, result.type);
  if (attempt) metrics.count('failed', { ...pair, error: attempt.outcome });
  if (attempt?.outcome === 'expired') metrics.count('recovered', { kind: 'zombie' });
  if (move === 'reclaim') metrics.count('recovered', { kind: 'fetched' });
  if (move === 'succeed') metrics.count('completed', pair);
  if (move === 'retry') metrics.count('retried', pair);
  if (change.to === 'dead') metrics.count('dead', { ...pair, reason: change.reason });
  const ended = move === 'succeed' || attempt !== undefined;
  if (!ended || result.startedAt === null) return;
  metrics.observe('processing', { queue: pair.queue }, Math.max(0, result.at - result.startedAt) / 1_000);
}

/** A heartbeat that could not be stored, by the queues of the jobs it was for. */
export function countFailedBeat(metrics: Metrics, queues: ReadonlySet<string>): void {
  for (const queue of queues.size > 0 ? queues : ['']) {
    metrics.count('heartbeatFailures', { queue: metrics.budget.queue(queue) });
  }
}

/** The same delivery; answers are counted by class of status. */
export function measuredDelivery(delivery: Delivery, metrics: Metrics): Delivery {
  return {
    deliver: async call => {
      const outcome = await delivery.deliver(call);
      const status_class = outcome.responseStatus === null ? 'none' : `${Math.floor(outcome.responseStatus / 100)}xx`;
      metrics.count('responses', { type: metrics.budget.type(call.job.type), status_class });
      return outcome;
    },
    ping: handler => delivery.ping(handler),
    refusal: url => delivery.refusal(url),
    close: () => delivery.close(),
  };
}
