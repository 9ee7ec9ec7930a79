// Owns error families: each dead job is counted in one, in the transaction of the move that brings or takes it.
import { errorPrefix, FAMILIES_KEPT, OTHER_PREFIX } from '../../domain/error-family.ts';
import type { FailureReason } from '../../domain/failure.ts';
import type { ErrorFamily } from '../../ports/families.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import { UP_TO } from './statements.ts';

const JOIN = `
  UPDATE error_families SET jobs = jobs + 1, newest_at = max(newest_at, CAST(? AS INTEGER)) WHERE reason = ? AND prefix = ?
  RETURNING id`;
const FOUND = 'INSERT INTO error_families (reason, prefix, jobs, newest_at) VALUES (?, ?, 1, ?) RETURNING id';
const LEAVE = 'UPDATE error_families SET jobs = jobs - 1 WHERE id = ?';
const COUNT = 'SELECT count(*) FROM error_families WHERE prefix <> ?';
const FORGET_EMPTY = 'DELETE FROM error_families WHERE jobs <= 0';

const TOP = `
  SELECT id, reason, prefix, jobs AS count, newest_at AS newestAt FROM error_families WHERE jobs > 0
  ORDER BY jobs DESC, newest_at DESC, id ${UP_TO}`;

/** Counts one more dead job, and answers the id of its family. */
export function joinFamily(session: Session, reason: FailureReason, error: string | null): number {
  const prefix = errorPrefix(error);
  return join(session, reason, prefix) ?? found(session, reason, roomFor(session) ? prefix : OTHER_PREFIX);
}

/** Counts one less; its row stays until its place is needed, so that an id does not change while jobs come and go. */
export function leaveFamily(session: Session, id: number | null): void {
  if (id !== null) session.run(LEAVE, id);
}

export function topFamilies(session: Session, limit: number): Parcel<readonly ErrorFamily[]> {
  return plain(session.records<ErrorFamily>(TOP, limit));
}

function join(session: Session, reason: FailureReason, prefix: string): number | undefined {
  return session.row<[number]>(JOIN, session.now, reason, prefix)?.[0];
}

function found(session: Session, reason: FailureReason, prefix: string): number {
  const id = join(session, reason, prefix) ?? session.row<[number]>(FOUND, reason, prefix, session.now)?.[0];
  if (id === undefined) throw new Error('an error family was stored and has no id');
  return id;
}

/** Whether another text may have a family of its own; families that stand empty give way. */
function roomFor(session: Session): boolean {
  return isFull(session) ? session.run(FORGET_EMPTY) > 0 && !isFull(session) : true;
}

function isFull(session: Session): boolean {
  const [count = 0] = session.row<[number]>(COUNT, OTHER_PREFIX) ?? [];
  return count >= FAMILIES_KEPT;
}
