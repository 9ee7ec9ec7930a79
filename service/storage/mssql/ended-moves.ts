// Owns the moves of jobs that have ended, in T-SQL: back to pending, edited in the DLQ, or gone for good.
import { PENDING } from '../rows.ts';
import { DUE_EPOCH, EXACT } from './counters.ts';
import { leaveFamilies } from './families.ts';
import { CARRIED, carried } from './hot-moves.ts';
import { ENDED } from './moved-rows.ts';
import { overtakenIf } from './session.ts';

const loadFrom = (table: string, family: string, key: string, kinds: string) => `
  INSERT INTO @ended
  SELECT j.seq, j.kind, j.holds, who.text, j.priority, j.tagged, tags.text, j.payload_from, j.payload_bytes,
    CASE WHEN j.due_in IS NOT NULL THEN @now + j.due_in WHEN j.due_at < @now THEN @now ELSE j.due_at END,
    d.id, d.queue, d.type, ${family}, ${key}
  FROM OPENJSON(@ended_rows) WITH (
      seq BIGINT '$.seq', version INT '$.version', kind INT '$.kind', holds INT '$.holds', who INT '$.by',
      priority INT '$.priority', tagged INT '$.tagged', tags INT '$.tags', due_in BIGINT '$.due_in', due_at BIGINT '$.due_at',
      payload_from BIGINT '$.payload_from', payload_bytes BIGINT '$.payload_bytes') j
  JOIN chokaq.${table} d ON d.seq = j.seq AND d.version = j.version
  LEFT JOIN @texts who ON who.i = j.who LEFT JOIN @texts tags ON tags.i = j.tags
  WHERE j.kind ${kinds};`;

/** `due_at` is null where the due time stays, or is now. */
export const DECLARE_ENDED = `
  DECLARE @ended TABLE (
    seq BIGINT NOT NULL, kind INT NOT NULL, holds_key INT NOT NULL, changed_by NVARCHAR(255) NULL, priority INT NULL,
    tagged INT NULL, tags NVARCHAR(MAX) NULL, payload_from BIGINT NULL, payload_bytes BIGINT NULL, due_at BIGINT NULL,
    id NVARCHAR(100) ${EXACT} NOT NULL, queue NVARCHAR(510) ${EXACT} NOT NULL, type NVARCHAR(510) ${EXACT} NOT NULL,
    error_family BIGINT NULL, idempotency_key NVARCHAR(510) ${EXACT} NULL);`;
export const LOAD_DEAD = loadFrom('jobs_dlq', 'd.error_family', 'd.idempotency_key', `<> ${ENDED.remove}`);
export const LOAD_ARCHIVED = loadFrom('jobs_archive', 'NULL', 'NULL', `= ${ENDED.remove}`);

/** A row that is no longer as it was read was not found, so that the count tells. */
export const ALL_LOADED = overtakenIf('(SELECT COUNT(*) FROM @ended) <> @ended_count');

const kindIs = (kind: keyof typeof ENDED) => `kind = ${ENDED[kind]}`;
const IS_READY = '(due_at IS NULL OR due_at <= @now)';

export const COUNT_ENDED = `
  INSERT INTO @moves (queue, type, ready, scheduled, due_sum)
  SELECT queue, type, SUM(CASE WHEN ${IS_READY} THEN 1 ELSE 0 END), SUM(CASE WHEN ${IS_READY} THEN 0 ELSE 1 END),
    SUM(CASE WHEN ${IS_READY} THEN COALESCE(due_at, @now) - ${DUE_EPOCH} ELSE 0 END)
  FROM @ended WHERE ${kindIs('resurrect')} GROUP BY queue, type;
  INSERT INTO @moves (queue, succeeded, dead)
  SELECT queue, -SUM(CASE WHEN ${kindIs('remove')} THEN 1 ELSE 0 END), -SUM(CASE WHEN ${kindIs('remove')} THEN 0 ELSE 1 END)
  FROM @ended WHERE kind <> ${ENDED.edit} GROUP BY queue;`;

/** A job that had only waited for its key waits again while another holds it. */
const KEY_CHANGED_HANDS = `EXISTS (
  SELECT 1 FROM @ended e
  WHERE e.${kindIs('resurrect')} AND e.idempotency_key IS NOT NULL AND e.holds_key = CASE WHEN EXISTS (
    SELECT 1 FROM chokaq.jobs_hot h WHERE h.holds_key = 1 AND h.idempotency_key IS NOT NULL
      AND h.idempotency_key = e.idempotency_key) THEN 1 ELSE 0 END)`;

const edited = (table: string) => ({
  payload: `COALESCE(SUBSTRING(@bytes, e.payload_from, e.payload_bytes), ${table}.payload)`,
  priority: `COALESCE(e.priority, ${table}.priority)`,
  tags: `CASE WHEN e.tagged = 1 THEN e.tags ELSE ${table}.tags END`,
});

const NOT_OWNED = {
  started_at: 'NULL',
  heartbeat_at: 'NULL',
  worker_id: 'NULL',
  lease_id: 'NULL',
  cancel_requested_by: 'NULL',
} as const;

const RESURRECT = `
  ${overtakenIf(KEY_CHANGED_HANDS)}
  INSERT INTO chokaq.jobs_hot (status, promoted, ${CARRIED})
  SELECT ${PENDING}, CASE WHEN e.due_at IS NULL OR e.due_at <= @now THEN 1 ELSE 0 END, ${carried('d', {
    ...edited('d'),
    ...NOT_OWNED,
    due_at: 'COALESCE(e.due_at, @now)',
    first_due_at: 'COALESCE(e.due_at, @now)',
    attempts: '0',
    round: 'd.round + 1',
    holds_key: 'e.holds_key',
    changed_by: 'e.changed_by',
    resurrected_at: '@now',
    version: 'd.version + 1',
    updated_at: '@now',
  })}
  FROM @ended e JOIN chokaq.jobs_dlq d ON d.seq = e.seq WHERE e.${kindIs('resurrect')};`;

const EDIT = `
  UPDATE chokaq.jobs_dlq SET
    due_at = COALESCE(e.due_at, jobs_dlq.due_at), ${Object.entries(edited('jobs_dlq'))
      .map(([column, value]) => `${column} = ${value}`)
      .join(', ')},
    changed_by = e.changed_by, version = jobs_dlq.version + 1, updated_at = @now
  FROM @ended e WHERE e.seq = jobs_dlq.seq AND e.${kindIs('edit')};`;

const FORGET_ATTEMPTS = `
  DELETE FROM chokaq.job_attempts WHERE job_id IN (SELECT id FROM @ended WHERE kind IN (${ENDED.purge}, ${ENDED.remove}));`;

const REMOVE = `DELETE FROM chokaq.jobs_archive WHERE seq IN (SELECT seq FROM @ended WHERE ${kindIs('remove')});`;

export const ENDED_MOVES = {
  resurrect: RESURRECT,
  edit: EDIT,
  purge: FORGET_ATTEMPTS,
  remove: `${FORGET_ATTEMPTS} ${REMOVE}`,
} as const satisfies Record<keyof typeof ENDED, string>;

/** The seq of a row that has left is not given again (`OperationStore.mark`). */
export const LEAVE_DEAD = `
  UPDATE chokaq.revisions SET value = gone.seq
  FROM (SELECT MAX(seq) AS seq FROM @ended WHERE kind IN (${ENDED.resurrect}, ${ENDED.purge})) gone
  WHERE name = 'dlq' AND value < gone.seq;
  ${leaveFamilies(`(SELECT error_family FROM @ended WHERE kind IN (${ENDED.resurrect}, ${ENDED.purge}))`)}
  DELETE FROM chokaq.jobs_dlq WHERE seq IN (SELECT seq FROM @ended WHERE kind IN (${ENDED.resurrect}, ${ENDED.purge}));`;
