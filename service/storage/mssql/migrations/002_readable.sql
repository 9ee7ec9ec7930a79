-- Serves from: 1
--
-- For people who look with SSMS or sqlcmd: instants as DATETIME2(3) in UTC, payloads as text, states in words. The service reads none
-- of it, and no secret is in it.
GO
CREATE FUNCTION chokaq.instant (@epoch_ms BIGINT) RETURNS DATETIME2(3) AS
BEGIN
  RETURN DATEADD(MILLISECOND, CAST(@epoch_ms % 1000 AS INT), DATEADD(SECOND, CAST(@epoch_ms / 1000 % 86400 AS INT),
    DATEADD(DAY, CAST(@epoch_ms / 86400000 AS INT), CAST('1970-01-01' AS DATETIME2(3)))));
END
GO
-- What is all ASCII reads the same in every code page; anything else is put together byte by byte, which takes its time.
CREATE FUNCTION chokaq.utf8_text (@bytes VARBINARY(MAX)) RETURNS NVARCHAR(MAX) AS
BEGIN
  DECLARE @text NVARCHAR(MAX) = TRY_CAST(@bytes AS VARCHAR(MAX));
  IF PATINDEX(N'%[^' + NCHAR(9) + NCHAR(10) + NCHAR(13) + N' -~]%', @text COLLATE Latin1_General_BIN2) = 0
    AND CAST(CAST(@text AS VARCHAR(MAX)) AS VARBINARY(MAX)) = @bytes RETURN @text;
  DECLARE @at BIGINT = 1;
  DECLARE @end BIGINT = DATALENGTH(@bytes);
  DECLARE @code INT;
  DECLARE @more INT;
  DECLARE @part NVARCHAR(MAX) = N'';
  DECLARE @in_part INT = 0;
  SET @text = N'';
  WHILE @at <= @end
  BEGIN
    SET @code = CAST(SUBSTRING(@bytes, @at, 1) AS INT);
    SET @more = CASE WHEN @code >= 240 THEN 3 WHEN @code >= 224 THEN 2 WHEN @code >= 192 THEN 1 ELSE 0 END;
    SET @code = CASE @more WHEN 3 THEN @code - 240 WHEN 2 THEN @code - 224 WHEN 1 THEN @code - 192 ELSE @code END;
    SET @at = @at + 1;
    WHILE @more > 0
    BEGIN
      SET @code = @code * 64 + CAST(SUBSTRING(@bytes, @at, 1) AS INT) % 64;
      SET @at = @at + 1;
      SET @more = @more - 1;
    END
    SET @part = @part + CASE WHEN @code < 65536 THEN NCHAR(@code)
      ELSE COALESCE(NCHAR(@code), NCHAR(55296 + (@code - 65536) / 1024) + NCHAR(56320 + (@code - 65536) % 1024)) END;
    SET @in_part = @in_part + 1;
    IF @in_part = 1000
    BEGIN
      SET @text = @text + @part;
      SET @part = N'';
      SET @in_part = 0;
    END
  END
  RETURN @text + @part;
END
GO
CREATE VIEW chokaq.jobs_readable AS
SELECT id, queue, type,
  CASE WHEN status = 1 THEN 'fetched' WHEN status = 2 THEN 'processing'
    WHEN due_at > DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME()) THEN 'scheduled' ELSE 'pending' END AS state,
  priority, attempts, round, chokaq.instant(due_at) AS due_at, chokaq.instant(created_at) AS created_at,
  chokaq.instant(started_at) AS started_at, chokaq.instant(updated_at) AS updated_at, CAST(NULL AS DATETIME2(3)) AS ended_at,
  CAST(NULL AS BIGINT) AS duration_ms, CAST(NULL AS VARCHAR(40)) AS failure_reason, last_error AS error, last_response_status,
  last_response_body, worker_id, cancel_requested_by, CAST(NULL AS NVARCHAR(255)) AS ended_by, created_by, tags, idempotency_key,
  traceparent, chokaq.utf8_text(payload) AS payload
FROM chokaq.jobs_hot
UNION ALL
SELECT id, queue, type, 'succeeded', priority, attempts, round, chokaq.instant(due_at), chokaq.instant(created_at),
  chokaq.instant(started_at), chokaq.instant(updated_at), chokaq.instant(finished_at), duration_ms, NULL, last_error,
  last_response_status, last_response_body, worker_id, cancel_requested_by, NULL, created_by, tags, idempotency_key,
  traceparent, chokaq.utf8_text(payload)
FROM chokaq.jobs_archive
UNION ALL
SELECT id, queue, type, 'dead', priority, attempts, round, chokaq.instant(due_at), chokaq.instant(created_at),
  chokaq.instant(started_at), chokaq.instant(updated_at), chokaq.instant(failed_at), duration_ms, failure_reason,
  COALESCE(error_details, last_error), last_response_status, last_response_body, worker_id, cancel_requested_by, ended_by,
  created_by, tags, idempotency_key, traceparent, chokaq.utf8_text(payload)
FROM chokaq.jobs_dlq;
GO
CREATE VIEW chokaq.attempts_readable AS
SELECT job_id, round, attempt, outcome, chokaq.instant(started_at) AS started_at, chokaq.instant(finished_at) AS finished_at,
  finished_at - started_at AS duration_ms, response_status, error, response_body, worker_id
FROM chokaq.job_attempts;
GO
CREATE VIEW chokaq.queues_readable AS
SELECT q.name AS queue, CASE WHEN q.is_paused = 1 THEN 'paused' WHEN q.is_active = 0 THEN 'inactive' ELSE 'runs' END AS state,
  s.pending, s.scheduled, s.fetched, s.processing, s.succeeded, s.dead,
  s.succeeded_total, s.failed_total, s.retried_total, q.max_workers, chokaq.instant(q.updated_at) AS configured_at
FROM chokaq.queues q JOIN chokaq.stats_summary s ON s.queue = q.name;
GO
CREATE VIEW chokaq.audit_readable AS
SELECT seq, chokaq.instant(at) AS at, actor, action, target, outcome, affected, count AS times, request_id, filter, details
FROM chokaq.audit_log;
