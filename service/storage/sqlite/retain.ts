// Owns what is thrown away: what is past its retention, batch by batch, and the oldest rows of a full memory store.
import type { RetentionLimits } from '../../ports/store.ts';
import { type EndedRow, purge, remove } from './ended-moves.ts';
import { forgetOperations } from './operations.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import { UP_TO } from './statements.ts';
import { foldBuckets } from './stats.ts';

/** Queue by queue, each by its own limit: what one keeps for longer is never looked at on the way to what another drops. */
const EXPIRED_ARCHIVED = `
  SELECT jobs.id, jobs.seq, jobs.queue, jobs.type, NULL
  FROM queues CROSS JOIN jobs_archive AS jobs INDEXED BY archive_finished
    ON jobs.queue = queues.name AND jobs.finished_at < ? - coalesce(queues.archive_retention_ms, ?) ${UP_TO}`;
const EXPIRED_DEAD = `
  SELECT jobs.id, jobs.seq, jobs.queue, jobs.type, jobs.error_family
  FROM queues CROSS JOIN jobs_dlq AS jobs INDEXED BY dlq_failed_queue
    ON jobs.queue = queues.name AND jobs.failed_at < ? - coalesce(queues.dlq_retention_ms, ?) ${UP_TO}`;

/** The archive's seq grows in the order of finishing. */
const OLDEST_ARCHIVED = `SELECT id, seq, queue, type, NULL FROM jobs_archive ORDER BY seq ${UP_TO}`;
const OLDEST_DEAD = `SELECT id, seq, queue, type, error_family FROM jobs_dlq INDEXED BY dlq_failed ORDER BY failed_at ${UP_TO}`;

const BUCKETS = `
  DELETE FROM metric_buckets WHERE (at, queue) IN (SELECT at, queue FROM metric_buckets WHERE at < ? ORDER BY at ${UP_TO})`;
const AUDIT = `
  DELETE FROM audit_log WHERE seq IN (SELECT seq FROM audit_log INDEXED BY audit_at WHERE at < ? ORDER BY at ${UP_TO})`;
const CLAIMS = `
  DELETE FROM idempotency_claims WHERE idempotency_key IN (
    SELECT idempotency_key FROM idempotency_claims INDEXED BY claims_expiry WHERE expires_at < ? ORDER BY expires_at ${UP_TO})`;

/** Lanes that stand empty: types come and go, and nothing else would ever remove them. */
const EMPTY_LANES = `
  DELETE FROM lanes WHERE (queue, type) IN (
    SELECT queue, type FROM lanes WHERE ready = 0 AND scheduled = 0 AND fetched = 0 AND processing = 0 ${UP_TO})`;

/** Nodes killed on hosts that never come back, as containers are: only a process of the same host could know them to be gone. */
const SILENT_NODES = `
  DELETE FROM nodes WHERE id IN (SELECT id FROM nodes WHERE seen_at < ? ORDER BY seen_at ${UP_TO})`;
const SILENT_NODE_KEPT_MS = 2 * 86_400_000;

const ROWS = 'SELECT sum(pending + scheduled + fetched + processing + succeeded + dead) FROM stats_summary';

export function retain(session: Session, limits: RetentionLimits): Parcel<number> {
  const { now } = session;
  const { batch } = limits;
  session.flush();
  let removed = 0;
  removed += drop(session, ended(session, EXPIRED_ARCHIVED, now, limits.archiveMs, batch), remove);
  removed += drop(session, ended(session, EXPIRED_DEAD, now, limits.dlqMs, batch), purge);
  removed += session.run(BUCKETS, now - limits.bucketsMs, batch);
  removed += session.run(AUDIT, now - limits.auditMs, batch);
  removed += session.run(CLAIMS, now, batch);
  foldBuckets(session);
  removed += forgetOperations(session, batch);
  session.run(EMPTY_LANES, batch);
  session.run(SILENT_NODES, now - SILENT_NODE_KEPT_MS, batch);
  return plain(removed);
}

/** Keeps a full store within its capacity: the archive gives way first, then the DLQ, hot jobs never. */
export function makeRoom(session: Session): void {
  if (session.capacity === null) return;
  session.flush();
  const [rows = 0] = session.row<[number]>(ROWS) ?? [];
  let excess = rows - session.capacity;
  if (excess > 0) excess -= drop(session, ended(session, OLDEST_ARCHIVED, excess), remove);
  if (excess > 0) drop(session, ended(session, OLDEST_DEAD, excess), purge);
}

function ended(session: Session, sql: string, ...values: readonly number[]): readonly EndedRow[] {
  return session
    .rows<[string, number, string, string, number | null]>(sql, ...values)
    .map(([id, seq, queue, type, family]) => ({ id, seq, queue, type, family }));
}

function drop(session: Session, rows: readonly EndedRow[], go: (session: Session, row: EndedRow) => void): number {
  for (const row of rows) go(session, row);
  return rows.length;
}
