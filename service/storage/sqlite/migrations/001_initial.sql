-- Serves from: 1
--
-- Everything ChokaQ stores. Instants are epoch milliseconds, durations milliseconds, JSON is TEXT.
-- A job lives in exactly one of three tables: hot (work to do), archive (succeeded), dlq (every other ending).

-- status: 0 pending, 1 fetched, 2 processing.
-- promoted: 0 while the due time lies ahead; 1 from the moment the row counts as due work (a "ready" row is pending and promoted).
-- holds_key: 0 for jobs stored next to another holder of their idempotency key (on_conflict "wait").
CREATE TABLE jobs_hot (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  status INTEGER NOT NULL,
  promoted INTEGER NOT NULL,
  priority INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  round INTEGER NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  heartbeat_at INTEGER,
  worker_id TEXT,
  lease_id TEXT,
  cancel_requested_by TEXT,
  circuit_epoch INTEGER,
  holds_key INTEGER NOT NULL,
  idempotency_key TEXT,
  result_ttl_ms INTEGER,
  max_attempts INTEGER,
  overrides TEXT,
  tags TEXT,
  created_by TEXT,
  creator_key_id TEXT,
  changed_by TEXT,
  traceparent TEXT,
  tracestate TEXT,
  last_error TEXT,
  last_response_status INTEGER,
  last_response_body TEXT,
  resurrected_at INTEGER,
  payload_hash BLOB NOT NULL,
  payload BLOB NOT NULL
) STRICT;

-- The dequeue order. A claim reads the first rows of a lane and nothing else.
CREATE INDEX hot_ready ON jobs_hot (queue, type, priority DESC, due_at, created_at, id) WHERE status = 0 AND promoted = 1;
-- What promotion reads.
CREATE INDEX hot_due ON jobs_hot (due_at) WHERE promoted = 0;
CREATE UNIQUE INDEX hot_key ON jobs_hot (idempotency_key) WHERE holds_key = 1 AND idempotency_key IS NOT NULL;
-- Who holds the key next, once its holder has ended.
CREATE INDEX hot_key_waiting ON jobs_hot (idempotency_key, created_at) WHERE holds_key = 0 AND idempotency_key IS NOT NULL;
CREATE INDEX hot_owned ON jobs_hot (worker_id) WHERE status > 0;
CREATE INDEX hot_cancel ON jobs_hot (worker_id) WHERE cancel_requested_by IS NOT NULL;
-- Lists, newest first. Delayed rows are apart, so that neither kind is walked to find the other.
CREATE INDEX hot_created ON jobs_hot (created_at) WHERE promoted = 1;
CREATE INDEX hot_created_delayed ON jobs_hot (created_at) WHERE promoted = 0;
CREATE INDEX hot_queue ON jobs_hot (queue, created_at);
CREATE INDEX hot_type ON jobs_hot (type, created_at);

-- seq grows in the order of finishing, which is what retention goes by.
CREATE TABLE jobs_archive (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  outcome TEXT NOT NULL,
  priority INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  round INTEGER NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  heartbeat_at INTEGER,
  finished_at INTEGER NOT NULL,
  duration_ms INTEGER,
  worker_id TEXT,
  lease_id TEXT,
  cancel_requested_by TEXT,
  holds_key INTEGER NOT NULL,
  idempotency_key TEXT,
  result_ttl_ms INTEGER,
  max_attempts INTEGER,
  overrides TEXT,
  tags TEXT,
  created_by TEXT,
  creator_key_id TEXT,
  changed_by TEXT,
  traceparent TEXT,
  tracestate TEXT,
  last_error TEXT,
  last_response_status INTEGER,
  last_response_body TEXT,
  resurrected_at INTEGER,
  payload_hash BLOB NOT NULL,
  payload BLOB NOT NULL
) STRICT;

CREATE INDEX archive_created ON jobs_archive (created_at);
CREATE INDEX archive_queue ON jobs_archive (queue, created_at);
CREATE INDEX archive_type ON jobs_archive (type, created_at);

CREATE TABLE jobs_dlq (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  failure_reason TEXT NOT NULL,
  error_details TEXT,
  failed_at INTEGER NOT NULL,
  ended_by TEXT,
  priority INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  first_due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  round INTEGER NOT NULL,
  version INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  started_at INTEGER,
  heartbeat_at INTEGER,
  duration_ms INTEGER,
  worker_id TEXT,
  lease_id TEXT,
  cancel_requested_by TEXT,
  holds_key INTEGER NOT NULL,
  idempotency_key TEXT,
  result_ttl_ms INTEGER,
  max_attempts INTEGER,
  overrides TEXT,
  tags TEXT,
  created_by TEXT,
  creator_key_id TEXT,
  changed_by TEXT,
  traceparent TEXT,
  tracestate TEXT,
  last_error TEXT,
  last_response_status INTEGER,
  last_response_body TEXT,
  resurrected_at INTEGER,
  payload_hash BLOB NOT NULL,
  payload BLOB NOT NULL
) STRICT;

CREATE INDEX dlq_created ON jobs_dlq (created_at);
CREATE INDEX dlq_queue ON jobs_dlq (queue, created_at);
CREATE INDEX dlq_type ON jobs_dlq (type, created_at);
CREATE INDEX dlq_failed ON jobs_dlq (failed_at);
CREATE INDEX dlq_failed_queue ON jobs_dlq (queue, failed_at);
CREATE INDEX dlq_failed_type ON jobs_dlq (type, failed_at);
CREATE INDEX dlq_failed_reason ON jobs_dlq (failure_reason, failed_at);

-- One row per attempt that did not simply succeed.
CREATE TABLE job_attempts (
  job_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  attempt INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER NOT NULL,
  worker_id TEXT NOT NULL,
  outcome TEXT NOT NULL,
  response_status INTEGER,
  response_body TEXT,
  error TEXT,
  PRIMARY KEY (job_id, round, attempt)
) STRICT, WITHOUT ROWID;

CREATE TABLE queues (
  name TEXT NOT NULL PRIMARY KEY,
  is_paused INTEGER NOT NULL DEFAULT 0,
  is_active INTEGER NOT NULL DEFAULT 1,
  max_workers INTEGER,
  zombie_timeout_ms INTEGER,
  execution_timeout_ms INTEGER,
  archive_retention_ms INTEGER,
  dlq_retention_ms INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Rows now by state, and lifetime totals, per queue; changed in the transaction of the move they count.
CREATE TABLE stats_summary (
  queue TEXT NOT NULL PRIMARY KEY,
  pending INTEGER NOT NULL DEFAULT 0,
  scheduled INTEGER NOT NULL DEFAULT 0,
  fetched INTEGER NOT NULL DEFAULT 0,
  processing INTEGER NOT NULL DEFAULT 0,
  succeeded INTEGER NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0,
  succeeded_total INTEGER NOT NULL DEFAULT 0,
  failed_total INTEGER NOT NULL DEFAULT 0,
  retried_total INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- What waits and runs per queue and type. Claims go over lanes in the order of their heads and never see a blocked lane's rows.
-- due_sum: sum over ready rows of due_at minus 1700000000000, so that 64 bits hold it for any backlog.
CREATE TABLE lanes (
  queue TEXT NOT NULL,
  type TEXT NOT NULL,
  ready INTEGER NOT NULL DEFAULT 0,
  scheduled INTEGER NOT NULL DEFAULT 0,
  fetched INTEGER NOT NULL DEFAULT 0,
  processing INTEGER NOT NULL DEFAULT 0,
  due_sum INTEGER NOT NULL DEFAULT 0,
  head_priority INTEGER,
  head_due_at INTEGER,
  PRIMARY KEY (queue, type)
) STRICT, WITHOUT ROWID;

CREATE INDEX lanes_head ON lanes (head_priority DESC, head_due_at) WHERE ready > 0;
CREATE INDEX lanes_type ON lanes (type);

-- Per second and queue; at is the first millisecond of the second.
CREATE TABLE metric_buckets (
  at INTEGER NOT NULL,
  queue TEXT NOT NULL,
  enqueued INTEGER NOT NULL DEFAULT 0,
  succeeded INTEGER NOT NULL DEFAULT 0,
  dead INTEGER NOT NULL DEFAULT 0,
  failed_attempts INTEGER NOT NULL DEFAULT 0,
  retried INTEGER NOT NULL DEFAULT 0,
  duration_sum_ms INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (at, queue)
) STRICT, WITHOUT ROWID;

CREATE TABLE handlers (
  type TEXT NOT NULL PRIMARY KEY,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_secret_until INTEGER,
  attempts TEXT NOT NULL,
  fatal_statuses TEXT NOT NULL,
  circuit TEXT NOT NULL,
  headers TEXT NOT NULL,
  schema TEXT,
  concurrency INTEGER,
  managed_by TEXT NOT NULL,
  last_response_status INTEGER,
  last_response_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Grows with every change of the named thing, by any node.
CREATE TABLE revisions (
  name TEXT NOT NULL PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO revisions (name, value) VALUES ('handlers', 0), ('queues', 0), ('settings', 0);

-- state: "in-progress" or "completed".
CREATE TABLE idempotency_claims (
  idempotency_key TEXT NOT NULL PRIMARY KEY,
  state TEXT NOT NULL,
  job_id TEXT NOT NULL,
  round INTEGER NOT NULL,
  lease_id TEXT,
  claimed_at INTEGER NOT NULL,
  life_ms INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claims_expiry ON idempotency_claims (expires_at);
CREATE INDEX claims_lease ON idempotency_claims (lease_id) WHERE lease_id IS NOT NULL;

CREATE TABLE circuits (
  type TEXT NOT NULL PRIMARY KEY,
  state TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  failed_at TEXT NOT NULL,
  open_until INTEGER,
  break_time_ms INTEGER,
  probe_at INTEGER,
  ramp_limit INTEGER,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE nodes (
  id TEXT NOT NULL PRIMARY KEY,
  host TEXT NOT NULL,
  version TEXT NOT NULL,
  concurrency INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  queues_revision INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE settings (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  updated_by TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE api_keys (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  key_hash BLOB NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  rate_limit TEXT,
  managed_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE audit_log (
  seq INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT,
  action TEXT NOT NULL,
  target TEXT,
  filter TEXT,
  affected INTEGER,
  outcome TEXT NOT NULL,
  details TEXT
) STRICT;

CREATE INDEX audit_at ON audit_log (at);
