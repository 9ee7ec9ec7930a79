-- Serves from: 1
--
-- Enqueueing inside a transaction of an application (docs/sql-server.md, "Enqueue in your own transaction").

-- Jobs that applications have committed, until a node takes them over. It is apart from the job tables because the transactions of
-- applications may stay open for long: their rows are locked here, where nodes pass over them. due_at is null for "at once".
CREATE TABLE chokaq.inbox (
  seq BIGINT IDENTITY NOT NULL CONSTRAINT inbox_pk PRIMARY KEY,
  id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  priority INT NOT NULL,
  due_at BIGINT NULL,
  idempotency_key NVARCHAR(510) COLLATE Latin1_General_BIN2 NULL,
  result_ttl_ms BIGINT NULL,
  max_attempts INT NULL,
  tags NVARCHAR(MAX) NULL,
  created_by NVARCHAR(255) NULL,
  traceparent NVARCHAR(255) NULL,
  payload NVARCHAR(MAX) NOT NULL
);

CREATE INDEX inbox_key ON chokaq.inbox (idempotency_key) WHERE idempotency_key IS NOT NULL;
-- A transaction that enqueues thousands of jobs must not come to lock the whole table, which nobody could pass over.
ALTER TABLE chokaq.inbox SET (LOCK_ESCALATION = DISABLE);
GO
-- Why a text cannot be a name of at most so many characters, or null when it can.
CREATE FUNCTION chokaq.name_flaw (@name NVARCHAR(MAX), @limit INT) RETURNS NVARCHAR(200) AS
BEGIN
  IF @name IS NULL RETURN N'is missing';
  IF LEN(@name) = 0 RETURN N'is blank';
  IF LEN(@name) > @limit RETURN N'has more than ' + CAST(@limit AS NVARCHAR(10)) + N' characters';
  IF @name COLLATE Latin1_General_BIN2 LIKE N'%[' + NCHAR(1) + N'-' + NCHAR(31) + NCHAR(127) + N'-' + NCHAR(159) + N']%'
    RETURN N'contains a control character';
  DECLARE @spaces NVARCHAR(40) = NCHAR(32) + NCHAR(160) + NCHAR(5760) + NCHAR(8192) + NCHAR(8193) + NCHAR(8194) + NCHAR(8195)
    + NCHAR(8196) + NCHAR(8197) + NCHAR(8198) + NCHAR(8199) + NCHAR(8200) + NCHAR(8201) + NCHAR(8202) + NCHAR(8232) + NCHAR(8233)
    + NCHAR(8239) + NCHAR(8287) + NCHAR(12288) + NCHAR(65279);
  IF CHARINDEX(LEFT(@name, 1), @spaces COLLATE Latin1_General_BIN2) > 0 OR CHARINDEX(RIGHT(@name, 1), @spaces COLLATE Latin1_General_BIN2) > 0
    RETURN N'begins or ends with white space';
  RETURN NULL;
END
GO
-- Stores a job with the transaction of its caller: committed it runs, rolled back it never was.
CREATE PROCEDURE chokaq.Enqueue
  @type NVARCHAR(510),
  @payload NVARCHAR(MAX),
  @queue NVARCHAR(510) = N'default',
  @priority INT = 10,
  @delay_ms BIGINT = NULL,
  @due_at DATETIMEOFFSET = NULL,
  @idempotency_key NVARCHAR(510) = NULL,
  @result_ttl_ms BIGINT = NULL,
  @max_attempts INT = NULL,
  @tags NVARCHAR(MAX) = NULL,
  @created_by NVARCHAR(255) = NULL,
  @traceparent NVARCHAR(255) = NULL,
  @id NVARCHAR(100) = NULL OUTPUT,
  @duplicate BIT = NULL OUTPUT
AS
BEGIN
  DECLARE @flaw NVARCHAR(500) = NULL;
  DECLARE @now BIGINT = DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME());
  DECLARE @due BIGINT = CASE WHEN @due_at IS NOT NULL THEN DATEDIFF_BIG(MILLISECOND, '1970-01-01', @due_at) WHEN @delay_ms > 0 THEN @now + @delay_ms END;
  SET @id = NULL;
  SET @duplicate = 0;

  IF chokaq.name_flaw(@type, 255) IS NOT NULL SET @flaw = N'@type ' + chokaq.name_flaw(@type, 255);
  ELSE IF chokaq.name_flaw(@queue, 255) IS NOT NULL SET @flaw = N'@queue ' + chokaq.name_flaw(@queue, 255);
  ELSE IF @type IN (N'.', N'..') OR @queue IN (N'.', N'..') SET @flaw = N'@type and @queue cannot be only one or two dots';
  ELSE IF @idempotency_key IS NOT NULL AND chokaq.name_flaw(@idempotency_key, 255) IS NOT NULL SET @flaw = N'@idempotency_key ' + chokaq.name_flaw(@idempotency_key, 255);
  ELSE IF @created_by IS NOT NULL AND chokaq.name_flaw(@created_by, 100) IS NOT NULL SET @flaw = N'@created_by ' + chokaq.name_flaw(@created_by, 100);
  ELSE IF @priority IS NULL OR @priority NOT BETWEEN -1000 AND 1000 SET @flaw = N'@priority must be from -1000 to 1000';
  ELSE IF @delay_ms IS NOT NULL AND @due_at IS NOT NULL SET @flaw = N'@delay_ms and @due_at are both given; give one of them';
  ELSE IF @delay_ms IS NOT NULL AND @delay_ms NOT BETWEEN 0 AND 315360000000 SET @flaw = N'@delay_ms must be from 0 to 315360000000 (10 years)';
  ELSE IF @due > @now + 315360000000 SET @flaw = N'@due_at is more than 10 years away';
  ELSE IF @max_attempts IS NOT NULL AND @max_attempts NOT BETWEEN 1 AND 1000 SET @flaw = N'@max_attempts must be from 1 to 1000';
  ELSE IF @result_ttl_ms IS NOT NULL AND @idempotency_key IS NULL SET @flaw = N'@result_ttl_ms needs an @idempotency_key';
  ELSE IF @result_ttl_ms IS NOT NULL AND @result_ttl_ms NOT BETWEEN 60000 AND 2592000000 SET @flaw = N'@result_ttl_ms must be from 60000 (1 minute) to 2592000000 (30 days)';
  ELSE IF @traceparent IS NOT NULL AND LEN(@traceparent) > 55 SET @flaw = N'@traceparent is not a W3C traceparent of 55 characters';
  ELSE IF @payload IS NULL SET @flaw = N'@payload is missing; for an empty job give ''null'' or ''{}''';
  ELSE IF LEN(@payload) > 1000000 SET @flaw = N'@payload has more than 1000000 characters';
  ELSE IF ISJSON(N'[' + @payload + N']') = 0 SET @flaw = N'@payload is not JSON';
  ELSE IF ISJSON(@payload) = 0
  BEGIN
    IF (SELECT COUNT(*) FROM OPENJSON(N'[' + @payload + N']')) <> 1 SET @flaw = N'@payload is not one JSON value';
  END
  IF @flaw IS NULL AND @tags IS NOT NULL
  BEGIN
    IF ISJSON(@tags) = 0 OR LEFT(LTRIM(@tags), 1) <> N'[' SET @flaw = N'@tags is not a JSON array of texts';
    ELSE IF (SELECT COUNT(*) FROM OPENJSON(@tags)) > 20 SET @flaw = N'@tags has more than 20 tags';
    ELSE IF EXISTS (SELECT 1 FROM OPENJSON(@tags) t WHERE t.type <> 1 OR chokaq.name_flaw(t.value, 64) IS NOT NULL)
      SET @flaw = N'@tags is not a JSON array of texts of 1 to 64 characters without control characters';
  END
  IF @flaw IS NOT NULL
  BEGIN
    SET @flaw = N'chokaq.Enqueue: ' + @flaw + N'.';
    THROW 51010, @flaw, 1;
  END

  DECLARE @is_own INT = @@TRANCOUNT;
  BEGIN TRY
    IF @is_own = 0 BEGIN TRANSACTION;
    IF @idempotency_key IS NOT NULL
    BEGIN
      -- Only transactions that name the same key wait for each other (or very long keys that begin alike).
      DECLARE @resource NVARCHAR(255) = N'chokaq ' + LEFT(@idempotency_key, 200);
      DECLARE @granted INT;
      EXEC @granted = sp_getapplock @Resource = @resource, @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = 10000;
      IF @granted < 0
        THROW 51012, 'chokaq.Enqueue: another open transaction has enqueued this @idempotency_key; try again once it has ended.', 1;
      DECLARE @holder_queue NVARCHAR(510), @holder_type NVARCHAR(510);
      -- First the inbox: a job that a node takes over at this moment is then found in the other table.
      SELECT TOP (1) @id = i.id, @holder_queue = i.queue, @holder_type = i.type FROM chokaq.inbox i
      WHERE i.idempotency_key = @idempotency_key AND i.idempotency_key IS NOT NULL ORDER BY i.seq;
      IF @id IS NULL
        SELECT @id = j.id, @holder_queue = j.queue, @holder_type = j.type FROM chokaq.jobs_hot j
        WHERE j.idempotency_key = @idempotency_key AND j.idempotency_key IS NOT NULL AND j.holds_key = 1;
      IF @id IS NOT NULL SET @duplicate = 1;
      IF @holder_queue COLLATE Latin1_General_BIN2 <> @queue OR @holder_type COLLATE Latin1_General_BIN2 <> @type
      BEGIN
        SET @flaw = N'chokaq.Enqueue: the active job ' + @id + N' holds this @idempotency_key with another queue or type; use another key.';
        THROW 51011, @flaw, 1;
      END
    END
    IF @id IS NULL
    BEGIN
      SET @id = LOWER(CONVERT(NVARCHAR(36), NEWID()));
      INSERT INTO chokaq.inbox (id, queue, type, priority, due_at, idempotency_key, result_ttl_ms, max_attempts, tags, created_by, traceparent, payload)
      VALUES (@id, @queue, @type, @priority, @due, @idempotency_key, @result_ttl_ms, @max_attempts, @tags, @created_by, @traceparent, @payload);
    END
    IF @is_own = 0 COMMIT;
  END TRY
  BEGIN CATCH
    IF @is_own = 0 AND @@TRANCOUNT > 0 ROLLBACK;
    THROW;
  END CATCH
END
