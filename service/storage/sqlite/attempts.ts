// Owns the history of attempts: a row for each that did not simply succeed, the first and the last of them kept.

import { type Attempt, type AttemptOutcome, LIMITS } from '../../domain/job.ts';
import type { Transition } from '../../domain/lifecycle.ts';
import type { HotRow } from './hot-row.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const KEPT = LIMITS.attemptsKeptFirst + LIMITS.attemptsKeptLast;

const RECORD = `
  INSERT INTO job_attempts (
    job_id, round, attempt, started_at, finished_at, worker_id, outcome, response_status, response_body, error)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const TRIM = `
  DELETE FROM job_attempts WHERE job_id = ? AND (round, attempt) IN (
    SELECT round, attempt FROM job_attempts WHERE job_id = ? ORDER BY round, attempt
    LIMIT max(0, (SELECT count(*) FROM job_attempts WHERE job_id = ?) - ${KEPT}) OFFSET ${LIMITS.attemptsKeptFirst})`;

const FORGET = 'DELETE FROM job_attempts WHERE job_id = ?';

const LIST = `
  SELECT round, attempt, started_at, finished_at, worker_id, outcome, response_status, response_body, error
  FROM job_attempts WHERE job_id = ? ORDER BY round, attempt`;

const FINAL = `
  SELECT round, attempts, started_at, finished_at, worker_id, outcome, last_response_status, last_response_body, NULL
  FROM jobs_archive WHERE id = ? AND outcome = 'succeeded' AND started_at IS NOT NULL`;

/** These end an attempt without saying anything against the handler. */
const BLAMELESS: readonly AttemptOutcome[] = ['cancelled', 'interrupted'];

export function recordAttempt(session: Session, row: HotRow, attempt: NonNullable<Transition['attempt']>): void {
  const { outcome, responseStatus, responseBody, error } = attempt;
  const { now } = session;
  // biome-ignore format: the order of the columns of RECORD
  session.run(
    RECORD,
    row.id, row.round, row.attempts, row.startedAt ?? now, now, row.workerId ?? '', outcome, responseStatus, responseBody, error,
  );
  if (row.round > 1 || row.attempts > KEPT) session.run(TRIM, row.id, row.id, row.id);
  if (!BLAMELESS.includes(outcome)) session.counters.failedAttempt(row.queue);
}

export function forgetAttempts(session: Session, jobId: string): void {
  session.run(FORGET, jobId);
}

type AttemptValues = readonly [
  round: number,
  attempt: number,
  startedAt: number,
  finishedAt: number,
  workerId: string,
  outcome: AttemptOutcome,
  responseStatus: number | null,
  responseBody: string | null,
  error: string | null,
];

export function listAttempts(session: Session, jobId: string): Parcel<readonly Attempt[]> {
  const rows = [...session.rows<AttemptValues>(LIST, jobId), ...session.rows<AttemptValues>(FINAL, jobId)];
  const kept =
    rows.length <= KEPT ? rows : [...rows.slice(0, LIMITS.attemptsKeptFirst), ...rows.slice(-LIMITS.attemptsKeptLast)];
  return plain(kept.map(attemptFrom));
}

function attemptFrom(values: AttemptValues): Attempt {
  const [round, attempt, startedAt, finishedAt, workerId, outcome, responseStatus, responseBody, error] = values;
  const durationMs = Math.max(0, finishedAt - startedAt);
  return { round, attempt, startedAt, finishedAt, durationMs, workerId, outcome, responseStatus, responseBody, error };
}
