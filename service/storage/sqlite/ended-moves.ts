// Owns the moves of jobs that have ended: back to pending, edited in the DLQ, or gone for good.
import { dueInstant, PENDING } from '../rows.ts';
import { forgetAttempts } from './attempts.ts';
import { CARRIED, carried } from './carry.ts';
import { contentOf, type Edited } from './edit.ts';
import { leaveFamily } from './families.ts';
import { waitingPlace } from './hot-row.ts';
import type { Session } from './session.ts';

const FIND_KEY = 'SELECT idempotency_key, holds_key FROM jobs_dlq WHERE seq = ?';

const KEY_HOLDER = `
  SELECT 1 FROM jobs_hot INDEXED BY hot_key WHERE idempotency_key = ? AND idempotency_key IS NOT NULL AND holds_key = 1`;

const RESURRECT = `
  INSERT INTO jobs_hot (status, promoted, ${CARRIED})
  SELECT ${PENDING}, ?, ${carried({
    priority: 'coalesce(?, priority)',
    due_at: '?',
    first_due_at: '?',
    attempts: '0',
    round: 'round + 1',
    tags: 'CASE WHEN ? THEN ? ELSE tags END',
    holds_key: '?',
    changed_by: '?',
    started_at: 'NULL',
    heartbeat_at: 'NULL',
    worker_id: 'NULL',
    lease_id: 'NULL',
    cancel_requested_by: 'NULL',
    resurrected_at: '?',
    version: 'version + 1',
    updated_at: '?',
    payload: 'coalesce(?, payload)',
  })}
  FROM jobs_dlq WHERE seq = ?`;

const EDIT_DEAD = `
  UPDATE jobs_dlq SET due_at = coalesce(?, due_at), payload = coalesce(?, payload), priority = coalesce(?, priority),
    tags = CASE WHEN ? THEN ? ELSE tags END, changed_by = ?, version = version + 1, updated_at = ?
  WHERE seq = ?`;

const DELETE_DEAD = 'DELETE FROM jobs_dlq WHERE seq = ?';
/** The seq of a row that has left is not given again (`OperationStore.mark`). */
const REMEMBER_SEQ = "UPDATE revisions SET value = ? WHERE name = 'dlq' AND value < ?";
const DELETE_ARCHIVED = 'DELETE FROM jobs_archive WHERE seq = ?';

/** A row of the archive or the DLQ. */
export interface EndedRow {
  readonly id: string;
  readonly seq: number;
  readonly queue: string;
  readonly type: string;
  /** The error family of a dead job; null for an archived one. */
  readonly family: number | null;
}

/** False when another active job holds the key; a job that had only waited for its key waits again. */
export function resurrect(session: Session, row: EndedRow, { edits, by }: Edited): boolean {
  const [key, heldKey] = session.row<[string | null, number]>(FIND_KEY, row.seq) ?? [null, 0];
  const isTaken = key !== null && session.row(KEY_HOLDER, key) !== undefined;
  if (isTaken && heldKey === 1) return false;
  const { now } = session;
  const dueAt = edits.due === undefined ? now : dueInstant(edits.due, now);
  const place = waitingPlace(dueAt, now);
  const holdsKey = key !== null && !isTaken ? 1 : 0;
  const [payload, priority, hasTags, tags] = contentOf(edits);
  const isDue = place === 'pending' ? 1 : 0;
  // biome-ignore format: the order of the columns of RESURRECT
  session.run(RESURRECT, isDue, priority, dueAt, dueAt, hasTags, tags, holdsKey, by, now, now, payload, row.seq);
  leaveDead(session, row);
  session.counters.move({ ...row, dueAt }, 'dead', place);
  return true;
}

export function editDead(session: Session, row: EndedRow, { edits, by }: Edited): void {
  const dueAt = edits.due === undefined ? null : dueInstant(edits.due, session.now);
  session.run(EDIT_DEAD, dueAt, ...contentOf(edits), by, session.now, row.seq);
}

export function purge(session: Session, row: EndedRow): void {
  leaveDead(session, row);
  vanish(session, row, 'dead');
}

export function remove(session: Session, row: EndedRow): void {
  session.run(DELETE_ARCHIVED, row.seq);
  vanish(session, row, 'succeeded');
}

function leaveDead(session: Session, { seq, family }: EndedRow): void {
  session.run(DELETE_DEAD, seq);
  session.run(REMEMBER_SEQ, seq, seq);
  leaveFamily(session, family);
}

function vanish(session: Session, row: EndedRow, from: 'succeeded' | 'dead'): void {
  forgetAttempts(session, row.id);
  session.counters.move({ ...row, dueAt: 0 }, from, null);
}
