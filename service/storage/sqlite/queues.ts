// Owns queues: their rows, their settings and their live counts.
import type { Fault } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/job.ts';
import { type Queue, type QueueSettings, queueTooMany } from '../../domain/queue.ts';
import type { Configured } from '../../ports/store.ts';
import { NO_BACKLOG, type QueueRow, queueFrom, settingsFrom } from '../queue-rows.ts';
import { readBacklogs } from './backlog.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import { NOTHING_RECENT, recentByQueue, recentOfQueue } from './stats.ts';

const COUNT = 'SELECT count(*) FROM queues';
const CREATE = 'INSERT INTO queues (name, created_at, updated_at) VALUES (?, ?, ?)';
const CREATE_STATS = 'INSERT INTO stats_summary (queue) VALUES (?)';

const SELECT = `
  SELECT name, is_paused, is_active, max_workers, zombie_timeout_ms, execution_timeout_ms,
    archive_retention_ms, dlq_retention_ms, updated_at,
    pending, scheduled, fetched, processing, succeeded, dead, failed_total, retried_total
  FROM queues JOIN stats_summary ON stats_summary.queue = queues.name`;
const LIST = `${SELECT} ORDER BY name`;
const GET = `${SELECT} WHERE name = ?`;

const CONFIGURE = `
  UPDATE queues SET is_paused = ?, is_active = ?, max_workers = ?, zombie_timeout_ms = ?, execution_timeout_ms = ?,
    archive_retention_ms = ?, dlq_retention_ms = ?, updated_at = ?
  WHERE name = ?`;

const CHANGED = "UPDATE revisions SET value = value + 1 WHERE name = 'queues'";
const REVISION = "SELECT value FROM revisions WHERE name = 'queues'";
const REMOVE_LANES = 'DELETE FROM lanes WHERE queue = ?';
const REMOVE_STATS = 'DELETE FROM stats_summary WHERE queue = ?';
const REMOVE = 'DELETE FROM queues WHERE name = ?';

/** To be asked before a new queue is made; `at` is where the request names it. */
export function refuseQueueTooMany(session: Session, name: string, at: Omit<Fault, 'detail'>): void {
  const [count = 0] = session.row<[number]>(COUNT) ?? [];
  if (count >= LIMITS.queueNames) throw queueTooMany(name, at);
}

export function createQueue(session: Session, name: string): void {
  session.run(CREATE, name, session.now, session.now);
  session.run(CREATE_STATS, name);
}

export function listQueues(session: Session): Parcel<readonly Queue[]> {
  const backlogs = readBacklogs(session, null);
  const recent = recentByQueue(session);
  const whole = (row: QueueRow) =>
    queueFrom(row, backlogs.get(row.name) ?? NO_BACKLOG, recent.get(row.name) ?? NOTHING_RECENT);
  return plain(session.records<QueueRow>(LIST).map(whole));
}

export function getQueue(session: Session, name: string): Parcel<Queue | null> {
  const [row] = session.records<QueueRow>(GET, name);
  if (row === undefined) return plain(null);
  const backlog = readBacklogs(session, name).get(name) ?? NO_BACKLOG;
  return plain(queueFrom(row, backlog, recentOfQueue(session, name)));
}

export interface ConfigureInput {
  readonly name: string;
  readonly settings: Partial<QueueSettings>;
  /** A queue that does not exist yet is made. */
  readonly create: boolean;
}

export function configureQueue(session: Session, input: ConfigureInput): Parcel<Configured | null> {
  const { name, settings, create } = input;
  session.flush();
  const [row = create ? made(session, name) : undefined] = session.records<QueueRow>(GET, name);
  if (row === undefined) return plain(null);
  const wanted = { ...settingsFrom(row), ...settings };
  // biome-ignore format: the order of the columns of CONFIGURE
  session.run(
    CONFIGURE,
    Number(wanted.isPaused), Number(wanted.isActive), wanted.maxWorkers, wanted.zombieTimeoutMs, wanted.executionTimeoutMs,
    wanted.archiveRetentionMs, wanted.dlqRetentionMs, session.now, name,
  );
  session.run(CHANGED);
  const [revision = 0] = session.row<[number]>(REVISION) ?? [];
  const queue = getQueue(session, name).body;
  return plain(queue && { queue, revision });
}

function made(session: Session, name: string): QueueRow | undefined {
  refuseQueueTooMany(session, name, { parameter: 'name' });
  createQueue(session, name);
  return session.records<QueueRow>(GET, name)[0];
}

/** Its lifetime totals go with it; its buckets stay, for they are history. */
export function removeQueue(session: Session, name: string): Parcel<'removed' | 'absent' | 'in-use'> {
  session.flush();
  const queue = getQueue(session, name).body;
  // Who saw the queue just before and does not find it has removed it himself, if he may have tried before.
  if (queue === null) return plain(session.replay.isPossible ? 'removed' : 'absent');
  const { pending, scheduled, fetched, processing, succeeded, dead } = queue.counts;
  if (pending + scheduled + fetched + processing + succeeded + dead > 0) return plain('in-use');
  for (const statement of [REMOVE_LANES, REMOVE_STATS, REMOVE]) session.run(statement, name);
  return plain('removed');
}
