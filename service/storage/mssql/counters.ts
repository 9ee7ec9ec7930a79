// Owns the counters: what a transaction's moves add up to, per queue, lane and second, written once before its end.

/**
 * For string columns of table variables that meet a stored column: without it the server refuses to compare them. OPENJSON's columns
 * cannot have it everywhere, so what comes as JSON goes into such a table first.
 */
export const EXACT = 'COLLATE Latin1_General_BIN2';

/** Sums of due times are kept relative to this instant, so that 64 bits hold them for any backlog. */
export const DUE_EPOCH = 1_700_000_000_000;

/**
 * Declares `@moves`, into which a transaction puts any number of rows of what it changed: rows of each place more or less (ready,
 * scheduled, fetched, processing count for queue and lane), the sum of `due_at - DUE_EPOCH` of ready rows, lifetime totals
 * and what the second's bucket adds. Columns that are left out count nothing. `type` is null where no lane is touched.
 */
export const DECLARE_MOVES = `
  DECLARE @moves TABLE (
    queue NVARCHAR(510) ${EXACT} NOT NULL, type NVARCHAR(510) ${EXACT} NULL,
    ready BIGINT NOT NULL DEFAULT 0, scheduled BIGINT NOT NULL DEFAULT 0, fetched BIGINT NOT NULL DEFAULT 0,
    processing BIGINT NOT NULL DEFAULT 0, due_sum BIGINT NOT NULL DEFAULT 0,
    succeeded BIGINT NOT NULL DEFAULT 0, dead BIGINT NOT NULL DEFAULT 0,
    succeeded_total BIGINT NOT NULL DEFAULT 0, failed_total BIGINT NOT NULL DEFAULT 0, retried_total BIGINT NOT NULL DEFAULT 0,
    enqueued BIGINT NOT NULL DEFAULT 0, failed_attempts BIGINT NOT NULL DEFAULT 0, duration_ms BIGINT NOT NULL DEFAULT 0);`;

const SUMS = `
  SUM(ready) AS ready, SUM(scheduled) AS scheduled, SUM(fetched) AS fetched, SUM(processing) AS processing`;

const COUNT_QUEUES = `
  UPDATE chokaq.stats_summary SET
    pending = stats_summary.pending + m.ready, scheduled = stats_summary.scheduled + m.scheduled,
    fetched = stats_summary.fetched + m.fetched, processing = stats_summary.processing + m.processing,
    succeeded = stats_summary.succeeded + m.succeeded, dead = stats_summary.dead + m.dead,
    succeeded_total = stats_summary.succeeded_total + m.succeeded_total,
    failed_total = stats_summary.failed_total + m.failed_total,
    retried_total = stats_summary.retried_total + m.retried_total
  FROM (SELECT queue, ${SUMS}, SUM(succeeded) AS succeeded, SUM(dead) AS dead, SUM(succeeded_total) AS succeeded_total,
      SUM(failed_total) AS failed_total, SUM(retried_total) AS retried_total
    FROM @moves GROUP BY queue) m
  WHERE m.queue = stats_summary.queue;`;

const MAKE_LANES = `
  INSERT INTO chokaq.lanes (queue, type)
  SELECT DISTINCT m.queue, m.type FROM @moves m
  WHERE m.type IS NOT NULL AND NOT EXISTS (SELECT 1 FROM chokaq.lanes l WHERE l.queue = m.queue AND l.type = m.type);`;

const COUNT_LANES = `
  UPDATE chokaq.lanes SET
    ready = lanes.ready + m.ready, scheduled = lanes.scheduled + m.scheduled, fetched = lanes.fetched + m.fetched,
    processing = lanes.processing + m.processing, due_sum = lanes.due_sum + m.due_sum
  FROM (SELECT queue, type, ${SUMS}, SUM(due_sum) AS due_sum FROM @moves WHERE type IS NOT NULL GROUP BY queue, type) m
  WHERE m.queue = lanes.queue AND m.type = lanes.type;`;

/** A statement of its own: only so does it see every ready row as the transaction has left it. */
const FIND_HEADS = `
  UPDATE chokaq.lanes SET
    head_priority = (SELECT TOP (1) j.priority FROM chokaq.jobs_hot j
      WHERE j.status = 0 AND j.promoted = 1 AND j.queue = lanes.queue AND j.type = lanes.type
      ORDER BY j.priority DESC, j.due_at, j.created_at, j.id),
    head_due_at = (SELECT TOP (1) j.due_at FROM chokaq.jobs_hot j
      WHERE j.status = 0 AND j.promoted = 1 AND j.queue = lanes.queue AND j.type = lanes.type
      ORDER BY j.priority DESC, j.due_at, j.created_at, j.id)
  WHERE EXISTS (SELECT 1 FROM @moves m
    WHERE m.queue = lanes.queue AND m.type = lanes.type AND (m.ready <> 0 OR m.due_sum <> 0));`;

const COUNT_BUCKETS = `
  DECLARE @second BIGINT = @now - @now % 1000;
  DECLARE @happened TABLE (
    queue NVARCHAR(510) ${EXACT} NOT NULL, enqueued BIGINT, succeeded BIGINT, dead BIGINT, failed_attempts BIGINT,
    retried BIGINT, duration_ms BIGINT);
  INSERT INTO @happened
  SELECT queue, SUM(enqueued), SUM(succeeded_total), SUM(failed_total), SUM(failed_attempts), SUM(retried_total), SUM(duration_ms)
  FROM @moves WHERE enqueued + succeeded_total + failed_total + failed_attempts + retried_total > 0 GROUP BY queue;
  INSERT INTO chokaq.metric_buckets (at, queue)
  SELECT @second, h.queue FROM @happened h
  WHERE NOT EXISTS (SELECT 1 FROM chokaq.metric_buckets b WHERE b.at = @second AND b.queue = h.queue);
  UPDATE chokaq.metric_buckets SET
    enqueued = metric_buckets.enqueued + h.enqueued, succeeded = metric_buckets.succeeded + h.succeeded,
    dead = metric_buckets.dead + h.dead, failed_attempts = metric_buckets.failed_attempts + h.failed_attempts,
    retried = metric_buckets.retried + h.retried, duration_sum_ms = metric_buckets.duration_sum_ms + h.duration_ms
  FROM @happened h WHERE metric_buckets.at = @second AND h.queue = metric_buckets.queue;`;

/** Counts what is in `@moves`; once per transaction, after its last move. */
export const COUNT_MOVES = `${COUNT_QUEUES} ${MAKE_LANES} ${COUNT_LANES} ${FIND_HEADS} ${COUNT_BUCKETS}`;

/** The same for moves within lanes that are there already and that add nothing to buckets; any number of times. */
export const COUNT_PLACES = `${COUNT_QUEUES} ${COUNT_LANES} ${FIND_HEADS}`;
