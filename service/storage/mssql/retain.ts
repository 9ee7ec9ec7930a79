// Owns what is thrown away: what is past its retention, batch by batch, and the folding of old buckets.
import { BY_SECOND_MS, MINUTE_MS } from '../../domain/stats.ts';
import type { RetentionLimits } from '../../ports/store.ts';
import { COUNT_MOVES, DECLARE_MOVES, EXACT } from './counters.ts';
import { leaveFamilies } from './families.ts';
import type { Session } from './session.ts';

const DECLARE_GONE = (name: string) =>
  `DECLARE ${name} TABLE (seq BIGINT NOT NULL, id NVARCHAR(100) ${EXACT} NOT NULL, queue NVARCHAR(510) ${EXACT} NOT NULL, error_family BIGINT NULL);`;

/** Queue by queue, each by its own limit: what one keeps for longer is never looked at on the way to what another drops. */
const ENDED = `
  ${DECLARE_MOVES} ${DECLARE_GONE('@archived')} ${DECLARE_GONE('@dead')}
  INSERT INTO @archived (seq, id, queue)
  SELECT TOP (@batch) j.seq, j.id, j.queue FROM chokaq.queues q CROSS APPLY (
    SELECT TOP (@batch) a.seq, a.id, a.queue FROM chokaq.jobs_archive a
    WHERE a.queue = q.name AND a.finished_at < @now - COALESCE(q.archive_retention_ms, @archive_ms) ORDER BY a.finished_at) j;
  INSERT INTO @dead (seq, id, queue, error_family)
  SELECT TOP (@batch) j.seq, j.id, j.queue, j.error_family FROM chokaq.queues q CROSS APPLY (
    SELECT TOP (@batch) d.seq, d.id, d.queue, d.error_family FROM chokaq.jobs_dlq d
    WHERE d.queue = q.name AND d.failed_at < @now - COALESCE(q.dlq_retention_ms, @dlq_ms) ORDER BY d.failed_at) j;
  DELETE FROM chokaq.job_attempts WHERE job_id IN (SELECT id FROM @archived UNION ALL SELECT id FROM @dead);
  DELETE FROM chokaq.jobs_archive WHERE seq IN (SELECT seq FROM @archived);
  UPDATE chokaq.revisions SET value = gone.seq
  FROM (SELECT MAX(seq) AS seq FROM @dead) gone WHERE name = 'dlq' AND value < gone.seq;
  ${leaveFamilies('@dead')}
  DELETE FROM chokaq.jobs_dlq WHERE seq IN (SELECT seq FROM @dead);
  INSERT INTO @moves (queue, succeeded) SELECT queue, -COUNT(*) FROM @archived GROUP BY queue;
  INSERT INTO @moves (queue, dead) SELECT queue, -COUNT(*) FROM @dead GROUP BY queue;
  ${COUNT_MOVES}
  DECLARE @removed BIGINT = (SELECT COUNT(*) FROM @archived) + (SELECT COUNT(*) FROM @dead);`;

/** How far back a fold looks; what was missed for longer, because no node ran, stays as it is. */
const FOLD_BACK_MS = 10 * MINUTE_MS;

const IN_FOLD = `at >= @fold_end - ${FOLD_BACK_MS} AND at < @fold_end AND at % ${MINUTE_MS} <> 0`;

/** Rows of seconds become part of the row of their minute, which may stand already for its first second. */
const FOLD = `
  DECLARE @fold_end BIGINT = (@now - ${BY_SECOND_MS}) - (@now - ${BY_SECOND_MS}) % ${MINUTE_MS};
  DECLARE @folded TABLE (
    at BIGINT NOT NULL, queue NVARCHAR(510) ${EXACT} NOT NULL, enqueued BIGINT, succeeded BIGINT, dead BIGINT,
    failed_attempts BIGINT, retried BIGINT, duration_sum_ms BIGINT);
  INSERT INTO @folded
  SELECT at - at % ${MINUTE_MS}, queue, SUM(enqueued), SUM(succeeded), SUM(dead), SUM(failed_attempts), SUM(retried), SUM(duration_sum_ms)
  FROM chokaq.metric_buckets WHERE ${IN_FOLD} GROUP BY at - at % ${MINUTE_MS}, queue;
  INSERT INTO chokaq.metric_buckets (at, queue)
  SELECT f.at, f.queue FROM @folded f
  WHERE NOT EXISTS (SELECT 1 FROM chokaq.metric_buckets b WHERE b.at = f.at AND b.queue = f.queue);
  UPDATE chokaq.metric_buckets SET
    enqueued = metric_buckets.enqueued + f.enqueued, succeeded = metric_buckets.succeeded + f.succeeded,
    dead = metric_buckets.dead + f.dead, failed_attempts = metric_buckets.failed_attempts + f.failed_attempts,
    retried = metric_buckets.retried + f.retried, duration_sum_ms = metric_buckets.duration_sum_ms + f.duration_sum_ms
  FROM @folded f WHERE f.at = metric_buckets.at AND f.queue = metric_buckets.queue;
  DELETE FROM chokaq.metric_buckets WHERE ${IN_FOLD};`;

/** Far longer than a preview lives, so that none can be executed twice. */
const FINISHED_KEPT_MS = 30 * 86_400_000;
/** Nodes killed on hosts that never come back, as containers are: only a process of the same host could know them to be gone. */
const SILENT_NODE_KEPT_MS = 2 * 86_400_000;

/** Lanes that stand empty: types come and go, and nothing else would ever remove them. */
const OTHERS = `
  DECLARE @removed BIGINT = 0;
  DELETE TOP (@batch) FROM chokaq.metric_buckets WHERE at < @now - @buckets_ms;
  SET @removed = @removed + @@ROWCOUNT;
  DELETE TOP (@batch) FROM chokaq.audit_log WHERE at < @now - @audit_ms;
  SET @removed = @removed + @@ROWCOUNT;
  DELETE TOP (@batch) FROM chokaq.idempotency_claims WHERE expires_at < @now;
  SET @removed = @removed + @@ROWCOUNT;
  DELETE TOP (@batch) FROM chokaq.operations WHERE finished_at IS NOT NULL AND finished_at < @now - ${FINISHED_KEPT_MS};
  SET @removed = @removed + @@ROWCOUNT;
  DELETE TOP (@batch) FROM chokaq.lanes WHERE ready = 0 AND scheduled = 0 AND fetched = 0 AND processing = 0;
  DELETE TOP (@batch) FROM chokaq.nodes WHERE seen_at < @now - ${SILENT_NODE_KEPT_MS};
  ${FOLD}`;

const answer = 'SELECT @removed AS removed;';

/** Two short transactions: what has ended, and everything else. */
export async function retain(session: Session, limits: RetentionLimits): Promise<number> {
  const { archiveMs, dlqMs, bucketsMs, auditMs, batch } = limits;
  const removedBy = async (work: string, values: Record<string, number>) =>
    (await session.write('retain', { work, answer }, { batch, ...values })).row<{ removed: number }>()?.removed ?? 0;
  const ended = await removedBy(ENDED, { archive_ms: archiveMs, dlq_ms: dlqMs });
  return ended + (await removedBy(OTHERS, { buckets_ms: bucketsMs, audit_ms: auditMs }));
}
