// Owns how late each queue is: averages from the sums of its lanes, the oldest due time from one row per lane and priority.
import { CATCH_ALL } from '../../domain/handler.ts';
import { type Backlog, type BacklogSums, backlogFrom, noBacklogSums } from '../queue-rows.ts';
import { DUE_EPOCH } from './counters.ts';
import type { Session } from './session.ts';

/** Work for which no handler exists adds no lag. */
const ROUTABLE = `EXISTS (SELECT 1 FROM handlers WHERE handlers.type IN (work.type, '${CATCH_ALL}'))`;

const LANES = `
  SELECT queue, type, ready, ready + scheduled, CAST(? AS INTEGER) * ready - due_sum, ${ROUTABLE}
  FROM lanes AS work WHERE ready + scheduled > 0`;
const LANES_OF_QUEUE = `${LANES} AND queue = ?`;

/** Rows that are due but still wait for their promotion: few, because every claim promotes; bounded in any case. */
const OVERDUE = `
  SELECT queue, count(*), sum(is_routable), sum(is_routable * (CAST(? AS INTEGER) - due_at)),
    min(CASE WHEN is_routable THEN due_at END)
  FROM (
    SELECT queue, due_at, ${ROUTABLE} AS is_routable
    FROM jobs_hot AS work INDEXED BY hot_due WHERE promoted = 0 AND due_at <= ? LIMIT 10000)
  GROUP BY queue`;

const OLDEST_BELOW = `
  SELECT priority, due_at FROM jobs_hot INDEXED BY hot_ready
  WHERE status = 0 AND promoted = 1 AND queue = ? AND type = ? AND priority < ?
  ORDER BY priority DESC, due_at LIMIT 1`;

type LaneValues = readonly [
  queue: string,
  type: string,
  ready: number,
  waiting: number,
  lagMs: number,
  isRoutable: number,
];
type OverdueValues = readonly [queue: string, overdue: number, due: number, lagMs: number, oldest: number | null];

/** By queue; `queue` narrows it to one. */
export function readBacklogs(session: Session, queue: string | null): Map<string, Backlog> {
  const sums = new Map<string, BacklogSums>();
  addLanes(session, queue, sums);
  for (const [name, overdue, due, lagMs, oldest] of session.rows<OverdueValues>(OVERDUE, session.now, session.now)) {
    const sum = sumOf(sums, name);
    sum.overdue += overdue;
    sum.due += due;
    sum.lagMs += lagMs;
    sum.oldestDueAt = Math.min(sum.oldestDueAt, oldest ?? session.now);
  }
  return new Map([...sums].map(([name, sum]) => [name, backlogFrom(sum, session.now)]));
}

function addLanes(session: Session, queue: string | null, sums: Map<string, BacklogSums>): void {
  const now = session.now - DUE_EPOCH;
  const lanes =
    queue === null ? session.rows<LaneValues>(LANES, now) : session.rows<LaneValues>(LANES_OF_QUEUE, now, queue);
  for (const [name, type, ready, waiting, lagMs, isRoutable] of lanes) {
    const sum = sumOf(sums, name);
    if (!isRoutable) sum.unroutable += waiting;
    if (!isRoutable || ready === 0) continue;
    sum.due += ready;
    sum.lagMs += lagMs;
    sum.oldestDueAt = Math.min(sum.oldestDueAt, oldestOf(session, name, type));
  }
}

/** Within one priority the lane is ordered by due time, so its first row per priority is enough. */
function oldestOf(session: Session, queue: string, type: string): number {
  let oldest = session.now;
  let above = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const head = session.row<[number, number]>(OLDEST_BELOW, queue, type, above);
    if (head === undefined) return oldest;
    above = head[0];
    oldest = Math.min(oldest, head[1]);
  }
}

function sumOf(sums: Map<string, BacklogSums>, name: string): BacklogSums {
  let sum = sums.get(name);
  if (sum === undefined) {
    sum = noBacklogSums();
    sums.set(name, sum);
  }
  return sum;
}
