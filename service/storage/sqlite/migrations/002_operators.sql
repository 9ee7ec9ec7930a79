-- Serves from: 2
--
-- What operators need beyond single jobs.

-- Nodes that wind down.
ALTER TABLE nodes ADD COLUMN is_draining INTEGER NOT NULL DEFAULT 0;

-- API keys. A name belongs to one key that holds; who revoked a key decides whether a file can bring it back.
ALTER TABLE api_keys ADD COLUMN revoked_by TEXT;
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL;
INSERT INTO revisions (name, value) VALUES ('keys', 0);

-- The audit log. Refusals by scope share a row per key, route and minute; minute is null for everything else.
ALTER TABLE audit_log ADD COLUMN key_id TEXT;
ALTER TABLE audit_log ADD COLUMN request_id TEXT;
ALTER TABLE audit_log ADD COLUMN count INTEGER NOT NULL DEFAULT 1;
ALTER TABLE audit_log ADD COLUMN minute INTEGER;
CREATE UNIQUE INDEX audit_refusals ON audit_log (key_id, target, minute) WHERE minute IS NOT NULL;

-- Advances with every change of a circuit, so that each process knows whether its copy still holds.
INSERT INTO revisions (name, value) VALUES ('circuits', 0);

-- What retention reads: of each queue the oldest finished rows, whatever other queues keep and whenever the clock was wrong.
CREATE INDEX archive_finished ON jobs_archive (queue, finished_at);

-- Error families: the dead jobs of one reason whose error texts are the same but for numbers and ids. jobs counts rows of the
-- DLQ, in the transaction of the move that brings or takes them.
CREATE TABLE error_families (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  reason TEXT NOT NULL,
  prefix TEXT NOT NULL,
  jobs INTEGER NOT NULL,
  newest_at INTEGER NOT NULL,
  UNIQUE (reason, prefix)
) STRICT;

ALTER TABLE jobs_dlq ADD COLUMN error_family INTEGER;

-- What died before: error_prefix is the rule of domain/error-family.ts, as a function of the connection that migrates.
INSERT INTO error_families (reason, prefix, jobs, newest_at)
SELECT failure_reason, error_prefix(error_details) AS prefix, count(*), max(failed_at) FROM jobs_dlq
GROUP BY failure_reason, prefix ORDER BY count(*) DESC LIMIT 500;
UPDATE jobs_dlq SET error_family = (
  SELECT id FROM error_families WHERE reason = failure_reason AND prefix = error_prefix(error_details));
INSERT INTO error_families (reason, prefix, jobs, newest_at)
SELECT failure_reason, '(other)', count(*), max(failed_at) FROM jobs_dlq WHERE error_family IS NULL GROUP BY failure_reason;
UPDATE jobs_dlq SET error_family = (SELECT id FROM error_families WHERE reason = failure_reason AND prefix = '(other)')
WHERE error_family IS NULL;

CREATE INDEX dlq_failed_family ON jobs_dlq (error_family, failed_at);

-- Bulk operations on dead jobs. The set is what the filter matches up to the mark (a seq of the DLQ) and down to the last job;
-- the position is how far it was worked through, newest failure first. affected counts in the transaction of each move.
CREATE TABLE operations (
  id TEXT NOT NULL PRIMARY KEY,
  action TEXT NOT NULL,
  filter TEXT NOT NULL,
  mark INTEGER NOT NULL,
  total INTEGER NOT NULL,
  last_failed_at INTEGER,
  last_id TEXT,
  position_failed_at INTEGER,
  position_id TEXT,
  affected INTEGER NOT NULL DEFAULT 0,
  key_taken INTEGER NOT NULL DEFAULT 0,
  no_handler INTEGER NOT NULL DEFAULT 0,
  schema INTEGER NOT NULL DEFAULT 0,
  started_by TEXT NOT NULL,
  owner TEXT,
  started_at INTEGER NOT NULL,
  moved_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;

CREATE INDEX operations_unfinished ON operations (started_at, id) WHERE finished_at IS NULL;
CREATE INDEX operations_finished ON operations (finished_at) WHERE finished_at IS NOT NULL;

-- What this database's nodes sign with; it never leaves them.
CREATE TABLE secrets (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- The highest seq of a dead job that has left the DLQ.
INSERT INTO revisions (name, value) VALUES ('dlq', 0);
