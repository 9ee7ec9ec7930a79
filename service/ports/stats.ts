// Owns what the service asks of storage about figures: totals from counters, and the past from buckets.
import type { QueueCounts } from '../domain/queue.ts';
import type { Recent } from '../domain/stats.ts';

/** Over all queues. */
export interface Stats {
  readonly counts: QueueCounts;
  /** Over the life of the queues that exist; requeue, purge and retention never lower them. */
  readonly lifetime: { readonly succeeded: number; readonly failed: number; readonly retried: number };
  readonly lagMs: { readonly avg: number; readonly max: number };
  readonly recent: Recent;
  /** The database's time, epoch ms. */
  readonly at: number;
}

/** Instants in epoch ms; `from` is inclusive, `to` exclusive. */
export interface SeriesRange {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** Null = all queues together, removed ones included. */
  readonly queue: string | null;
}

/** What happened from `at` on for one step. */
export interface SeriesPoint {
  readonly at: number;
  readonly enqueued: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly failedAttempts: number;
  readonly retried: number;
  /** Mean time from start to end of what succeeded; null when nothing did. */
  readonly avgDurationMs: number | null;
}

export interface StatsStore {
  /** The cost does not depend on how many jobs there are. */
  read(): Promise<Stats>;
  /** A point for every step of the range, also where nothing happened. */
  series(range: SeriesRange): Promise<readonly SeriesPoint[]>;
}
