// Owns what a queue is: a named lane with its own switches and limits, and the live figures an operator reads.
import { DomainError, type Fault } from './errors.ts';
import { LIMITS } from './job.ts';
import type { Recent } from './stats.ts';

/** What an operator sets. Null = the service's own value holds. */
export interface QueueSettings {
  readonly isPaused: boolean;
  readonly isActive: boolean;
  /** Bounds fetched + processing over all nodes; null = no bound. */
  readonly maxWorkers: number | null;
  readonly zombieTimeoutMs: number | null;
  readonly executionTimeoutMs: number | null;
  /** How long its succeeded, and its dead, jobs are kept. */
  readonly archiveRetentionMs: number | null;
  readonly dlqRetentionMs: number | null;
}

/** Rows now, by state; `failed` and `retried` are lifetime totals that requeue and purge never lower. */
export interface QueueCounts {
  /** Due and waiting, the unroutable ones included. */
  readonly pending: number;
  /** Waiting, due or not, without a handler that could take them. */
  readonly unroutable: number;
  readonly scheduled: number;
  readonly fetched: number;
  readonly processing: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly failed: number;
  readonly retried: number;
}

/** `lagMs` looks at due pending jobs that have a handler: `max` is the oldest one's, 0 when there is none. */
export interface Queue extends QueueSettings {
  readonly name: string;
  readonly counts: QueueCounts;
  readonly lagMs: { readonly avg: number; readonly max: number };
  readonly recent: Recent;
  readonly updatedAt: number;
}

/** The refusal of a queue beyond the limit; `at` is where the request names it. */
export function queueTooMany(name: string, at: Omit<Fault, 'detail'>): DomainError {
  const detail = `the queue ${name} would be one more than ${LIMITS.queueNames}; use an existing queue or delete empty ones`;
  return new DomainError('queue-limit-reached', detail, [{ detail, ...at }]);
}

const HEARTBEATS_PER_ZOMBIE_TIMEOUT = 3;
const ZOMBIE_TIMEOUT_MIN_MS = 1_000;

/** Anything shorter would take a running job from a node that lives, because of one late heartbeat. */
export function shortestZombieTimeoutMs(heartbeatMaxMs: number): number {
  return Math.max(ZOMBIE_TIMEOUT_MIN_MS, HEARTBEATS_PER_ZOMBIE_TIMEOUT * heartbeatMaxMs);
}
