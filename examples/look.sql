-- A look at the tables, in plain SQL. Only look: the counters beside the tables are kept by the service.
--
--   sqlite3 -readonly -box data/chokaq.db < examples/look.sql
--   node dist/examples/look.js data/chokaq.db
--
-- docs/sql.md tells what the tables hold. Instants are milliseconds since 1970, UTC.

-- Per queue: what waits, runs, has succeeded and is dead
SELECT queue, pending, scheduled, fetched + processing AS running, succeeded, dead, retried_total AS retried
FROM stats_summary
ORDER BY pending DESC, queue;

-- What waits, in the order in which it runs
SELECT id, queue, type, priority, attempts, datetime(due_at / 1000, 'unixepoch') AS due, last_error
FROM jobs_hot
WHERE status = 0
ORDER BY promoted DESC, priority DESC, due_at, created_at, id
LIMIT 20;

-- What runs, since when, and when its node last said so
SELECT id, type, attempts, worker_id,
  datetime(started_at / 1000, 'unixepoch') AS started, datetime(heartbeat_at / 1000, 'unixepoch') AS heartbeat
FROM jobs_hot
WHERE status = 2
ORDER BY started_at
LIMIT 20;

-- What died, and why
SELECT id, queue, type, failure_reason, attempts, datetime(failed_at / 1000, 'unixepoch') AS failed, error_details
FROM jobs_dlq
ORDER BY failed_at DESC
LIMIT 20;

-- What most of them died of
SELECT type, failure_reason, count(*) AS jobs, max(last_response_status) AS status, max(error_details) AS for_example
FROM jobs_dlq
GROUP BY type, failure_reason
ORDER BY jobs DESC;

-- Every attempt of the last that died
SELECT job_id, round, attempt, outcome, response_status, finished_at - started_at AS ms, error
FROM job_attempts
WHERE job_id = (SELECT id FROM jobs_dlq ORDER BY failed_at DESC LIMIT 1)
ORDER BY round, attempt;

-- What it carried
SELECT id, CAST(payload AS TEXT) AS payload
FROM jobs_dlq
ORDER BY failed_at DESC
LIMIT 1;

-- How long the types take
SELECT type, count(*) AS jobs, round(avg(duration_ms)) AS avg_ms, max(duration_ms) AS max_ms
FROM jobs_archive
WHERE outcome = 'succeeded'
GROUP BY type
ORDER BY jobs DESC;

-- What came and went, minute by minute
SELECT datetime(at / 60000 * 60, 'unixepoch') AS minute, sum(enqueued) AS enqueued, sum(succeeded) AS succeeded, sum(dead) AS dead
FROM metric_buckets
GROUP BY minute
ORDER BY minute DESC
LIMIT 15;
