-- Serves from: 1
--
-- Everything ChokaQ stores in SQL Server. Instants are epoch milliseconds by the server's clock, durations milliseconds, JSON is text,
-- payloads are the bytes that were posted. A job lives in exactly one of three tables: hot (work to do), archive (succeeded),
-- dlq (every other ending). What compares has a binary collation, so that keys mean the same as in every other storage.
-- A line that says GO ends a batch, as in sqlcmd.

-- status: 0 pending, 1 fetched, 2 processing.
-- promoted: 0 while the due time lies ahead; 1 from the moment the row counts as due work (a "ready" row is pending and promoted).
-- holds_key: 0 for jobs stored next to another holder of their idempotency key (on_conflict "wait").
CREATE TABLE chokaq.jobs_hot (
  seq BIGINT IDENTITY NOT NULL CONSTRAINT jobs_hot_pk PRIMARY KEY,
  id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  status INT NOT NULL,
  promoted INT NOT NULL,
  circuit_epoch INT NULL,
  priority INT NOT NULL,
  due_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  first_due_at BIGINT NOT NULL,
  attempts INT NOT NULL,
  round INT NOT NULL,
  version INT NOT NULL,
  updated_at BIGINT NOT NULL,
  started_at BIGINT NULL,
  heartbeat_at BIGINT NULL,
  worker_id NVARCHAR(200) COLLATE Latin1_General_BIN2 NULL,
  lease_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  cancel_requested_by NVARCHAR(255) COLLATE Latin1_General_BIN2 NULL,
  holds_key INT NOT NULL,
  idempotency_key NVARCHAR(510) COLLATE Latin1_General_BIN2 NULL,
  result_ttl_ms BIGINT NULL,
  max_attempts INT NULL,
  overrides NVARCHAR(MAX) NULL,
  tags NVARCHAR(MAX) NULL,
  created_by NVARCHAR(255) NULL,
  creator_key_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  changed_by NVARCHAR(255) NULL,
  traceparent NVARCHAR(255) NULL,
  tracestate NVARCHAR(MAX) NULL,
  last_error NVARCHAR(MAX) NULL,
  last_response_status INT NULL,
  last_response_body NVARCHAR(MAX) NULL,
  resurrected_at BIGINT NULL,
  payload_hash VARBINARY(32) NOT NULL,
  payload VARBINARY(MAX) NOT NULL,
  CONSTRAINT jobs_hot_id UNIQUE (id)
);

-- The dequeue order. A claim reads the first rows of a lane and nothing else.
CREATE INDEX hot_ready ON chokaq.jobs_hot (queue, type, priority DESC, due_at, created_at, id) WHERE status = 0 AND promoted = 1;
-- What promotion reads.
CREATE INDEX hot_due ON chokaq.jobs_hot (due_at) WHERE promoted = 0;
CREATE UNIQUE INDEX hot_key ON chokaq.jobs_hot (idempotency_key) WHERE holds_key = 1 AND idempotency_key IS NOT NULL;
-- Who holds the key next, once its holder has ended.
CREATE INDEX hot_key_waiting ON chokaq.jobs_hot (idempotency_key, created_at) WHERE holds_key = 0 AND idempotency_key IS NOT NULL;
CREATE INDEX hot_owned ON chokaq.jobs_hot (worker_id) WHERE status > 0;
CREATE INDEX hot_cancel ON chokaq.jobs_hot (worker_id) WHERE cancel_requested_by IS NOT NULL;
-- Lists, newest first. Delayed rows are apart, so that neither kind is walked to find the other.
CREATE INDEX hot_created ON chokaq.jobs_hot (created_at, id) WHERE promoted = 1;
CREATE INDEX hot_created_delayed ON chokaq.jobs_hot (created_at, id) WHERE promoted = 0;
CREATE INDEX hot_queue ON chokaq.jobs_hot (queue, created_at, id);
CREATE INDEX hot_type ON chokaq.jobs_hot (type, created_at, id);

-- seq grows in the order of finishing.
CREATE TABLE chokaq.jobs_archive (
  seq BIGINT IDENTITY NOT NULL CONSTRAINT jobs_archive_pk PRIMARY KEY,
  id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  outcome VARCHAR(20) NOT NULL,
  finished_at BIGINT NOT NULL,
  duration_ms BIGINT NULL,
  priority INT NOT NULL,
  due_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  first_due_at BIGINT NOT NULL,
  attempts INT NOT NULL,
  round INT NOT NULL,
  version INT NOT NULL,
  updated_at BIGINT NOT NULL,
  started_at BIGINT NULL,
  heartbeat_at BIGINT NULL,
  worker_id NVARCHAR(200) COLLATE Latin1_General_BIN2 NULL,
  lease_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  cancel_requested_by NVARCHAR(255) COLLATE Latin1_General_BIN2 NULL,
  holds_key INT NOT NULL,
  idempotency_key NVARCHAR(510) COLLATE Latin1_General_BIN2 NULL,
  result_ttl_ms BIGINT NULL,
  max_attempts INT NULL,
  overrides NVARCHAR(MAX) NULL,
  tags NVARCHAR(MAX) NULL,
  created_by NVARCHAR(255) NULL,
  creator_key_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  changed_by NVARCHAR(255) NULL,
  traceparent NVARCHAR(255) NULL,
  tracestate NVARCHAR(MAX) NULL,
  last_error NVARCHAR(MAX) NULL,
  last_response_status INT NULL,
  last_response_body NVARCHAR(MAX) NULL,
  resurrected_at BIGINT NULL,
  payload_hash VARBINARY(32) NOT NULL,
  payload VARBINARY(MAX) NOT NULL,
  CONSTRAINT jobs_archive_id UNIQUE (id)
);

CREATE INDEX archive_created ON chokaq.jobs_archive (created_at, id);
CREATE INDEX archive_queue ON chokaq.jobs_archive (queue, created_at, id);
CREATE INDEX archive_type ON chokaq.jobs_archive (type, created_at, id);
-- What retention reads: of each queue the oldest finished rows, whatever other queues keep and whenever the clock was wrong.
CREATE INDEX archive_finished ON chokaq.jobs_archive (queue, finished_at);

-- seq is given by the service: that of a later death is never lower, whatever has left meanwhile.
CREATE TABLE chokaq.jobs_dlq (
  seq BIGINT NOT NULL CONSTRAINT jobs_dlq_pk PRIMARY KEY,
  id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  failure_reason VARCHAR(40) NOT NULL,
  error_details NVARCHAR(MAX) NULL,
  failed_at BIGINT NOT NULL,
  ended_by NVARCHAR(255) NULL,
  duration_ms BIGINT NULL,
  error_family BIGINT NULL,
  priority INT NOT NULL,
  due_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  first_due_at BIGINT NOT NULL,
  attempts INT NOT NULL,
  round INT NOT NULL,
  version INT NOT NULL,
  updated_at BIGINT NOT NULL,
  started_at BIGINT NULL,
  heartbeat_at BIGINT NULL,
  worker_id NVARCHAR(200) COLLATE Latin1_General_BIN2 NULL,
  lease_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  cancel_requested_by NVARCHAR(255) COLLATE Latin1_General_BIN2 NULL,
  holds_key INT NOT NULL,
  idempotency_key NVARCHAR(510) COLLATE Latin1_General_BIN2 NULL,
  result_ttl_ms BIGINT NULL,
  max_attempts INT NULL,
  overrides NVARCHAR(MAX) NULL,
  tags NVARCHAR(MAX) NULL,
  created_by NVARCHAR(255) NULL,
  creator_key_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  changed_by NVARCHAR(255) NULL,
  traceparent NVARCHAR(255) NULL,
  tracestate NVARCHAR(MAX) NULL,
  last_error NVARCHAR(MAX) NULL,
  last_response_status INT NULL,
  last_response_body NVARCHAR(MAX) NULL,
  resurrected_at BIGINT NULL,
  payload_hash VARBINARY(32) NOT NULL,
  payload VARBINARY(MAX) NOT NULL,
  CONSTRAINT jobs_dlq_id UNIQUE (id)
);

CREATE INDEX dlq_created ON chokaq.jobs_dlq (created_at, id);
CREATE INDEX dlq_queue ON chokaq.jobs_dlq (queue, created_at, id);
CREATE INDEX dlq_type ON chokaq.jobs_dlq (type, created_at, id);
CREATE INDEX dlq_failed ON chokaq.jobs_dlq (failed_at, id);
CREATE INDEX dlq_failed_queue ON chokaq.jobs_dlq (queue, failed_at, id);
CREATE INDEX dlq_failed_type ON chokaq.jobs_dlq (type, failed_at, id);
CREATE INDEX dlq_failed_reason ON chokaq.jobs_dlq (failure_reason, failed_at, id);
CREATE INDEX dlq_failed_family ON chokaq.jobs_dlq (error_family, failed_at, id);

-- One row per attempt that did not simply succeed.
CREATE TABLE chokaq.job_attempts (
  job_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  round INT NOT NULL,
  attempt INT NOT NULL,
  started_at BIGINT NOT NULL,
  finished_at BIGINT NOT NULL,
  worker_id NVARCHAR(200) COLLATE Latin1_General_BIN2 NOT NULL,
  outcome VARCHAR(20) NOT NULL,
  response_status INT NULL,
  response_body NVARCHAR(MAX) NULL,
  error NVARCHAR(MAX) NULL,
  CONSTRAINT job_attempts_pk PRIMARY KEY (job_id, round, attempt)
);

CREATE TABLE chokaq.queues (
  name NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT queues_pk PRIMARY KEY NONCLUSTERED,
  is_paused INT NOT NULL DEFAULT 0,
  is_active INT NOT NULL DEFAULT 1,
  max_workers INT NULL,
  zombie_timeout_ms BIGINT NULL,
  execution_timeout_ms BIGINT NULL,
  archive_retention_ms BIGINT NULL,
  dlq_retention_ms BIGINT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- Rows now by state, and lifetime totals, per queue; changed in the transaction of the move they count.
CREATE TABLE chokaq.stats_summary (
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT stats_summary_pk PRIMARY KEY NONCLUSTERED,
  pending BIGINT NOT NULL DEFAULT 0,
  scheduled BIGINT NOT NULL DEFAULT 0,
  fetched BIGINT NOT NULL DEFAULT 0,
  processing BIGINT NOT NULL DEFAULT 0,
  succeeded BIGINT NOT NULL DEFAULT 0,
  dead BIGINT NOT NULL DEFAULT 0,
  succeeded_total BIGINT NOT NULL DEFAULT 0,
  failed_total BIGINT NOT NULL DEFAULT 0,
  retried_total BIGINT NOT NULL DEFAULT 0
);

-- What waits and runs per queue and type. Claims go over lanes in the order of their heads and never see a blocked lane's rows.
-- due_sum: sum over ready rows of due_at minus 1700000000000, so that 64 bits hold it for any backlog.
CREATE TABLE chokaq.lanes (
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  ready BIGINT NOT NULL DEFAULT 0,
  scheduled BIGINT NOT NULL DEFAULT 0,
  fetched BIGINT NOT NULL DEFAULT 0,
  processing BIGINT NOT NULL DEFAULT 0,
  due_sum BIGINT NOT NULL DEFAULT 0,
  head_priority INT NULL,
  head_due_at BIGINT NULL,
  CONSTRAINT lanes_pk PRIMARY KEY NONCLUSTERED (queue, type)
);

CREATE INDEX lanes_head ON chokaq.lanes (head_priority DESC, head_due_at) WHERE ready > 0;
CREATE INDEX lanes_type ON chokaq.lanes (type);

-- Per second and queue, folded into minutes later; at is the first millisecond of the second.
CREATE TABLE chokaq.metric_buckets (
  at BIGINT NOT NULL,
  queue NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  enqueued BIGINT NOT NULL DEFAULT 0,
  succeeded BIGINT NOT NULL DEFAULT 0,
  dead BIGINT NOT NULL DEFAULT 0,
  failed_attempts BIGINT NOT NULL DEFAULT 0,
  retried BIGINT NOT NULL DEFAULT 0,
  duration_sum_ms BIGINT NOT NULL DEFAULT 0,
  CONSTRAINT metric_buckets_pk PRIMARY KEY NONCLUSTERED (at, queue)
);

CREATE TABLE chokaq.handlers (
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT handlers_pk PRIMARY KEY NONCLUSTERED,
  url NVARCHAR(MAX) NOT NULL,
  secret NVARCHAR(MAX) NOT NULL,
  previous_secret NVARCHAR(MAX) NULL,
  previous_secret_until BIGINT NULL,
  attempts NVARCHAR(MAX) NOT NULL,
  fatal_statuses NVARCHAR(MAX) NOT NULL,
  circuit NVARCHAR(MAX) NOT NULL,
  headers NVARCHAR(MAX) NOT NULL,
  [schema] NVARCHAR(MAX) NULL,
  concurrency INT NULL,
  managed_by VARCHAR(20) NOT NULL,
  last_response_status INT NULL,
  last_response_at BIGINT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

-- Grows with every change of the named thing, by any node. turn: every write transaction of the service begins by advancing it,
-- so that one follows the other. dlq: the highest seq of a dead job that has left the DLQ.
CREATE TABLE chokaq.revisions (
  name VARCHAR(20) NOT NULL CONSTRAINT revisions_pk PRIMARY KEY,
  value BIGINT NOT NULL
);

INSERT INTO chokaq.revisions (name, value)
VALUES ('turn', 0), ('handlers', 0), ('queues', 0), ('settings', 0), ('keys', 0), ('circuits', 0), ('dlq', 0);

-- state: "in-progress" or "completed".
CREATE TABLE chokaq.idempotency_claims (
  idempotency_key NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT idempotency_claims_pk PRIMARY KEY NONCLUSTERED,
  state VARCHAR(20) NOT NULL,
  job_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  round INT NOT NULL,
  lease_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  claimed_at BIGINT NOT NULL,
  life_ms BIGINT NOT NULL,
  expires_at BIGINT NOT NULL
);

CREATE INDEX claims_expiry ON chokaq.idempotency_claims (expires_at);
CREATE INDEX claims_lease ON chokaq.idempotency_claims (lease_id) WHERE lease_id IS NOT NULL;

CREATE TABLE chokaq.circuits (
  type NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT circuits_pk PRIMARY KEY NONCLUSTERED,
  state VARCHAR(20) NOT NULL,
  epoch INT NOT NULL,
  failed_at NVARCHAR(MAX) NOT NULL,
  open_until BIGINT NULL,
  break_time_ms BIGINT NULL,
  probe_at BIGINT NULL,
  ramp_limit INT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE chokaq.nodes (
  id NVARCHAR(200) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT nodes_pk PRIMARY KEY,
  host NVARCHAR(255) NOT NULL,
  version NVARCHAR(50) NOT NULL,
  concurrency INT NOT NULL,
  started_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  queues_revision BIGINT NULL,
  is_draining INT NOT NULL DEFAULT 0
);

CREATE TABLE chokaq.settings (
  name NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT settings_pk PRIMARY KEY,
  value NVARCHAR(MAX) NOT NULL,
  updated_at BIGINT NOT NULL,
  updated_by NVARCHAR(255) NULL
);

-- A name belongs to one key that holds; who revoked a key decides whether a file can bring it back.
CREATE TABLE chokaq.api_keys (
  id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT api_keys_pk PRIMARY KEY,
  name NVARCHAR(510) COLLATE Latin1_General_BIN2 NOT NULL,
  key_hash VARBINARY(32) NOT NULL CONSTRAINT api_keys_hash UNIQUE,
  scopes NVARCHAR(MAX) NOT NULL,
  rate_limit NVARCHAR(MAX) NULL,
  managed_by VARCHAR(20) NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT NULL,
  revoked_by NVARCHAR(255) NULL,
  last_used_at BIGINT NULL
);

CREATE UNIQUE INDEX api_keys_name ON chokaq.api_keys (name) WHERE revoked_at IS NULL;

-- Refusals by scope share a row per key, route and minute; minute is null for everything else.
CREATE TABLE chokaq.audit_log (
  seq BIGINT IDENTITY NOT NULL CONSTRAINT audit_log_pk PRIMARY KEY,
  at BIGINT NOT NULL,
  actor NVARCHAR(255) COLLATE Latin1_General_BIN2 NULL,
  key_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  action NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  target NVARCHAR(510) COLLATE Latin1_General_BIN2 NULL,
  filter NVARCHAR(MAX) NULL,
  affected BIGINT NULL,
  outcome VARCHAR(100) NOT NULL,
  request_id NVARCHAR(255) NULL,
  details NVARCHAR(MAX) NULL,
  count INT NOT NULL DEFAULT 1,
  minute BIGINT NULL
);

CREATE INDEX audit_at ON chokaq.audit_log (at, seq);
CREATE UNIQUE INDEX audit_refusals ON chokaq.audit_log (key_id, target, minute) WHERE minute IS NOT NULL;

-- Error families: the dead jobs of one reason whose error texts are the same but for numbers and ids. jobs counts rows of the
-- DLQ, in the transaction of the move that brings or takes them.
CREATE TABLE chokaq.error_families (
  id BIGINT IDENTITY NOT NULL CONSTRAINT error_families_pk PRIMARY KEY,
  reason VARCHAR(40) NOT NULL,
  prefix NVARCHAR(400) COLLATE Latin1_General_BIN2 NOT NULL,
  jobs BIGINT NOT NULL,
  newest_at BIGINT NOT NULL,
  CONSTRAINT error_families_reason UNIQUE (reason, prefix)
);

-- Operations on many jobs. The set is what the filter matches up to the mark (a seq of the DLQ) and down to the last job; the
-- position is how far it was worked through, newest failure (of a rejection: newest creation) first. affected counts in the
-- transaction of each move. failures: tries of the present batch that met a bug, the last of them in error. ended: "finished",
-- "failed" or "cancelled", null while it goes on.
CREATE TABLE chokaq.operations (
  id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT operations_pk PRIMARY KEY,
  action VARCHAR(20) NOT NULL,
  filter NVARCHAR(MAX) NOT NULL,
  mark BIGINT NOT NULL,
  total BIGINT NOT NULL,
  last_failed_at BIGINT NULL,
  last_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  position_at BIGINT NULL,
  position_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NULL,
  affected BIGINT NOT NULL DEFAULT 0,
  key_taken BIGINT NOT NULL DEFAULT 0,
  no_handler BIGINT NOT NULL DEFAULT 0,
  [schema] BIGINT NOT NULL DEFAULT 0,
  started_by NVARCHAR(255) NOT NULL,
  owner NVARCHAR(200) COLLATE Latin1_General_BIN2 NULL,
  started_at BIGINT NOT NULL,
  moved_at BIGINT NOT NULL,
  failures INT NOT NULL DEFAULT 0,
  error NVARCHAR(MAX) NULL,
  finished_at BIGINT NULL,
  ended VARCHAR(20) NULL
);

CREATE INDEX operations_unfinished ON chokaq.operations (started_at, id) WHERE finished_at IS NULL;
CREATE INDEX operations_finished ON chokaq.operations (finished_at) WHERE finished_at IS NOT NULL;

-- The last write of each writer, by which it finds out what became of a transaction whose answer was lost.
CREATE TABLE chokaq.writes (
  writer NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT writes_pk PRIMARY KEY,
  write_id NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  at BIGINT NOT NULL
);

-- What this database's nodes sign with; it never leaves them.
CREATE TABLE chokaq.secrets (
  name NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT secrets_pk PRIMARY KEY,
  value NVARCHAR(MAX) NOT NULL
);
