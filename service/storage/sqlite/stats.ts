// Owns the figures over all queues and over time: sums of counters and of buckets, and the folding of old buckets.
import { BY_SECOND_MS, MINUTE_MS, RECENT_MS, type Recent, SECOND_MS } from '../../domain/stats.ts';
import type { SeriesPoint, SeriesRange, Stats } from '../../ports/stats.ts';
import { readBacklogs } from './backlog.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

const TOTALS = `
  SELECT total(pending), total(scheduled), total(fetched), total(processing), total(succeeded), total(dead),
    total(succeeded_total), total(failed_total), total(retried_total)
  FROM stats_summary`;

const RECENT = `
  SELECT queue, total(CASE WHEN at >= ? THEN succeeded END), total(CASE WHEN at >= ? THEN dead END),
    total(succeeded), total(dead)
  FROM metric_buckets WHERE at >= ? AND at <= ?`;
const RECENT_BY_QUEUE = `${RECENT} GROUP BY queue`;
const RECENT_OF_QUEUE = `${RECENT} AND queue = ?`;

const POINT = `
  SELECT total(enqueued), total(succeeded), total(dead), total(failed_attempts), total(retried), total(duration_sum_ms)
  FROM metric_buckets WHERE at >= ? AND at < ?`;
const POINT_OF_QUEUE = `${POINT} AND queue = ?`;

/** Rows of seconds become part of the row of their minute, which may stand already for its first second. */
const FOLD = `
  INSERT INTO metric_buckets (at, queue, enqueued, succeeded, dead, failed_attempts, retried, duration_sum_ms)
  SELECT at - at % ${MINUTE_MS}, queue,
    sum(enqueued), sum(succeeded), sum(dead), sum(failed_attempts), sum(retried), sum(duration_sum_ms)
  FROM metric_buckets WHERE at >= ? AND at < ? AND at % ${MINUTE_MS} <> 0 GROUP BY 1, queue
  ON CONFLICT (at, queue) DO UPDATE SET
    enqueued = enqueued + excluded.enqueued, succeeded = succeeded + excluded.succeeded, dead = dead + excluded.dead,
    failed_attempts = failed_attempts + excluded.failed_attempts, retried = retried + excluded.retried,
    duration_sum_ms = duration_sum_ms + excluded.duration_sum_ms`;
const FOLDED = `DELETE FROM metric_buckets WHERE at >= ? AND at < ? AND at % ${MINUTE_MS} <> 0`;
/** How far back a fold looks; what was missed for longer, because no node ran, stays as it is. */
const FOLD_BACK_MS = 10 * MINUTE_MS;

export const NOTHING_RECENT: Recent = {
  oneMinute: { succeeded: 0, dead: 0 },
  fiveMinutes: { succeeded: 0, dead: 0 },
};

export function readStats(session: Session): Parcel<Stats> {
  const sums = session.row<number[]>(TOTALS) ?? [];
  const [pending = 0, scheduled = 0, fetched = 0, processing = 0, succeeded = 0, dead = 0, ...lifetime] = sums;
  const backlogs = [...readBacklogs(session, null).values()];
  const sum = (of: (backlog: (typeof backlogs)[number]) => number) => backlogs.reduce((all, one) => all + of(one), 0);
  const overdue = sum(one => one.overdue);
  const unroutable = sum(one => one.unroutable);
  const [succeededEver = 0, failed = 0, retried = 0] = lifetime;
  const due = sum(one => one.due);
  return plain({
    counts: {
      ...{ pending: pending + overdue, unroutable, scheduled: scheduled - overdue, fetched, processing },
      ...{ succeeded, dead, failed, retried },
    },
    lifetime: { succeeded: succeededEver, failed, retried },
    lagMs: {
      avg: due === 0 ? 0 : Math.round(sum(one => one.avgLagMs * one.due) / due),
      max: Math.max(0, ...backlogs.map(one => one.maxLagMs)),
    },
    recent: recentIn(session.row(RECENT, ...windows(session))),
    at: session.now,
  });
}

type RecentValues = readonly [queue: string | null, ...sums: number[]];

/** What ended lately in each queue in which something did. */
export function recentByQueue(session: Session): Map<string, Recent> {
  const rows = session.rows<RecentValues>(RECENT_BY_QUEUE, ...windows(session));
  return new Map(rows.map(row => [row[0] ?? '', recentIn(row)]));
}

export function recentOfQueue(session: Session, queue: string): Recent {
  return recentIn(session.row(RECENT_OF_QUEUE, ...windows(session), queue));
}

export function readSeries(session: Session, range: SeriesRange): Parcel<readonly SeriesPoint[]> {
  const points: SeriesPoint[] = [];
  for (let at = range.from; at < range.to; at += range.stepMs) points.push(pointAt(session, at, range));
  return plain(points);
}

function pointAt(session: Session, at: number, { stepMs, queue }: SeriesRange): SeriesPoint {
  const span: readonly Value[] = [at, at + stepMs];
  const sums =
    queue === null ? session.row<number[]>(POINT, ...span) : session.row<number[]>(POINT_OF_QUEUE, ...span, queue);
  const [enqueued = 0, succeeded = 0, dead = 0, failedAttempts = 0, retried = 0, durationMs = 0] = sums ?? [];
  const avgDurationMs = succeeded === 0 ? null : Math.round(durationMs / succeeded);
  return { at, enqueued, succeeded, dead, failedAttempts, retried, avgDurationMs };
}

/** Keeps a long series cheap: minutes that are old enough become one row per queue. */
export function foldBuckets(session: Session): void {
  const until = session.now - BY_SECOND_MS;
  const end = until - (until % MINUTE_MS);
  session.run(FOLD, end - FOLD_BACK_MS, end);
  session.run(FOLDED, end - FOLD_BACK_MS, end);
}

/** The instants that RECENT is asked with: the running second, and whole ones before it. */
function windows({ now }: Session): readonly number[] {
  const second = now - (now % SECOND_MS);
  const [one, five] = [second - RECENT_MS.oneMinute, second - RECENT_MS.fiveMinutes];
  return [one, one, five, now];
}

function recentIn(row: RecentValues | undefined): Recent {
  const [, succeeded = 0, dead = 0, allSucceeded = 0, allDead = 0] = row ?? [null];
  return { oneMinute: { succeeded, dead }, fiveMinutes: { succeeded: allSucceeded, dead: allDead } };
}
