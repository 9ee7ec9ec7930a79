// Owns the figures over all queues and over time: sums of counters and of buckets.
import { RECENT_MS, type Recent, SECOND_MS } from '../../domain/stats.ts';
import type { SeriesPoint, SeriesRange, Stats, StatsStore } from '../../ports/stats.ts';
import { BACKLOG_SETS, backlogsFrom, READ_BACKLOGS } from './backlog.ts';
import type { Answer, Session } from './session.ts';

const SUMS = ['pending', 'scheduled', 'fetched', 'processing', 'succeeded', 'dead'] as const;
const TOTALS = [...SUMS, 'succeeded_total', 'failed_total', 'retried_total'] as const;

/** What ended lately in each queue in which something did, removed ones included: the running second, and whole ones before it. */
export const READ_RECENT = `
  DECLARE @second BIGINT = @now - @now % ${SECOND_MS};
  SELECT queue,
    SUM(CASE WHEN at >= @second - ${RECENT_MS.oneMinute} THEN succeeded ELSE 0 END) AS succeeded_1m,
    SUM(CASE WHEN at >= @second - ${RECENT_MS.oneMinute} THEN dead ELSE 0 END) AS dead_1m,
    SUM(succeeded) AS succeeded_5m, SUM(dead) AS dead_5m
  FROM chokaq.metric_buckets
  WHERE at >= @second - ${RECENT_MS.fiveMinutes} AND at <= @now AND (@queue IS NULL OR queue = @queue)
  GROUP BY queue;`;

const READ = `
  ${READ_BACKLOGS}
  ${READ_RECENT}
  SELECT ${TOTALS.map(name => `COALESCE(SUM(${name}), 0) AS ${name}`).join(', ')} FROM chokaq.stats_summary;`;

/** A row for each step in which something happened. */
const SERIES = `
  SELECT p.step, SUM(p.enqueued) AS enqueued, SUM(p.succeeded) AS succeeded, SUM(p.dead) AS dead,
    SUM(p.failed_attempts) AS failed_attempts, SUM(p.retried) AS retried, SUM(p.duration_sum_ms) AS duration_ms
  FROM (SELECT (at - @from) / @step_ms AS step, enqueued, succeeded, dead, failed_attempts, retried, duration_sum_ms
    FROM chokaq.metric_buckets WHERE at >= @from AND at < @to AND (@queue IS NULL OR queue = @queue)) p
  GROUP BY p.step;`;

export const NOTHING_RECENT: Recent = {
  oneMinute: { succeeded: 0, dead: 0 },
  fiveMinutes: { succeeded: 0, dead: 0 },
};

export function statsOver(session: Session): StatsStore {
  return {
    read: async () => statsFrom(await session.read('readStats', READ, { queue: null })),
    series: range => readSeries(session, range),
  };
}

interface RecentRow {
  readonly queue: string;
  readonly succeeded_1m: number;
  readonly dead_1m: number;
  readonly succeeded_5m: number;
  readonly dead_5m: number;
}

/** By queue, from the set of `READ_RECENT` at place `set`. */
export function recentFrom(answer: Answer, set: number): Map<string, Recent> {
  return new Map(answer.rows<RecentRow>(set).map(row => [row.queue, recentOf(row)]));
}

function recentOf(row: RecentRow): Recent {
  return {
    oneMinute: { succeeded: row.succeeded_1m, dead: row.dead_1m },
    fiveMinutes: { succeeded: row.succeeded_5m, dead: row.dead_5m },
  };
}

function statsFrom(answer: Answer): Stats {
  const row = answer.row<Record<(typeof TOTALS)[number], number>>(BACKLOG_SETS + 1);
  const sums = row ?? { ...NO_SUMS, succeeded_total: 0, failed_total: 0, retried_total: 0 };
  const backlogs = [...backlogsFrom(answer, 0).values()];
  const sum = (of: (backlog: (typeof backlogs)[number]) => number) => backlogs.reduce((all, one) => all + of(one), 0);
  const [overdue, due] = [sum(one => one.overdue), sum(one => one.due)];
  const { fetched, processing, succeeded, dead } = sums;
  const { succeeded_total, failed_total: failed, retried_total: retried } = sums;
  return {
    counts: {
      ...{
        pending: sums.pending + overdue,
        unroutable: sum(one => one.unroutable),
        scheduled: sums.scheduled - overdue,
      },
      ...{ fetched, processing, succeeded, dead, failed, retried },
    },
    lifetime: { succeeded: succeeded_total, failed, retried },
    lagMs: {
      avg: due === 0 ? 0 : Math.round(sum(one => one.avgLagMs * one.due) / due),
      max: Math.max(0, ...backlogs.map(one => one.maxLagMs)),
    },
    recent: total([...recentFrom(answer, BACKLOG_SETS).values()]),
    at: answer.now,
  };
}

const NO_SUMS = { pending: 0, scheduled: 0, fetched: 0, processing: 0, succeeded: 0, dead: 0 };

function total(all: readonly Recent[]): Recent {
  const over = (window: keyof Recent) => ({
    succeeded: all.reduce((sum, one) => sum + one[window].succeeded, 0),
    dead: all.reduce((sum, one) => sum + one[window].dead, 0),
  });
  return { oneMinute: over('oneMinute'), fiveMinutes: over('fiveMinutes') };
}

interface PointRow {
  readonly step: number;
  readonly enqueued: number;
  readonly succeeded: number;
  readonly dead: number;
  readonly failed_attempts: number;
  readonly retried: number;
  readonly duration_ms: number;
}

async function readSeries(session: Session, { from, to, stepMs, queue }: SeriesRange): Promise<readonly SeriesPoint[]> {
  const steps = Math.max(0, Math.ceil((to - from) / stepMs));
  const values = { from, to: from + steps * stepMs, step_ms: stepMs, queue };
  const rows = (await session.read('readSeries', SERIES, values)).rows<PointRow>();
  const byStep = new Map(rows.map(row => [row.step, row]));
  return Array.from({ length: steps }, (_, step) => pointFrom(from + step * stepMs, byStep.get(step)));
}

function pointFrom(at: number, row: PointRow | undefined): SeriesPoint {
  const {
    enqueued = 0,
    succeeded = 0,
    dead = 0,
    failed_attempts: failedAttempts = 0,
    retried = 0,
    duration_ms = 0,
  } = row ?? {};
  const avgDurationMs = succeeded === 0 ? null : Math.round(duration_ms / succeeded);
  return { at, enqueued, succeeded, dead, failedAttempts, retried, avgDurationMs };
}
