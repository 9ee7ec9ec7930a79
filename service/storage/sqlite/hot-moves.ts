// Owns the moves that leave a job in the hot table: its start, its way back to pending, and the wish to cancel it.
import type { Change, Transition } from '../../domain/lifecycle.ts';
import { PENDING, PROCESSING } from '../rows.ts';
import { recordAttempt } from './attempts.ts';
import { type HotRow, placeOf, waitingPlace } from './hot-row.ts';
import { releaseClaim } from './result-claims.ts';
import type { Session } from './session.ts';

const START = `
  UPDATE jobs_hot SET status = ${PROCESSING}, attempts = attempts + 1, started_at = ?, heartbeat_at = ?,
    version = version + 1, updated_at = ?
  WHERE seq = ?`;

const DISOWN = `
  status = ${PENDING}, started_at = NULL, heartbeat_at = NULL, worker_id = NULL, lease_id = NULL,
  cancel_requested_by = NULL, version = version + 1, updated_at = ?`;

const RELEASE = `UPDATE jobs_hot SET ${DISOWN}, promoted = ?, due_at = ? WHERE seq = ?`;

const RETRY = `
  UPDATE jobs_hot SET ${DISOWN}, promoted = ?, due_at = ?, last_error = ?, last_response_status = ?, last_response_body = ?
  WHERE seq = ?`;

const REQUEST_CANCEL =
  'UPDATE jobs_hot SET cancel_requested_by = ?, version = version + 1, updated_at = ? WHERE seq = ?';

type GivenBack = Extract<Change, { readonly to: 'pending' }>;

export function start(session: Session, row: HotRow): void {
  const { now } = session;
  session.run(START, now, now, now, row.seq);
  session.counters.move(row, placeOf(row), 'processing');
}

/** Release, recovery, postponement and retry: back to pending without an owner. */
export function giveBack(
  session: Session,
  row: HotRow,
  { dueInMs, answer }: GivenBack,
  attempt: Transition['attempt'] | null,
): void {
  const { now } = session;
  releaseClaim(session, row);
  const dueAt = dueInMs === null ? row.dueAt : now + dueInMs;
  const place = waitingPlace(dueAt, now);
  const isDue = place === 'pending' ? 1 : 0;
  if (answer === undefined) session.run(RELEASE, now, isDue, dueAt, row.seq);
  else {
    const { error, responseStatus, responseBody } = answer;
    session.run(RETRY, now, isDue, dueAt, error, responseStatus, responseBody, row.seq);
  }
  session.counters.move(row, placeOf(row), null);
  session.counters.move({ ...row, dueAt }, null, place);
  if (!attempt) return;
  session.counters.retried(row.queue);
  recordAttempt(session, row, attempt);
}

export function requestCancel(session: Session, row: HotRow, by: string): void {
  session.run(REQUEST_CANCEL, by, session.now, row.seq);
}
