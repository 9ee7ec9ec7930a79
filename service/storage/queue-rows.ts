// Owns how stored rows read as queues, and how the lag of a queue follows from the sums of its lanes, for every SQL adapter.
import type { Queue, QueueSettings } from '../domain/queue.ts';
import type { Recent } from '../domain/stats.ts';

export interface QueueRow {
  readonly name: string;
  readonly is_paused: number;
  readonly is_active: number;
  readonly max_workers: number | null;
  readonly zombie_timeout_ms: number | null;
  readonly execution_timeout_ms: number | null;
  readonly archive_retention_ms: number | null;
  readonly dlq_retention_ms: number | null;
  readonly updated_at: number;
  readonly pending: number;
  readonly scheduled: number;
  readonly fetched: number;
  readonly processing: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly failed_total: number;
  readonly retried_total: number;
}

/** In the order of the settings of a queue's row. */
export const QUEUE_COLUMNS = [
  'name',
  'is_paused',
  'is_active',
  'max_workers',
  'zombie_timeout_ms',
  'execution_timeout_ms',
  'archive_retention_ms',
  'dlq_retention_ms',
  'updated_at',
  'pending',
  'scheduled',
  'fetched',
  'processing',
  'succeeded',
  'dead',
  'failed_total',
  'retried_total',
] as const satisfies readonly (keyof QueueRow)[];

export function settingsFrom(row: QueueRow): QueueSettings {
  return {
    isPaused: row.is_paused === 1,
    isActive: row.is_active === 1,
    maxWorkers: row.max_workers,
    zombieTimeoutMs: row.zombie_timeout_ms,
    executionTimeoutMs: row.execution_timeout_ms,
    archiveRetentionMs: row.archive_retention_ms,
    dlqRetentionMs: row.dlq_retention_ms,
  };
}

/** Work that came due but was not promoted yet counts as pending, as it does in each job's state. */
export function queueFrom(row: QueueRow, backlog: Backlog, recent: Recent): Queue {
  return {
    name: row.name,
    ...settingsFrom(row),
    counts: {
      pending: row.pending + backlog.overdue,
      unroutable: backlog.unroutable,
      scheduled: row.scheduled - backlog.overdue,
      fetched: row.fetched,
      processing: row.processing,
      succeeded: row.succeeded,
      dead: row.dead,
      failed: row.failed_total,
      retried: row.retried_total,
    },
    lagMs: { avg: backlog.avgLagMs, max: backlog.maxLagMs },
    recent,
    updatedAt: row.updated_at,
  };
}

export interface Backlog {
  /** Waiting rows, due or not, without a handler. */
  readonly unroutable: number;
  /** Due rows that wait for their promotion. */
  readonly overdue: number;
  /** Due rows that have a handler: those that the lag is about. */
  readonly due: number;
  readonly avgLagMs: number;
  readonly maxLagMs: number;
}

export const NO_BACKLOG: Backlog = { unroutable: 0, overdue: 0, due: 0, avgLagMs: 0, maxLagMs: 0 };

/** Of one queue, added up over its lanes; `oldestDueAt` is that of the due rows that have a handler. */
export interface BacklogSums {
  unroutable: number;
  overdue: number;
  due: number;
  lagMs: number;
  oldestDueAt: number;
}

export function noBacklogSums(): BacklogSums {
  return { unroutable: 0, overdue: 0, due: 0, lagMs: 0, oldestDueAt: Number.MAX_SAFE_INTEGER };
}

export function backlogFrom(sum: BacklogSums, now: number): Backlog {
  const { unroutable, overdue, due } = sum;
  if (due === 0) return { ...NO_BACKLOG, unroutable, overdue };
  return {
    unroutable,
    overdue,
    due,
    avgLagMs: Math.max(0, Math.round(sum.lagMs / sum.due)),
    maxLagMs: Math.max(0, now - sum.oldestDueAt),
  };
}
