// Owns the statements of a claim: choose in dequeue order within every budget, lock under leases, count.
import { CATCH_ALL } from '../../domain/handler.ts';
import { CLAIMED_COLUMNS } from '../claimed-rows.ts';
import { FETCHED, PENDING, PROCESSING } from '../rows.ts';
import { COUNT_PLACES, DECLARE_MOVES, DUE_EPOCH, EXACT } from './counters.ts';
import { DECLARE_DUE, IS_DUE, PROMOTE } from './promote.ts';
import { DECLARE_ROOMS } from './rooms.ts';

/** Lanes that one pass looks into, those whose heads come first. */
const LANES = 250;
/** Rows that one pass reads of all lanes, about: with more lanes it reads less of each. */
const ROWS = 2_000;
/** Each pass takes at least one row while there is one; this only bounds what a bug could do. */
const PASSES = 10_000;

/** `@heads` has what was chosen, `pass` telling by which pass; `place` counts from 1 in dequeue order. */
const DECLARE = `
  DECLARE @heads TABLE (
    seq BIGINT NOT NULL, place BIGINT NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL, handler NVARCHAR(510) ${EXACT} NOT NULL,
    timeout_ms BIGINT NULL, epoch INT NOT NULL, may_start INT NOT NULL, pass INT NOT NULL,
    n BIGINT NOT NULL, is_taken INT NOT NULL, horizon BIGINT NULL);
  DECLARE @claimed TABLE (
    seq BIGINT NOT NULL, status INT NOT NULL, lease_id NVARCHAR(100) ${EXACT} NOT NULL, circuit_epoch INT NULL,
    id NVARCHAR(100) ${EXACT}, queue NVARCHAR(510) ${EXACT}, type NVARCHAR(510) ${EXACT}, attempts INT, round INT,
    overrides NVARCHAR(MAX), max_attempts INT, idempotency_key NVARCHAR(510) ${EXACT}, result_ttl_ms BIGINT, due_at BIGINT,
    first_due_at BIGINT, resurrected_at BIGINT, created_at BIGINT, started_at BIGINT, traceparent NVARCHAR(255),
    tracestate NVARCHAR(MAX), payload VARBINARY(MAX));
  DECLARE @cancels TABLE (id NVARCHAR(100) ${EXACT}, lease_id NVARCHAR(100) ${EXACT}, cancel_requested_by NVARCHAR(255) ${EXACT});
  DECLARE @handlers_now BIGINT, @queues_now BIGINT, @settings_now BIGINT, @next_due BIGINT;
  DECLARE @left BIGINT = @limit, @pass INT = 0, @found BIGINT, @horizon BIGINT;`;

/** In the order of `@claimed`. */
const COLUMNS = ['seq', 'status', 'lease_id', 'circuit_epoch', ...CLAIMED_COLUMNS, 'payload'];

const LEAST = (...values: readonly string[]) =>
  `(SELECT MIN(v) FROM (VALUES ${values.map(v => `(${v})`).join(', ')}) AS l (v))`;

/** Lanes with ready work that may be claimed, first heads first; each with the room of all that bounds it. */
const OPEN_LANES = `
  SELECT TOP (${LANES}) l.queue, l.type, h.type AS handler, q.execution_timeout_ms AS timeout_ms, COALESCE(r.epoch, 0) AS epoch,
    CASE WHEN h.[schema] IS NULL THEN @start ELSE 0 END AS may_start,
    COALESCE(q.max_workers - s.fetched - s.processing, @left) AS queue_room,
    COALESCE(r.room, @limit) - COALESCE(of_handler.n, 0) AS handler_room,
    @per_type - COALESCE(of_type.n, 0) AS type_room,
    ROW_NUMBER() OVER (ORDER BY l.head_priority DESC, l.head_due_at) AS lane
  FROM chokaq.lanes l
  JOIN chokaq.queues q ON q.name = l.queue
  JOIN chokaq.stats_summary s ON s.queue = l.queue
  JOIN chokaq.handlers h ON h.type = COALESCE((SELECT own.type FROM chokaq.handlers own WHERE own.type = l.type), '${CATCH_ALL}')
  LEFT JOIN @rooms r ON r.handler = h.type
  LEFT JOIN (SELECT handler, COUNT(*) AS n FROM @heads GROUP BY handler) of_handler ON of_handler.handler = h.type
  LEFT JOIN (SELECT type, COUNT(*) AS n FROM @heads GROUP BY type) of_type ON of_type.type = l.type
  WHERE l.ready > 0 AND q.is_paused = 0 AND q.is_active = 1
    AND (q.max_workers IS NULL OR q.max_workers > s.fetched + s.processing)
    AND COALESCE(r.room, @limit) > COALESCE(of_handler.n, 0) AND @per_type > COALESCE(of_type.n, 0)
  ORDER BY l.head_priority DESC, l.head_due_at`;

/**
 * One pass, in which a row that is taken is one that taking row after row in dequeue order would take as well. The budgets are
 * applied one after another, so a row may be passed over for others that a later budget then passes over too; from the first such
 * row on nothing is certain (`horizon`), as from the last row that was read of a lane that has more, and from the head of the
 * last lane. What lies behind the first horizon is left to the next pass.
 */
const CHOOSE = `
  WITH lanes AS (
    SELECT o.*, ${LEAST('o.queue_room', 'o.handler_room', 'o.type_room', '@left')} AS room, COUNT(*) OVER () AS lanes
    FROM (${OPEN_LANES}) o
  ), sized AS (
    SELECT lanes.*, CASE WHEN lanes * @left <= ${ROWS} THEN room ELSE ${LEAST('room', `4 + 2 * @left / lanes`)} END AS size FROM lanes
  ), ready AS (
    SELECT l.*, j.seq,
      ROW_NUMBER() OVER (ORDER BY j.priority DESC, j.due_at, j.created_at, j.id) AS n,
      ROW_NUMBER() OVER (PARTITION BY l.lane ORDER BY j.priority DESC, j.due_at, j.created_at, j.id) AS of_lane
    FROM sized l CROSS APPLY (
      SELECT TOP (l.size) seq, priority, due_at, created_at, id FROM chokaq.jobs_hot
      WHERE status = ${PENDING} AND promoted = 1 AND queue = l.queue AND type = l.type
      ORDER BY priority DESC, due_at, created_at, id) j
  ), by_queue AS (
    SELECT ready.*, CASE WHEN ROW_NUMBER() OVER (PARTITION BY queue ORDER BY n) <= queue_room THEN 1 ELSE 0 END AS in_queue FROM ready
  ), by_handler AS (
    SELECT by_queue.*, CASE WHEN in_queue = 1
      AND SUM(in_queue) OVER (PARTITION BY handler ORDER BY n ROWS UNBOUNDED PRECEDING) <= handler_room THEN 1 ELSE 0 END AS in_handler
    FROM by_queue
  ), by_type AS (
    SELECT by_handler.*, CASE WHEN in_handler = 1
      AND SUM(in_handler) OVER (PARTITION BY type ORDER BY n ROWS UNBOUNDED PRECEDING) <= type_room THEN 1 ELSE 0 END AS is_taken
    FROM by_handler
  ), placed AS (
    SELECT by_type.*, SUM(is_taken) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS place,
      SUM(is_taken) OVER (PARTITION BY queue ORDER BY n ROWS UNBOUNDED PRECEDING) AS of_queue,
      SUM(is_taken) OVER (PARTITION BY handler ORDER BY n ROWS UNBOUNDED PRECEDING) AS of_handler,
      SUM(is_taken) OVER (PARTITION BY type ORDER BY n ROWS UNBOUNDED PRECEDING) AS of_type
    FROM by_type
  ), judged AS (
    SELECT placed.*, CASE
      WHEN is_taken = 0 AND of_queue < queue_room AND of_handler < handler_room AND of_type < type_room THEN n - 1
      WHEN (of_lane = size AND size < room) OR (lane = ${LANES} AND of_lane = 1) THEN n END AS horizon
    FROM placed
  )
  INSERT INTO @heads (seq, place, type, handler, timeout_ms, epoch, may_start, pass, n, is_taken, horizon)
  SELECT seq, @limit - @left + place, type, handler, timeout_ms, epoch, may_start, @pass, n, is_taken, horizon
  FROM judged WHERE place <= @left AND (is_taken = 1 OR horizon IS NOT NULL);`;

/** A job that must be checked before its start (payload against a schema, result claim) is only fetched. */
const STARTS = 't.may_start = 1 AND (jobs_hot.idempotency_key IS NULL OR jobs_hot.result_ttl_ms IS NULL)';

const LOCK = `
  UPDATE chokaq.jobs_hot WITH (ROWLOCK) SET
    status = CASE WHEN ${STARTS} THEN ${PROCESSING} ELSE ${FETCHED} END,
    attempts = jobs_hot.attempts + CASE WHEN ${STARTS} THEN 1 ELSE 0 END,
    started_at = CASE WHEN ${STARTS} THEN @now ELSE jobs_hot.started_at END,
    heartbeat_at = CASE WHEN ${STARTS} THEN @now ELSE jobs_hot.heartbeat_at END,
    worker_id = @owner, lease_id = @lease + CAST(t.place AS NVARCHAR(20)), circuit_epoch = t.epoch,
    version = jobs_hot.version + 1, updated_at = @now
  OUTPUT ${COLUMNS.map(column => `inserted.${column}`).join(', ')} INTO @claimed
  FROM @heads t
  WHERE t.seq = jobs_hot.seq AND t.pass = @pass AND jobs_hot.status = ${PENDING} AND jobs_hot.promoted = 1;
  INSERT INTO @moves (queue, type, ready, fetched, processing, due_sum)
  SELECT c.queue, c.type, -COUNT(*), COUNT(CASE WHEN c.status = ${FETCHED} THEN 1 END),
    COUNT(CASE WHEN c.status = ${PROCESSING} THEN 1 END), -SUM(c.due_at - ${DUE_EPOCH})
  FROM @claimed c JOIN @heads t ON t.seq = c.seq WHERE t.pass = @pass GROUP BY c.queue, c.type;
  ${COUNT_PLACES}`;

const TAKE = `
  WHILE @left > 0 AND @pass < ${PASSES} BEGIN
    SET @pass = @pass + 1;
    ${CHOOSE}
    SELECT @found = COUNT(*), @horizon = MIN(horizon) FROM @heads WHERE pass = @pass;
    IF @found = 0 BREAK;
    IF @horizon IS NOT NULL DELETE FROM @heads WHERE pass = @pass AND (is_taken = 0 OR n > @horizon);
    ${LOCK}
    IF @horizon IS NULL BREAK;
    SELECT @left = @limit - COUNT(*) FROM @heads;
    DELETE FROM @moves;
  END`;

/** The answer to an earlier try of this claim was lost: what it took is what this one takes. */
const FIND_TAKEN = `
  INSERT INTO @claimed
  SELECT ${COLUMNS.join(', ')} FROM chokaq.jobs_hot
  WHERE worker_id = @owner AND status > ${PENDING} AND lease_id LIKE @claim + '.%';
  INSERT INTO @heads (seq, place, type, handler, timeout_ms, epoch, may_start, pass, n, is_taken)
  SELECT c.seq, 0, c.type, '', q.execution_timeout_ms, COALESCE(c.circuit_epoch, 0), 0, 0, 0, 1
  FROM @claimed c LEFT JOIN chokaq.queues q ON q.name = c.queue;
  IF EXISTS (SELECT 1 FROM @claimed) SET @left = 0;`;

const READ_REVISIONS = `
  SELECT @handlers_now = MAX(CASE WHEN name = 'handlers' THEN value END), @queues_now = MAX(CASE WHEN name = 'queues' THEN value END),
    @settings_now = MAX(CASE WHEN name = 'settings' THEN value END) FROM chokaq.revisions;`;

/** A retry looks even when nothing is ready: its first try may have taken all of it. */
const WHEN = `@limit > 0 AND (@is_retry = 1 OR EXISTS (SELECT 1 FROM chokaq.lanes WHERE ready > 0) OR ${IS_DUE})`;

/** The revisions are those under which the claim started what it started. */
const ANSWER = `
  IF @handlers_now IS NULL BEGIN ${READ_REVISIONS} END
  SELECT @next_due = MIN(due_at) FROM chokaq.jobs_hot WHERE promoted = 0;
  INSERT INTO @cancels
  SELECT id, lease_id, cancel_requested_by FROM chokaq.jobs_hot
  WHERE worker_id = @owner AND cancel_requested_by IS NOT NULL AND status = ${PROCESSING};
  SELECT @now AS now, @next_due AS next_due_at, @handlers_now AS handlers, @queues_now AS queues, @settings_now AS settings;
  SELECT c.*, t.timeout_ms FROM @claimed c JOIN @heads t ON t.seq = c.seq;
  SELECT id, lease_id, cancel_requested_by FROM @cancels;
  SELECT handler, ramp, in_flight, oldest_at FROM @rooms WHERE ramp IS NOT NULL;
  SELECT DISTINCT r.handler FROM @rooms r JOIN @heads t ON t.handler = r.handler WHERE r.is_probe = 1;`;

const BEFORE = `${DECLARE_ROOMS} ${DECLARE} ${DECLARE_MOVES} ${DECLARE_DUE}`;

/** `guard` goes first; `open` and `close` bring the rooms of handlers in and their circuits out. */
export function claimText(guard: string, open: string, close: string, isRetry: boolean) {
  const work = `${guard} ${isRetry ? FIND_TAKEN : ''} ${PROMOTE} ${open} ${TAKE} ${close} ${READ_REVISIONS}`;
  return { before: BEFORE, when: WHEN, work, answer: ANSWER };
}
