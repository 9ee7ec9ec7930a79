// Owns the history of attempts: a row for each that did not simply succeed, the first and the last of them kept.
import { type Attempt, LIMITS } from '../../domain/job.ts';
import type { Session } from './session.ts';

const { attemptsKeptFirst: FIRST, attemptsKeptLast: LAST } = LIMITS;
const KEPT = FIRST + LAST;

/** What the moves of this round leave. */
export const RECORD_ATTEMPTS = `
  INSERT INTO chokaq.job_attempts (
    job_id, round, attempt, started_at, finished_at, worker_id, outcome, response_status, response_body, error)
  SELECT id, round, attempts, COALESCE(started_at, @now), @now, COALESCE(worker_id, ''), attempt, response, body, error
  FROM @moved WHERE attempt IS NOT NULL;`;

export const TRIM_ATTEMPTS = `
  DELETE FROM chokaq.job_attempts WHERE EXISTS (
    SELECT 1 FROM (
      SELECT a.job_id, a.round, a.attempt, ROW_NUMBER() OVER (PARTITION BY a.job_id ORDER BY a.round, a.attempt) AS place,
        COUNT(*) OVER (PARTITION BY a.job_id) AS total
      FROM chokaq.job_attempts a WHERE a.job_id IN (SELECT id FROM @moved WHERE attempt IS NOT NULL)) x
    WHERE x.job_id = job_attempts.job_id AND x.round = job_attempts.round AND x.attempt = job_attempts.attempt
      AND x.place > ${FIRST} AND x.place <= x.total - ${LAST});`;

/** Whether this attempt of a job may be one more than is kept. */
export function isBeyondKept({ round, attempts }: { readonly round: number; readonly attempts: number }): boolean {
  return round > 1 || attempts > KEPT;
}

const LIST = `
  SELECT round, attempt, started_at, finished_at, worker_id, outcome, response_status, response_body, error
  FROM chokaq.job_attempts WHERE job_id = @id ORDER BY round, attempt;
  SELECT round, attempts AS attempt, started_at, finished_at, worker_id, outcome,
    last_response_status AS response_status, last_response_body AS response_body
  FROM chokaq.jobs_archive WHERE id = @id AND outcome = 'succeeded' AND started_at IS NOT NULL`;

interface AttemptRow {
  readonly round: number;
  readonly attempt: number;
  readonly started_at: number;
  readonly finished_at: number;
  readonly worker_id: string;
  readonly outcome: Attempt['outcome'];
  readonly response_status: number | null;
  readonly response_body: string | null;
  readonly error?: string | null;
}

export async function listAttempts(session: Session, id: string): Promise<readonly Attempt[]> {
  const answer = await session.read('listAttempts', LIST, { id });
  const rows = [...answer.rows<AttemptRow>(0), ...answer.rows<AttemptRow>(1)];
  const kept = rows.length <= KEPT ? rows : [...rows.slice(0, FIRST), ...rows.slice(-LAST)];
  return kept.map(attemptFrom);
}

function attemptFrom(row: AttemptRow): Attempt {
  return {
    ...{ round: row.round, attempt: row.attempt, startedAt: row.started_at, finishedAt: row.finished_at },
    ...{ durationMs: Math.max(0, row.finished_at - row.started_at), workerId: row.worker_id, outcome: row.outcome },
    ...{ responseStatus: row.response_status, responseBody: row.response_body, error: row.error ?? null },
  };
}
