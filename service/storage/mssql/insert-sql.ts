// Owns the transaction that stores new jobs: it looks whether what the batch meets is what was reckoned with, and only then writes.
import { COUNT_MOVES, DECLARE_MOVES, DUE_EPOCH, EXACT } from './counters.ts';
import { jobColumns } from './get.ts';
import { unmarked } from './json-rows.ts';
import type { WriteText } from './session.ts';

const DUE = 'CASE WHEN j.due_at IS NULL THEN @now + j.due_in WHEN j.due_at < @now THEN @now ELSE j.due_at END';

/** `payload_from` and `payload_bytes`, `hash_from`: where they are in @bytes, counted from 1. */
const LOAD_NEW = `
  DECLARE @new TABLE (
    n BIGINT NOT NULL PRIMARY KEY, id NVARCHAR(100) ${EXACT} NOT NULL, queue NVARCHAR(510) ${EXACT} NOT NULL,
    type NVARCHAR(510) ${EXACT} NOT NULL, idempotency_key NVARCHAR(510) ${EXACT} NULL, holds_key INT NOT NULL,
    version INT NOT NULL, priority INT NOT NULL, due_at BIGINT NOT NULL, max_attempts INT NULL, overrides NVARCHAR(MAX) NULL,
    tags NVARCHAR(MAX) NULL, result_ttl_ms BIGINT NULL, created_by NVARCHAR(255) NULL, creator_key_id NVARCHAR(100) NULL,
    traceparent NVARCHAR(255) NULL, tracestate NVARCHAR(MAX) NULL, payload_from BIGINT NOT NULL, payload_bytes BIGINT NOT NULL);
  INSERT INTO @new
  SELECT j.n, j.id, ${unmarked('j.queue')}, ${unmarked('j.type')}, ${unmarked('j.idempotency_key')}, j.holds_key,
    j.version, j.priority, ${DUE}, j.max_attempts, ${unmarked('j.overrides')},
    ${unmarked('j.tags')}, j.result_ttl_ms, ${unmarked('j.created_by')}, j.creator_key_id,
    j.traceparent, ${unmarked('j.tracestate')}, j.payload_from, j.payload_bytes
  FROM OPENJSON(@jobs) WITH (
    n BIGINT '$.n', id NVARCHAR(100) '$.id', queue NVARCHAR(510) '$.queue', type NVARCHAR(510) '$.type',
    idempotency_key NVARCHAR(510) '$.key', holds_key INT '$.holds', version INT '$.version', priority INT '$.priority',
    due_at BIGINT '$.at', due_in BIGINT '$.in', max_attempts INT '$.attempts', overrides NVARCHAR(MAX) '$.overrides',
    tags NVARCHAR(MAX) '$.tags', result_ttl_ms BIGINT '$.ttl', created_by NVARCHAR(255) '$.by',
    creator_key_id NVARCHAR(100) '$.creator', traceparent NVARCHAR(255) '$.parent', tracestate NVARCHAR(MAX) '$.state',
    payload_from BIGINT '$.from', payload_bytes BIGINT '$.bytes') j;`;

/** Also what is refused or a duplicate as things were reckoned to be: it may be neither any more. */
const LOAD_NAMED = `
  DECLARE @named TABLE (id NVARCHAR(100) ${EXACT} NOT NULL, queue NVARCHAR(510) ${EXACT} NOT NULL, idempotency_key NVARCHAR(510) ${EXACT} NULL);
  INSERT INTO @named SELECT id, queue, idempotency_key FROM @new;
  IF @others <> N'[]'
    INSERT INTO @named SELECT j.id, ${unmarked('j.queue')}, ${unmarked('j.idempotency_key')}
    FROM OPENJSON(@others) WITH (id NVARCHAR(100) '$.id', queue NVARCHAR(510) '$.queue', idempotency_key NVARCHAR(510) '$.key') j;`;

const LOOK = `
  DECLARE @met TABLE (id NVARCHAR(100) ${EXACT} NOT NULL, version INT, round INT, status INT, holds_key INT);
  INSERT INTO @met
  SELECT j.id, j.version, j.round, j.status, j.holds_key FROM chokaq.jobs_hot j WHERE j.id IN (SELECT id FROM @named)
  UNION SELECT j.id, j.version, j.round, j.status, j.holds_key FROM chokaq.jobs_hot j
    WHERE j.holds_key = 1 AND j.idempotency_key IS NOT NULL
      AND j.idempotency_key IN (SELECT idempotency_key FROM @named WHERE idempotency_key IS NOT NULL)
  UNION SELECT j.id, j.version, j.round, -1, 0 FROM chokaq.jobs_archive j WHERE j.id IN (SELECT id FROM @named)
  UNION SELECT j.id, j.version, j.round, -2, 0 FROM chokaq.jobs_dlq j WHERE j.id IN (SELECT id FROM @named);
  DECLARE @fresh TABLE (name NVARCHAR(510) ${EXACT} NOT NULL);
  INSERT INTO @fresh
  SELECT DISTINCT n.queue FROM @new n WHERE NOT EXISTS (SELECT 1 FROM chokaq.queues q WHERE q.name = n.queue);
  DECLARE @made BIGINT = (SELECT COUNT(*) FROM @fresh);
  DECLARE @room BIGINT = @queue_limit;
  IF @made > 0 SET @room = @queue_limit - (SELECT COUNT(*) FROM chokaq.queues);
  DECLARE @as_reckoned INT = 0;
  IF @made <= @room AND (SELECT COUNT(*) FROM @met) = @reckoned_count SET @as_reckoned = 1;
  IF @as_reckoned = 1 AND @reckoned_count > 0
    AND EXISTS (SELECT id, version, round, status, holds_key FROM @met EXCEPT
      SELECT j.id, j.version, j.round, j.status, j.holds_key FROM OPENJSON(@reckoned) WITH (
        id NVARCHAR(100) '$.id', version INT '$.version', round INT '$.round', status INT '$.status', holds_key INT '$.holds') j)
    SET @as_reckoned = 0;`;

const STORE = `
  INSERT INTO chokaq.queues (name, created_at, updated_at) SELECT name, @now, @now FROM @fresh WHERE @made > 0;
  INSERT INTO chokaq.stats_summary (queue) SELECT name FROM @fresh WHERE @made > 0;
  INSERT INTO chokaq.jobs_hot (
    id, queue, type, priority, max_attempts, overrides, tags, idempotency_key, result_ttl_ms,
    created_by, creator_key_id, traceparent, tracestate, status, promoted, holds_key, attempts, round, version,
    due_at, first_due_at, created_at, updated_at, payload_hash, payload)
  SELECT id, queue, type, priority, max_attempts, overrides, tags, idempotency_key, result_ttl_ms,
    created_by, creator_key_id, traceparent, tracestate, 0, CASE WHEN due_at <= @now THEN 1 ELSE 0 END, holds_key, 0, 1, version,
    due_at, due_at, @now, @now, SUBSTRING(@bytes, payload_from + payload_bytes, 32), SUBSTRING(@bytes, payload_from, payload_bytes)
  FROM @new ORDER BY n;
  INSERT INTO @moves (queue, type, ready, scheduled, due_sum, enqueued)
  SELECT queue, type, SUM(CASE WHEN due_at <= @now THEN 1 ELSE 0 END), SUM(CASE WHEN due_at <= @now THEN 0 ELSE 1 END),
    SUM(CASE WHEN due_at <= @now THEN due_at - ${DUE_EPOCH} ELSE 0 END), COUNT(*)
  FROM @new GROUP BY queue, type;`;

const REPLACE = `
  DECLARE @changes TABLE (id NVARCHAR(100) ${EXACT} NOT NULL PRIMARY KEY, times INT NOT NULL, priority INT NOT NULL, due_at BIGINT NOT NULL,
    payload_from BIGINT NOT NULL, payload_bytes BIGINT NOT NULL);
  INSERT INTO @changes SELECT j.id, j.times, j.priority, ${DUE}, j.payload_from, j.payload_bytes
  FROM OPENJSON(@replaced) WITH (
    id NVARCHAR(100) '$.id', times INT '$.times', priority INT '$.priority', due_at BIGINT '$.at', due_in BIGINT '$.in',
    payload_from BIGINT '$.from', payload_bytes BIGINT '$.bytes') j;
  INSERT INTO @moves (queue, type, ready, scheduled, due_sum)
  SELECT j.queue, j.type, 0 - j.promoted, j.promoted - 1, 0 - j.promoted * (j.due_at - ${DUE_EPOCH})
  FROM chokaq.jobs_hot j WHERE j.id IN (SELECT id FROM @changes);
  UPDATE chokaq.jobs_hot SET priority = c.priority, promoted = CASE WHEN c.due_at <= @now THEN 1 ELSE 0 END, due_at = c.due_at,
    first_due_at = c.due_at, version = jobs_hot.version + c.times, updated_at = @now,
    payload_hash = SUBSTRING(@bytes, c.payload_from + c.payload_bytes, 32), payload = SUBSTRING(@bytes, c.payload_from, c.payload_bytes)
  FROM @changes c WHERE c.id = jobs_hot.id AND jobs_hot.status = 0;
  INSERT INTO @moves (queue, type, ready, scheduled, due_sum)
  SELECT j.queue, j.type, j.promoted, 1 - j.promoted, j.promoted * (j.due_at - ${DUE_EPOCH})
  FROM chokaq.jobs_hot j WHERE j.id IN (SELECT id FROM @changes);`;

/** What is met comes without its payload. It may have moved on since: then the next transaction finds that out. */
const SHOW = (['hot', 'archive', 'dlq'] as const)
  .map(table => `SELECT ${jobColumns(table, false)} FROM chokaq.jobs_${table} j WHERE j.id IN (SELECT id FROM @met);`)
  .join(' ');

export const INSERT: WriteText = {
  work: `
    ${LOAD_NEW} ${LOAD_NAMED} ${LOOK} ${DECLARE_MOVES}
    IF @as_reckoned = 1 AND @replaced <> N'[]' BEGIN ${REPLACE} END
    IF @as_reckoned = 1 BEGIN ${STORE} ${COUNT_MOVES} END`,
  answer: `
    SELECT @as_reckoned AS as_reckoned, @made AS made, @room AS room;
    IF @as_reckoned = 0 BEGIN
      SELECT DISTINCT n.queue AS name FROM @named n WHERE @made > @room AND NOT EXISTS (SELECT 1 FROM chokaq.queues q WHERE q.name = n.queue);
      ${SHOW}
    END`,
};
