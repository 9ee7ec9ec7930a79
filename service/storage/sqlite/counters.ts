// Owns the counters: what a transaction's moves add up to, folded in memory and written once, before its claims and its end.
import type { Statements } from './statements.ts';

/** Sums of due times are kept relative to this instant, so that 64 bits hold them for any backlog. */
export const DUE_EPOCH = 1_700_000_000_000;

const COUNT_QUEUE = `
  UPDATE stats_summary SET
    pending = pending + CAST(? AS INTEGER), scheduled = scheduled + CAST(? AS INTEGER),
    fetched = fetched + CAST(? AS INTEGER), processing = processing + CAST(? AS INTEGER),
    succeeded = succeeded + CAST(? AS INTEGER), dead = dead + CAST(? AS INTEGER),
    succeeded_total = succeeded_total + CAST(? AS INTEGER), failed_total = failed_total + CAST(? AS INTEGER),
    retried_total = retried_total + CAST(? AS INTEGER)
  WHERE queue = ?`;

const COUNT_LANE = `
  INSERT INTO lanes (ready, scheduled, fetched, processing, due_sum, queue, type) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (queue, type) DO UPDATE SET
    ready = ready + excluded.ready, scheduled = scheduled + excluded.scheduled,
    fetched = fetched + excluded.fetched, processing = processing + excluded.processing,
    due_sum = due_sum + excluded.due_sum`;

const FIND_HEAD = `
  UPDATE lanes SET (head_priority, head_due_at) = (
    SELECT priority, due_at FROM jobs_hot INDEXED BY hot_ready
    WHERE status = 0 AND promoted = 1 AND queue = ? AND type = ?
    ORDER BY priority DESC, due_at, created_at, id LIMIT 1)
  WHERE queue = ? AND type = ?`;

const COUNT_BUCKET = `
  INSERT INTO metric_buckets (enqueued, succeeded, dead, failed_attempts, retried, duration_sum_ms, at, queue)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (at, queue) DO UPDATE SET
    enqueued = enqueued + excluded.enqueued, succeeded = succeeded + excluded.succeeded, dead = dead + excluded.dead,
    failed_attempts = failed_attempts + excluded.failed_attempts, retried = retried + excluded.retried,
    duration_sum_ms = duration_sum_ms + excluded.duration_sum_ms`;

/** Where a row counts: the columns of `stats_summary`. */
export type Place = 'pending' | 'scheduled' | 'fetched' | 'processing' | 'succeeded' | 'dead';

/** What a row must tell to be counted. */
export interface Counted {
  readonly queue: string;
  readonly type: string;
  readonly dueAt: number;
}

interface QueueSums {
  pending: number;
  scheduled: number;
  fetched: number;
  processing: number;
  succeeded: number;
  dead: number;
  succeededTotal: number;
  failedTotal: number;
  retriedTotal: number;
  enqueued: number;
  failedAttempts: number;
  durationMs: number;
  readonly lanes: Map<string, LaneSums>;
}

interface LaneSums {
  pending: number;
  scheduled: number;
  fetched: number;
  processing: number;
  dueSum: number;
  isHeadStale: boolean;
}

/** The sums of the running transaction; empty between transactions. */
export class Counters {
  #queues = new Map<string, QueueSums>();

  /** A row leaves one place and enters another; null is outside of the tables. */
  move(row: Counted, from: Place | null, to: Place | null): void {
    const queue = this.#queue(row.queue);
    if (from !== null) queue[from] -= 1;
    if (to !== null) queue[to] += 1;
    if (isHot(from)) count(laneOf(queue, row.type), from, row.dueAt, -1);
    if (isHot(to)) count(laneOf(queue, row.type), to, row.dueAt, 1);
  }

  enqueued(queue: string): void {
    this.#queue(queue).enqueued += 1;
  }

  succeeded(queue: string, durationMs: number): void {
    const sums = this.#queue(queue);
    sums.succeededTotal += 1;
    sums.durationMs += durationMs;
  }

  died(queue: string): void {
    this.#queue(queue).failedTotal += 1;
  }

  failedAttempt(queue: string): void {
    this.#queue(queue).failedAttempts += 1;
  }

  retried(queue: string): void {
    this.#queue(queue).retriedTotal += 1;
  }

  /** Forgets what was not written: its rows were rolled back. */
  discard(): void {
    this.#queues = new Map();
  }

  flush(statements: Statements, now: number): void {
    if (this.#queues.size === 0) return;
    const second = now - (now % 1_000);
    for (const [name, sums] of this.#queues) {
      writeQueue(statements, name, sums);
      for (const [type, lane] of sums.lanes) writeLane(statements, name, type, lane);
      writeBucket(statements, name, second, sums);
    }
    this.#queues = new Map();
  }

  #queue(name: string): QueueSums {
    let sums = this.#queues.get(name);
    if (sums === undefined) {
      sums = { ...NO_SUMS, lanes: new Map() };
      this.#queues.set(name, sums);
    }
    return sums;
  }
}

const NO_SUMS = {
  pending: 0,
  scheduled: 0,
  fetched: 0,
  processing: 0,
  succeeded: 0,
  dead: 0,
  succeededTotal: 0,
  failedTotal: 0,
  retriedTotal: 0,
  enqueued: 0,
  failedAttempts: 0,
  durationMs: 0,
};

type HotPlace = 'pending' | 'scheduled' | 'fetched' | 'processing';

function isHot(place: Place | null): place is HotPlace {
  return place !== null && place !== 'succeeded' && place !== 'dead';
}

function laneOf(queue: QueueSums, type: string): LaneSums {
  let lane = queue.lanes.get(type);
  if (lane === undefined) {
    lane = { pending: 0, scheduled: 0, fetched: 0, processing: 0, dueSum: 0, isHeadStale: false };
    queue.lanes.set(type, lane);
  }
  return lane;
}

function count(lane: LaneSums, place: HotPlace, dueAt: number, step: 1 | -1): void {
  lane[place] += step;
  if (place !== 'pending') return;
  lane.dueSum += step * (dueAt - DUE_EPOCH);
  lane.isHeadStale = true;
}

function writeQueue(statements: Statements, name: string, sums: QueueSums): void {
  statements.run(
    COUNT_QUEUE,
    sums.pending,
    sums.scheduled,
    sums.fetched,
    sums.processing,
    sums.succeeded,
    sums.dead,
    sums.succeededTotal,
    sums.failedTotal,
    sums.retriedTotal,
    name,
  );
}

function writeLane(statements: Statements, queue: string, type: string, lane: LaneSums): void {
  statements.run(COUNT_LANE, lane.pending, lane.scheduled, lane.fetched, lane.processing, lane.dueSum, queue, type);
  if (lane.isHeadStale) statements.run(FIND_HEAD, queue, type, queue, type);
}

function writeBucket(statements: Statements, queue: string, second: number, sums: QueueSums): void {
  const { enqueued, succeededTotal, failedTotal, failedAttempts, retriedTotal, durationMs } = sums;
  if (enqueued + succeededTotal + failedTotal + failedAttempts + retriedTotal === 0) return;
  statements.run(
    COUNT_BUCKET,
    enqueued,
    succeededTotal,
    failedTotal,
    failedAttempts,
    retriedTotal,
    durationMs,
    second,
    queue,
  );
}
