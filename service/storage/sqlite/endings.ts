// Owns the two ways out of the hot table: to the archive and to the DLQ, each one move that carries everything.
import type { Change, Transition } from '../../domain/lifecycle.ts';
import { recordAttempt } from './attempts.ts';
import { CARRIED, carried } from './carry.ts';
import { joinFamily } from './families.ts';
import { type HotRow, placeOf } from './hot-row.ts';
import { completeClaim, releaseClaim } from './result-claims.ts';
import type { Session } from './session.ts';
import { markDead } from './survey.ts';

const ENDED = { lease_id: 'NULL', version: 'version + 1', updated_at: '?' } as const;
const ANSWERED = { last_response_status: '?', last_response_body: '?' } as const;

const ARCHIVE = `
  INSERT INTO jobs_archive (${CARRIED}, outcome, finished_at, duration_ms)
  SELECT ${carried({ ...ENDED, ...ANSWERED, last_error: 'coalesce(?, last_error)' })}, ?, ?, ? FROM jobs_hot WHERE seq = ?`;

const BURY_COLUMNS = `seq, ${CARRIED}, failure_reason, error_details, failed_at, ended_by, duration_ms, error_family`;

const BURY = `
  INSERT INTO jobs_dlq (${BURY_COLUMNS})
  SELECT ?, ${carried({ ...ENDED, ...ANSWERED, last_error: '?' })}, ?, ?, ?, ?, ?, ? FROM jobs_hot WHERE seq = ?`;

/** A job that dies without an attempt keeps the answer to the last one it had. */
const BURY_UNSTARTED = `
  INSERT INTO jobs_dlq (${BURY_COLUMNS})
  SELECT ?, ${carried({ ...ENDED, last_error: 'coalesce(?, last_error)' })}, ?, ?, ?, ?, ?, ? FROM jobs_hot WHERE seq = ?`;

const DELETE = 'DELETE FROM jobs_hot WHERE seq = ?';

/** Of the jobs that wait for the same key, the oldest holds it next. */
const PASS_KEY = `
  UPDATE jobs_hot SET holds_key = 1 WHERE seq = (
    SELECT seq FROM jobs_hot INDEXED BY hot_key_waiting WHERE idempotency_key = ? AND holds_key = 0
    ORDER BY created_at LIMIT 1)`;

type Succeeded = Extract<Change, { readonly to: 'succeeded' }>;
type Dead = Extract<Change, { readonly to: 'dead' }>;

export function succeed(session: Session, row: HotRow, { outcome, answer }: Succeeded): void {
  const { now } = session;
  const durationMs = durationOf(row, now);
  const { error, responseStatus, responseBody } = answer;
  session.run(ARCHIVE, error, responseStatus, responseBody, now, outcome, now, durationMs, row.seq);
  if (outcome === 'succeeded') completeClaim(session, row);
  leave(session, row);
  session.counters.move(row, placeOf(row), 'succeeded');
  session.counters.succeeded(row.queue, durationMs ?? 0);
}

export function bury(session: Session, row: HotRow, change: Dead, attempt: Transition['attempt'] | null): void {
  const { reason, by } = change;
  const { error, responseStatus, responseBody } = change.answer;
  const { now } = session;
  const family = joinFamily(session, reason, error);
  // A later death never has a lower seq, whatever has left the DLQ meanwhile.
  const seq = markDead(session).body + 1;
  const ending = [now, reason, error, now, by, durationOf(row, now), family, row.seq] as const;
  if (attempt) {
    session.run(BURY, seq, error, responseStatus, responseBody, ...ending);
    recordAttempt(session, row, attempt);
  } else session.run(BURY_UNSTARTED, seq, error, ...ending);
  releaseClaim(session, row);
  leave(session, row);
  session.counters.move(row, placeOf(row), 'dead');
  session.counters.died(row.queue);
}

function leave(session: Session, row: HotRow): void {
  session.run(DELETE, row.seq);
  if (row.heldKey !== null) session.run(PASS_KEY, row.heldKey);
}

/** A clock that was set back makes no negative durations. */
function durationOf(row: HotRow, now: number): number | null {
  return row.startedAt === null ? null : Math.max(0, now - row.startedAt);
}
