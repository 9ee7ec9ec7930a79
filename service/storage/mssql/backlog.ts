// Owns how late each queue is: averages from the sums of its lanes, the oldest due time from one row per lane and priority.
import { CATCH_ALL } from '../../domain/handler.ts';
import { type Backlog, type BacklogSums, backlogFrom, noBacklogSums } from '../queue-rows.ts';
import { DUE_EPOCH, EXACT } from './counters.ts';
import type { Answer } from './session.ts';

const routable = (type: string) =>
  `CASE WHEN EXISTS (SELECT 1 FROM chokaq.handlers h WHERE h.type = ${type} OR h.type = '${CATCH_ALL}') THEN 1 ELSE 0 END`;

const NAMES = `queue NVARCHAR(510) ${EXACT} NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL`;

const LANES = `
  DECLARE @lanes TABLE (${NAMES}, ready BIGINT, waiting BIGINT, lag_ms BIGINT, is_routable INT);
  INSERT INTO @lanes (queue, type, ready, waiting, lag_ms, is_routable)
  SELECT l.queue, l.type, l.ready, l.ready + l.scheduled, (@now - ${DUE_EPOCH}) * l.ready - l.due_sum, ${routable('l.type')}
  FROM chokaq.lanes l WHERE l.ready + l.scheduled > 0 AND (@queue IS NULL OR l.queue = @queue);`;

/** Within one priority a lane is ordered by due time, so its first row per priority is enough: a round for each priority in use. */
const HEADS = `
  DECLARE @heads TABLE (round INT, ${NAMES}, priority INT, due_at BIGINT);
  DECLARE @round INT = 0;
  INSERT INTO @heads (round, queue, type, priority, due_at)
  SELECT 0, queue, type, 2147483647, NULL FROM @lanes WHERE is_routable = 1 AND ready > 0;
  WHILE @@ROWCOUNT > 0
  BEGIN
    SET @round = @round + 1;
    INSERT INTO @heads (round, queue, type, priority, due_at)
    SELECT @round, h.queue, h.type, n.priority, n.due_at
    FROM @heads h CROSS APPLY (
      SELECT TOP (1) j.priority, j.due_at FROM chokaq.jobs_hot j
      WHERE j.status = 0 AND j.promoted = 1 AND j.queue = h.queue AND j.type = h.type AND j.priority < h.priority
      ORDER BY j.priority DESC, j.due_at) n
    WHERE h.round = @round - 1;
  END`;

/** Rows that are due but still wait for their promotion: few, because every claim promotes; bounded in any case. */
const OVERDUE = `
  SELECT o.queue, COUNT(*) AS overdue, SUM(o.is_routable) AS due, SUM(o.is_routable * (@now - o.due_at)) AS lag_ms,
    MIN(CASE WHEN o.is_routable = 1 THEN o.due_at END) AS oldest_due_at
  FROM (SELECT TOP (10000) j.queue, j.due_at, ${routable('j.type')} AS is_routable
    FROM chokaq.jobs_hot j WHERE j.promoted = 0 AND j.due_at <= @now) o
  WHERE @queue IS NULL OR o.queue = @queue
  GROUP BY o.queue;`;

/** Three sets; `@queue` narrows them to one queue, or is null. */
export const READ_BACKLOGS = `
  ${LANES} ${HEADS}
  SELECT queue, ready, waiting, lag_ms, is_routable FROM @lanes;
  SELECT queue, MIN(due_at) AS oldest_due_at FROM @heads WHERE due_at IS NOT NULL GROUP BY queue;
  ${OVERDUE}`;

export const BACKLOG_SETS = 3;

interface LaneRow {
  readonly queue: string;
  readonly ready: number;
  readonly waiting: number;
  readonly lag_ms: number;
  readonly is_routable: number;
}

interface OverdueRow {
  readonly queue: string;
  readonly overdue: number;
  readonly due: number;
  readonly lag_ms: number;
  readonly oldest_due_at: number | null;
}

/** By queue, from the sets of `READ_BACKLOGS` at place `first`. */
export function backlogsFrom(answer: Answer, first: number): Map<string, Backlog> {
  const sums = new Map<string, BacklogSums>();
  for (const lane of answer.rows<LaneRow>(first)) addLane(sumOf(sums, lane.queue), lane);
  for (const { queue, oldest_due_at: oldest } of answer.rows<{ queue: string; oldest_due_at: number }>(first + 1)) {
    sumOf(sums, queue).oldestDueAt = oldest;
  }
  for (const row of answer.rows<OverdueRow>(first + 2)) addOverdue(sumOf(sums, row.queue), row, answer.now);
  return new Map([...sums].map(([name, sum]) => [name, backlogFrom(sum, answer.now)]));
}

function addLane(sum: BacklogSums, { ready, waiting, lag_ms, is_routable }: LaneRow): void {
  if (is_routable === 0) sum.unroutable += waiting;
  if (is_routable === 0 || ready === 0) return;
  sum.due += ready;
  sum.lagMs += lag_ms;
}

function addOverdue(sum: BacklogSums, { overdue, due, lag_ms, oldest_due_at }: OverdueRow, now: number): void {
  sum.overdue += overdue;
  sum.due += due;
  sum.lagMs += lag_ms;
  sum.oldestDueAt = Math.min(sum.oldestDueAt, oldest_due_at ?? now);
}

function sumOf(sums: Map<string, BacklogSums>, name: string): BacklogSums {
  let sum = sums.get(name);
  if (sum === undefined) {
    sum = noBacklogSums();
    sums.set(name, sum);
  }
  return sum;
}
