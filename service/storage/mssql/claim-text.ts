// Owns the statements of a claim: choose in dequeue order within every budget, lock under leases, count.
import { CATCH_ALL } from '../../domain/handler.ts';
import { CLAIMED_COLUMNS } from '../claimed-rows.ts';
import { FETCHED, PENDING, PROCESSING } from '../rows.ts';
import { COUNT_PLACES, DECLARE_MOVES, DUE_EPOCH, EXACT } from './counters.ts';
import { INBOX_WAITS } from './inbox.ts';
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
  DECLARE @lanes TABLE (
    queue NVARCHAR(510) ${EXACT} NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL, handler NVARCHAR(510) ${EXACT} NOT NULL,
    timeout_ms BIGINT NULL, epoch INT NOT NULL, may_start INT NOT NULL, queue_room BIGINT NOT NULL, handler_room BIGINT NOT NULL,
    type_room BIGINT NOT NULL, head_priority INT NOT NULL, head_due_at BIGINT NOT NULL, size BIGINT NOT NULL DEFAULT 0);
  DECLARE @ready TABLE (
    seq BIGINT NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL, handler NVARCHAR(510) ${EXACT} NOT NULL, timeout_ms BIGINT NULL,
    epoch INT NOT NULL, may_start INT NOT NULL, n BIGINT NOT NULL, is_over INT NOT NULL, is_last INT NOT NULL);
  DECLARE @heads TABLE (
    seq BIGINT NOT NULL, place BIGINT NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL, handler NVARCHAR(510) ${EXACT} NOT NULL,
    timeout_ms BIGINT NULL, epoch INT NOT NULL, may_start INT NOT NULL, pass INT NOT NULL);
  DECLARE @claimed TABLE (
    seq BIGINT NOT NULL, status INT NOT NULL, lease_id NVARCHAR(100) ${EXACT} NOT NULL, circuit_epoch INT NULL,
    id NVARCHAR(100) ${EXACT}, queue NVARCHAR(510) ${EXACT}, type NVARCHAR(510) ${EXACT}, attempts INT, round INT,
    overrides NVARCHAR(MAX), max_attempts INT, idempotency_key NVARCHAR(510) ${EXACT}, result_ttl_ms BIGINT, due_at BIGINT,
    first_due_at BIGINT, resurrected_at BIGINT, created_at BIGINT, started_at BIGINT, traceparent NVARCHAR(255),
    tracestate NVARCHAR(MAX), payload VARBINARY(MAX));
  DECLARE @cancels TABLE (id NVARCHAR(100) ${EXACT}, lease_id NVARCHAR(100) ${EXACT}, cancel_requested_by NVARCHAR(255) ${EXACT});
  DECLARE @handlers_now BIGINT, @queues_now BIGINT, @settings_now BIGINT, @next_due BIGINT;
  DECLARE @left BIGINT = @limit, @pass INT = 0, @lanes_found BIGINT, @chunk BIGINT, @horizon BIGINT;`;

/** In the order of `@claimed`. */
const COLUMNS = ['seq', 'status', 'lease_id', 'circuit_epoch', ...CLAIMED_COLUMNS, 'payload'];

/** Lanes with ready work that may be claimed, first heads first; each with the room of all that bounds it. */
const OPEN_LANES = `
  INSERT INTO @lanes (queue, type, handler, timeout_ms, epoch, may_start, queue_room, handler_room, type_room, head_priority,
    head_due_at)
  SELECT TOP (${LANES}) l.queue, l.type, h.type, q.execution_timeout_ms, COALESCE(r.epoch, 0),
    CASE WHEN h.[schema] IS NULL THEN @start ELSE 0 END, COALESCE(q.max_workers - s.fetched - s.processing, @left),
    COALESCE(r.room, @limit) - COALESCE(of_handler.n, 0), @per_type - COALESCE(of_type.n, 0), l.head_priority, l.head_due_at
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
  ORDER BY l.head_priority DESC, l.head_due_at;
  SET @lanes_found = @@ROWCOUNT;`;

/** No more of a lane than its own budgets allow, and less where there are many. */
const SIZE_LANES = `
  SET @chunk = CASE WHEN @lanes_found * @left <= ${ROWS} THEN @left ELSE 4 + 2 * @left / @lanes_found END;
  UPDATE @lanes SET size = CASE
    WHEN queue_room <= handler_room AND queue_room <= type_room AND queue_room <= @chunk THEN queue_room
    WHEN handler_room <= type_room AND handler_room <= @chunk THEN handler_room
    WHEN type_room <= @chunk THEN type_room ELSE @chunk END;`;

const ORDER = 'j.priority DESC, j.due_at, j.created_at, j.id';

const READ_LANES = `
  INSERT INTO @ready (seq, type, handler, timeout_ms, epoch, may_start, n, is_over, is_last)
  SELECT j.seq, l.type, l.handler, l.timeout_ms, l.epoch, l.may_start, ROW_NUMBER() OVER (ORDER BY ${ORDER}),
    CASE WHEN ROW_NUMBER() OVER (PARTITION BY l.queue ORDER BY ${ORDER}) > l.queue_room THEN 1
      WHEN ROW_NUMBER() OVER (PARTITION BY l.handler ORDER BY ${ORDER}) > l.handler_room THEN 1
      WHEN ROW_NUMBER() OVER (PARTITION BY l.type ORDER BY ${ORDER}) > l.type_room THEN 1 ELSE 0 END,
    CASE WHEN ROW_NUMBER() OVER (PARTITION BY l.queue, l.type ORDER BY ${ORDER}) = @chunk THEN 1 ELSE 0 END
  FROM @lanes l CROSS APPLY (
    SELECT TOP (l.size) seq, priority, due_at, created_at, id FROM chokaq.jobs_hot
    WHERE status = ${PENDING} AND promoted = 1 AND queue = l.queue AND type = l.type
    ORDER BY priority DESC, due_at, created_at, id) j;`;

/**
 * One pass takes row after row in dequeue order until one meets a budget that those before it have used up, or until a lane has
 * rows that were not read; the rows of N lanes tell no more than the first N. What lies behind is left to the next pass, which no longer sees the lanes without room.
 */
const CHOOSE = `
  SELECT @horizon = MIN(CASE WHEN is_over = 1 THEN n - 1 ELSE n END) FROM @ready WHERE is_over = 1 OR is_last = 1;
  IF @lanes_found = ${LANES} AND COALESCE(@horizon, ${LANES}) >= ${LANES} SET @horizon = ${LANES};
  INSERT INTO @heads (seq, place, type, handler, timeout_ms, epoch, may_start, pass)
  SELECT seq, @limit - @left + n, type, handler, timeout_ms, epoch, may_start, @pass
  FROM @ready WHERE n <= @left AND n <= COALESCE(@horizon, n);`;

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
    ${OPEN_LANES}
    IF @lanes_found = 0 BREAK;
    ${SIZE_LANES} ${READ_LANES} ${CHOOSE} ${LOCK}
    IF @horizon IS NULL BREAK;
    SELECT @left = @limit - COUNT(*) FROM @heads;
    IF @left = 0 BREAK;
    DELETE FROM @moves;
    DELETE FROM @lanes;
    DELETE FROM @ready;
  END`;

/** The answer to an earlier try of this claim was lost: what it took is what this one takes. */
const FIND_TAKEN = `
  INSERT INTO @claimed
  SELECT ${COLUMNS.join(', ')} FROM chokaq.jobs_hot
  WHERE worker_id = @owner AND status > ${PENDING} AND lease_id LIKE @claim + '.%';
  INSERT INTO @heads (seq, place, type, handler, timeout_ms, epoch, may_start, pass)
  SELECT c.seq, 0, c.type, '', q.execution_timeout_ms, COALESCE(c.circuit_epoch, 0), 0, 0
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
  SELECT @now AS now, @next_due AS next_due_at, @handlers_now AS handlers, @queues_now AS queues, @settings_now AS settings,
    CASE WHEN ${INBOX_WAITS} THEN 1 ELSE 0 END AS inbox;
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
