// Owns operations on many jobs: one row each, from its beginning to its retention, and the secret that signs previews.
import type { Transition } from '../../domain/lifecycle.ts';
import type { Advance, NewOperation, Operation, OperationFailure } from '../../ports/operations.ts';
import type { Applied, Cursor, Page } from '../../ports/store.ts';
import { type OperationRow, operationFrom } from '../operation-rows.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import { UP_TO, type Value } from './statements.ts';

const READ_SECRET = "SELECT value FROM secrets WHERE name = 'preview'";
const MAKE_SECRET = "INSERT INTO secrets (name, value) VALUES ('preview', ?) ON CONFLICT (name) DO NOTHING";

const BEGIN = `
  INSERT INTO operations (
    id, action, filter, mark, total, last_failed_at, last_id, started_by, owner, started_at, moved_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO NOTHING`;

const SELECT = `
  SELECT id, action, filter, mark, total, last_failed_at, last_id, position_at, position_id, started_by, owner,
    affected, key_taken, no_handler, schema, started_at, moved_at, failures, error, finished_at, ended
  FROM operations`;
const GET = `${SELECT} WHERE id = ?`;
const UNFINISHED_PAGE = 50;
const UNFINISHED = `
  ${SELECT} INDEXED BY operations_unfinished WHERE finished_at IS NULL AND (started_at, id) > (?, ?)
  ORDER BY started_at, id LIMIT ${UNFINISHED_PAGE}`;
const GOES_ON = 'SELECT 1 FROM operations WHERE id = ? AND finished_at IS NULL';

const TAKE = `
  UPDATE operations SET owner = ?, moved_at = ?
  WHERE id = ? AND finished_at IS NULL AND owner IS ? AND moved_at = ?`;

const ADVANCE = `
  UPDATE operations SET position_at = ?, position_id = ?, key_taken = key_taken + CAST(? AS INTEGER),
    no_handler = no_handler + CAST(? AS INTEGER), schema = schema + CAST(? AS INTEGER), failures = 0, error = NULL,
    moved_at = ?, finished_at = ?, ended = ?
  WHERE id = ? AND owner = ? AND finished_at IS NULL`;

const FAIL = `
  UPDATE operations SET failures = failures + 1, error = ?, moved_at = ?, finished_at = ?, ended = ?
  WHERE id = ? AND owner = ? AND finished_at IS NULL`;

const CANCEL = `
  UPDATE operations SET moved_at = ?, finished_at = ?, ended = 'cancelled' WHERE id = ? AND finished_at IS NULL`;

const AFFECTED = 'UPDATE operations SET affected = affected + CAST(? AS INTEGER) WHERE id = ?';
const RELEASE = 'UPDATE operations SET owner = NULL WHERE finished_at IS NULL AND owner = ?';

const STILL_ON = [null, null] as const;

const FORGET = `
  DELETE FROM operations WHERE id IN (
    SELECT id FROM operations INDEXED BY operations_finished WHERE finished_at < ? ORDER BY finished_at ${UP_TO})`;
/** Far longer than a preview lives, so that none can be executed twice. */
const FINISHED_KEPT_MS = 30 * 86_400_000;

export function readSecret(session: Session): Parcel<string | null> {
  return plain(session.row<[string]>(READ_SECRET)?.[0] ?? null);
}

export function makeSecret(session: Session, candidate: string): Parcel<string> {
  session.run(MAKE_SECRET, candidate);
  return plain(readSecret(session).body ?? candidate);
}

export function beginOperation(session: Session, operation: NewOperation): Parcel<Operation | null> {
  const { id, action, filter, mark, total, last, by, owner } = operation;
  const { now } = session;
  const set = [JSON.stringify(filter), mark, total, ...valuesOf(last)] as const;
  const before = leftByLostTry(session, id);
  if (before !== null) return plain(before);
  const isNew = session.run(BEGIN, id, action, ...set, by, owner, now, now) === 1;
  return isNew ? getOperation(session, id) : plain(null);
}

export function getOperation(session: Session, id: string): Parcel<Operation | null> {
  const [row] = session.records<OperationRow>(GET, id);
  return plain(row === undefined ? null : operationFrom(row));
}

export function unfinishedOperations(session: Session, after: Cursor | null): Parcel<Page<Operation>> {
  const items = session.records<OperationRow>(UNFINISHED, after?.at ?? -1, after?.id ?? '').map(operationFrom);
  const last = items.length < UNFINISHED_PAGE ? undefined : items.at(-1);
  return plain({ items, next: last === undefined ? null : { at: last.startedAt, id: last.id } });
}

export interface TakeInput {
  readonly seen: Operation;
  readonly owner: string;
}

export function takeOperation(session: Session, { seen, owner }: TakeInput): Parcel<boolean> {
  const before = leftByLostTry(session, seen.id);
  if (before !== null) return plain(before.owner === owner);
  return plain(session.run(TAKE, owner, session.now, seen.id, seen.owner, seen.movedAt) === 1);
}

export function advanceOperation(session: Session, batch: Advance): Parcel<Operation | null> {
  const { id, owner, position, keyTaken, noHandler, schema, isFinished } = batch;
  const before = leftByLostTry(session, id);
  if (before !== null) return plain(before);
  const { now } = session;
  const skipped = [keyTaken, noHandler, schema] as const;
  const end = isFinished ? ([now, 'finished'] as const) : STILL_ON;
  const isHeld = session.run(ADVANCE, ...valuesOf(position), ...skipped, now, ...end, id, owner) === 1;
  return isHeld ? getOperation(session, id) : plain(null);
}

export function failOperation(session: Session, failure: OperationFailure): Parcel<Operation | null> {
  const { id, owner, error, isLast } = failure;
  const before = leftByLostTry(session, id);
  if (before !== null) return plain(before);
  const { now } = session;
  const end = isLast ? ([now, 'failed'] as const) : STILL_ON;
  return session.run(FAIL, error, now, ...end, id, owner) === 1 ? getOperation(session, id) : plain(null);
}

export function cancelOperation(session: Session, id: string): Parcel<Operation | null> {
  const before = leftByLostTry(session, id);
  if (before !== null) return plain(before);
  const { now } = session;
  return session.run(CANCEL, now, now, id) === 1 ? getOperation(session, id) : plain(null);
}

export function releaseOperations(session: Session, owner: string): Parcel<null> {
  session.run(RELEASE, owner);
  return plain(null);
}

/** The operation as a try of this very call has left it, of which only the answer was lost; else null. */
function leftByLostTry(session: Session, id: string): Operation | null {
  if (!session.replay.isPossible) return null;
  const operation = getOperation(session, id).body;
  return operation !== null && session.replay.isOwn(operation.movedAt) ? operation : null;
}

/** The operations among those of the moves that have ended: nothing more is moved in their name. */
export function endedOperations(session: Session, transitions: readonly Transition[]): ReadonlySet<string> {
  const ids = new Set(transitions.flatMap(({ operationId }) => operationId ?? []));
  return new Set([...ids].filter(id => session.row(GOES_ON, id) === undefined));
}

/** Counts the moves that held in their operation, in their transaction: whoever carries it on, and whenever a node dies. */
export function countAffected(session: Session, transitions: readonly Transition[], applied: readonly Applied[]): void {
  const held = new Map<string, number>();
  for (const [at, { operationId }] of transitions.entries()) {
    if (operationId !== undefined && applied[at]?.held) held.set(operationId, (held.get(operationId) ?? 0) + 1);
  }
  for (const [id, count] of held) session.run(AFFECTED, count, id);
}

export function forgetOperations(session: Session, batch: number): number {
  return session.run(FORGET, session.now - FINISHED_KEPT_MS, batch);
}

function valuesOf(cursor: Cursor | null): readonly [Value, Value] {
  return [cursor?.at ?? null, cursor?.id ?? null];
}
