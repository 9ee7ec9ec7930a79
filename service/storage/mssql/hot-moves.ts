// Owns the moves of hot rows in T-SQL, each for all rows of its kind at once: `@moved` has what becomes of which.
import { CARRIED_COLUMNS, FETCHED, PENDING, PROCESSING } from '../rows.ts';
import { DUE_EPOCH, EXACT } from './counters.ts';
import { HOT } from './moved-rows.ts';
import { overtakenIf } from './session.ts';

/**
 * A row that is no longer as it was read is not found, so that the count tells. A heartbeat changes no version, a passed key
 * and a promotion neither.
 */
export const LOAD_MOVED = `
  DECLARE @moved TABLE (
    n INT NOT NULL, seq BIGINT NOT NULL PRIMARY KEY, kind INT NOT NULL, status INT NOT NULL, promoted INT NOT NULL,
    holds_key INT NOT NULL, life_ms BIGINT NULL, answered INT NULL, error NVARCHAR(MAX) NULL, response INT NULL,
    body NVARCHAR(MAX) NULL, outcome VARCHAR(20) NULL, attempt VARCHAR(20) NULL, blamed INT NULL, reason VARCHAR(40) NULL,
    ended_by NVARCHAR(255) NULL, family INT NULL, priority INT NULL, tagged INT NULL, tags NVARCHAR(MAX) NULL,
    payload_from BIGINT NULL, payload_bytes BIGINT NULL, has_due INT NOT NULL, due_at BIGINT NOT NULL,
    id NVARCHAR(100) ${EXACT} NOT NULL, queue NVARCHAR(510) ${EXACT} NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL,
    old_due_at BIGINT NOT NULL, started_at BIGINT NULL, attempts INT NOT NULL, round INT NOT NULL,
    worker_id NVARCHAR(200) NULL, lease_id NVARCHAR(100) NULL, idempotency_key NVARCHAR(510) ${EXACT} NULL,
    result_ttl_ms BIGINT NULL);
  INSERT INTO @moved
  SELECT j.n, j.seq, j.kind, j.status, j.promoted, j.holds, j.life, j.answered, error.text, j.response, body.text, j.outcome,
    j.attempt, j.blamed, j.reason, who.text, j.family, j.priority, j.tagged, tags.text, j.payload_from, j.payload_bytes,
    CASE WHEN j.due_in IS NULL AND j.due_at IS NULL THEN 0 ELSE 1 END,
    CASE WHEN j.due_in IS NOT NULL THEN @now + j.due_in WHEN j.due_at IS NULL THEN h.due_at
      WHEN j.due_at < @now THEN @now ELSE j.due_at END,
    h.id, h.queue, h.type, h.due_at, h.started_at, h.attempts, h.round, h.worker_id, h.lease_id, h.idempotency_key, h.result_ttl_ms
  FROM OPENJSON(@moved_rows) WITH (
      n INT '$.n', seq BIGINT '$.seq', version INT '$.version', status INT '$.status', promoted INT '$.promoted',
      holds INT '$.holds', kind INT '$.kind', beat BIGINT '$.beat', life BIGINT '$.life', answered INT '$.answered',
      error INT '$.error', response INT '$.response', body INT '$.body', outcome VARCHAR(20) '$.outcome',
      attempt VARCHAR(20) '$.attempt', blamed INT '$.blamed', reason VARCHAR(40) '$.reason', who INT '$.by',
      family INT '$.family', priority INT '$.priority', tagged INT '$.tagged', tags INT '$.tags', due_in BIGINT '$.due_in',
      due_at BIGINT '$.due_at', payload_from BIGINT '$.payload_from', payload_bytes BIGINT '$.payload_bytes') j
  JOIN chokaq.jobs_hot h ON h.seq = j.seq AND h.version = j.version AND h.status = j.status AND h.promoted = j.promoted
    AND h.holds_key = j.holds AND (j.beat IS NULL OR h.heartbeat_at = j.beat)
  LEFT JOIN @texts error ON error.i = j.error LEFT JOIN @texts body ON body.i = j.body
  LEFT JOIN @texts who ON who.i = j.who LEFT JOIN @texts tags ON tags.i = j.tags;
  ${overtakenIf('@@ROWCOUNT <> @moved_count')}`;

const kindIs = (kind: keyof typeof HOT) => `kind = ${HOT[kind]}`;
const sumWhere = (condition: string, value = '1') => `SUM(CASE WHEN ${condition} THEN ${value} ELSE 0 END)`;
const WAITS_AGAIN = `kind IN (${HOT.giveBack}, ${HOT.edit})`;
const WAS_READY = `status = ${PENDING} AND promoted = 1`;

/** By kind, so that what leaves and what enters a lane do not cancel out: its head is looked for where either happened. */
export const COUNT_HOT = `
  INSERT INTO @moves (queue, type, ready, scheduled, fetched, processing, due_sum, succeeded, dead, succeeded_total,
    failed_total, retried_total, failed_attempts, duration_ms)
  SELECT queue, type,
    ${sumWhere(`${WAITS_AGAIN} AND due_at <= @now`)} - ${sumWhere(WAS_READY)},
    ${sumWhere(`${WAITS_AGAIN} AND due_at > @now`)} - ${sumWhere(`status = ${PENDING} AND promoted = 0`)},
    -${sumWhere(`status = ${FETCHED}`)}, ${sumWhere(kindIs('start'))} - ${sumWhere(`status = ${PROCESSING}`)},
    ${sumWhere(`${WAITS_AGAIN} AND due_at <= @now`, `due_at - ${DUE_EPOCH}`)} - ${sumWhere(WAS_READY, `old_due_at - ${DUE_EPOCH}`)},
    ${sumWhere(kindIs('succeed'))}, ${sumWhere(kindIs('bury'))}, ${sumWhere(kindIs('succeed'))}, ${sumWhere(kindIs('bury'))},
    ${sumWhere(`${kindIs('giveBack')} AND attempt IS NOT NULL`)}, ${sumWhere('blamed = 1')},
    ${sumWhere(`${kindIs('succeed')} AND started_at < @now`, '@now - started_at')}
  FROM @moved WHERE kind <> ${HOT.requestCancel} GROUP BY queue, type, kind;`;

/** An edit may change the head of its lane though it counts nothing. */
const COUNT_EDITED = `
  INSERT INTO @moves (queue, type, ready) SELECT queue, type, 1 FROM @moved WHERE ${kindIs('edit')};
  INSERT INTO @moves (queue, type, ready) SELECT queue, type, -1 FROM @moved WHERE ${kindIs('edit')};`;

const changing = (kind: keyof typeof HOT, set: string) => `
  UPDATE chokaq.jobs_hot SET ${set}, version = jobs_hot.version + 1, updated_at = @now
  FROM @moved m WHERE m.seq = jobs_hot.seq AND m.${kindIs(kind)};`;

const START = changing(
  'start',
  `status = ${PROCESSING}, attempts = jobs_hot.attempts + 1, started_at = @now, heartbeat_at = @now`,
);

/** What a release brings no answer for stays as the last attempt left it. */
const GIVE_BACK = changing(
  'giveBack',
  `status = ${PENDING}, started_at = NULL, heartbeat_at = NULL, worker_id = NULL, lease_id = NULL, cancel_requested_by = NULL,
    due_at = m.due_at, promoted = CASE WHEN m.due_at <= @now THEN 1 ELSE 0 END,
    last_error = CASE WHEN m.answered = 1 THEN m.error ELSE jobs_hot.last_error END,
    last_response_status = CASE WHEN m.answered = 1 THEN m.response ELSE jobs_hot.last_response_status END,
    last_response_body = CASE WHEN m.answered = 1 THEN m.body ELSE jobs_hot.last_response_body END`,
);

/** Whoever had fetched it loses it. A new due time of a job that never ran is also where its age counts from. */
const EDIT = changing(
  'edit',
  `status = ${PENDING}, worker_id = NULL, lease_id = NULL,
    due_at = m.due_at, promoted = CASE WHEN m.due_at <= @now THEN 1 ELSE 0 END,
    first_due_at = CASE WHEN m.has_due = 1 AND jobs_hot.attempts = 0 THEN m.due_at ELSE jobs_hot.first_due_at END,
    payload = COALESCE(SUBSTRING(@bytes, m.payload_from, m.payload_bytes), jobs_hot.payload),
    priority = COALESCE(m.priority, jobs_hot.priority),
    tags = CASE WHEN m.tagged = 1 THEN m.tags ELSE jobs_hot.tags END, changed_by = m.ended_by`,
);

const REQUEST_CANCEL = changing('requestCancel', 'cancel_requested_by = m.ended_by');

/** For the column list of an INSERT. */
export const CARRIED = CARRIED_COLUMNS.join(', ');

/** For the SELECT beside it: each column of `table` as it is, or as `changes` says. */
export function carried(table: string, changes: Partial<Record<(typeof CARRIED_COLUMNS)[number], string>>): string {
  return CARRIED_COLUMNS.map(column => changes[column] ?? `${table}.${column}`).join(', ');
}

const LEFT = { lease_id: 'NULL', version: 'h.version + 1', updated_at: '@now' } as const;
/** A clock that was set back makes no negative durations. */
const DURATION = 'CASE WHEN h.started_at > @now THEN 0 ELSE @now - h.started_at END';
const DELETE = (kind: keyof typeof HOT) =>
  `DELETE FROM chokaq.jobs_hot WHERE seq IN (SELECT seq FROM @moved WHERE ${kindIs(kind)});`;

const SUCCEED = `
  INSERT INTO chokaq.jobs_archive (${CARRIED}, outcome, finished_at, duration_ms)
  SELECT ${carried('h', {
    ...LEFT,
    last_response_status: 'm.response',
    last_response_body: 'm.body',
    last_error: 'COALESCE(m.error, h.last_error)',
  })}, m.outcome, @now, ${DURATION}
  FROM @moved m JOIN chokaq.jobs_hot h ON h.seq = m.seq WHERE m.${kindIs('succeed')} ORDER BY m.n;
  ${DELETE('succeed')}`;

/** The highest seq that a dead row has, or had: rows that left are remembered, so that none is ever given twice. */
export const LAST_DEAD = `(SELECT MAX(s.value) FROM (
  SELECT value FROM chokaq.revisions WHERE name = 'dlq' UNION ALL SELECT COALESCE(MAX(seq), 0) FROM chokaq.jobs_dlq) s)`;

const ofAttempt = (answered: string, stored: string) =>
  `CASE WHEN m.attempt IS NULL THEN ${stored} ELSE ${answered} END`;

/** A job that dies without an attempt keeps the answer to the last one it had. */
const BURY = `
  DECLARE @last_dead BIGINT = ${LAST_DEAD};
  INSERT INTO chokaq.jobs_dlq (
    seq, ${CARRIED}, failure_reason, error_details, failed_at, ended_by, duration_ms, error_family)
  SELECT @last_dead + ROW_NUMBER() OVER (ORDER BY m.n), ${carried('h', {
    ...LEFT,
    last_response_status: ofAttempt('m.response', 'h.last_response_status'),
    last_response_body: ofAttempt('m.body', 'h.last_response_body'),
    last_error: ofAttempt('m.error', 'COALESCE(m.error, h.last_error)'),
  })}, m.reason, m.error, @now, m.ended_by, ${DURATION}, f.id
  FROM @moved m JOIN chokaq.jobs_hot h ON h.seq = m.seq JOIN @joined f ON f.i = m.family WHERE m.${kindIs('bury')};
  ${DELETE('bury')}`;

/** In the order in which they run: families are joined before. */
export const HOT_MOVES = {
  start: START,
  giveBack: GIVE_BACK,
  succeed: SUCCEED,
  bury: BURY,
  edit: `${COUNT_EDITED} ${EDIT}`,
  requestCancel: REQUEST_CANCEL,
} as const satisfies Record<keyof typeof HOT, string>;

/** Of the jobs that wait for the same key, the oldest holds it next. */
export const PASS_KEYS = `
  UPDATE chokaq.jobs_hot SET holds_key = 1 WHERE seq IN (
    SELECT w.seq FROM (
      SELECT h.seq, ROW_NUMBER() OVER (PARTITION BY h.idempotency_key ORDER BY h.created_at, h.seq) AS place
      FROM chokaq.jobs_hot h
      WHERE h.holds_key = 0 AND h.idempotency_key IS NOT NULL AND h.idempotency_key IN (
        SELECT m.idempotency_key FROM @moved m
        WHERE m.kind IN (${HOT.succeed}, ${HOT.bury}) AND m.holds_key = 1 AND m.idempotency_key IS NOT NULL)) w
    WHERE w.place = 1);`;
