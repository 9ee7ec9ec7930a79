// Owns registered handlers: stored whole, with a revision that tells every node of each change.
import { CATCH_ALL, type Handler, handlerChanged, type LastResponse } from '../../domain/handler.ts';
import type { NewRejection, Operation } from '../../ports/operations.ts';
import { type HandlerRow, handlerFrom, lastResponse } from '../handler-rows.ts';
import { beginOperation } from './operations.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const COLUMNS = `
  type, url, secret, previous_secret, previous_secret_until, attempts, fatal_statuses, circuit, headers, schema,
  concurrency, managed_by, created_at, updated_at`;
const LIST = `SELECT ${COLUMNS}, last_response_status, last_response_at FROM handlers ORDER BY type`;
const STORED = 'SELECT created_at, updated_at, last_response_status, last_response_at FROM handlers WHERE type = ?';

const HEARD = `
  UPDATE handlers SET last_response_status = ?, last_response_at = ?
  WHERE type = ? AND coalesce(last_response_at, 0) <= ?`;

const PUT = `
  INSERT INTO handlers (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (type) DO UPDATE SET
    url = excluded.url, secret = excluded.secret, previous_secret = excluded.previous_secret,
    previous_secret_until = excluded.previous_secret_until, attempts = excluded.attempts,
    fatal_statuses = excluded.fatal_statuses, circuit = excluded.circuit, headers = excluded.headers,
    schema = excluded.schema, concurrency = excluded.concurrency, managed_by = excluded.managed_by,
    updated_at = excluded.updated_at`;

const REMOVE = 'DELETE FROM handlers WHERE type = ?';
const REVISION = "SELECT value FROM revisions WHERE name = 'handlers'";
const ADVANCE = "UPDATE revisions SET value = value + 1 WHERE name = 'handlers'";

const TYPE_IN_USE = `
  SELECT 1 WHERE
    EXISTS (SELECT 1 FROM lanes WHERE type = ? AND ready + scheduled + fetched + processing > 0)
    OR EXISTS (SELECT 1 FROM jobs_dlq WHERE type = ?)`;

/** Types of dead jobs are walked from one to the next, not row by row. */
const CATCH_ALL_IN_USE = `
  WITH RECURSIVE dead (type) AS (
    SELECT min(type) FROM jobs_dlq
    UNION ALL SELECT (SELECT min(type) FROM jobs_dlq WHERE jobs_dlq.type > dead.type) FROM dead WHERE dead.type IS NOT NULL)
  SELECT 1 FROM (
    SELECT type FROM lanes WHERE ready + scheduled + fetched + processing > 0
    UNION ALL SELECT type FROM dead WHERE type IS NOT NULL) AS used
  WHERE NOT EXISTS (SELECT 1 FROM handlers WHERE handlers.type = used.type) LIMIT 1`;

/** Waiting jobs that no handler takes: of one type, or of all (null). */
const ORPHANS = `
  SELECT coalesce(sum(ready + scheduled + fetched), 0) FROM lanes
  WHERE type = coalesce(?, type) AND NOT EXISTS (SELECT 1 FROM handlers WHERE handlers.type IN (lanes.type, '${CATCH_ALL}'))`;

export interface HandlerList {
  readonly handlers: readonly Handler[];
  readonly revision: number;
}

export function listHandlers(session: Session): Parcel<HandlerList> {
  const [revision = 0] = session.row<[number]>(REVISION) ?? [];
  return plain({ handlers: session.records<HandlerRow>(LIST).map(handlerFrom), revision });
}

export interface PutAnswer {
  readonly handler: Handler;
  readonly created: boolean;
}

type StoredValues = readonly [createdAt: number, updatedAt: number, status: number | null, at: number | null];

export interface PutInput {
  readonly handler: Handler;
  readonly seen?: number | null | undefined;
}

export function putHandler(session: Session, { handler: given, seen }: PutInput): Parcel<PutAnswer> {
  const [createdAt, changedAt = null, ...heard] = session.row<StoredValues>(STORED, given.type) ?? [];
  if (seen !== undefined && seen !== changedAt && !session.replay.isOwn(changedAt)) throw handlerChanged(given.type);
  const { now } = session;
  const updatedAt = changedAt === null ? now : Math.max(now, changedAt + 1);
  const handler: Handler = { ...given, createdAt: createdAt ?? now, updatedAt, lastResponse: lastResponse(...heard) };
  // biome-ignore format: the order of COLUMNS
  session.run(
    PUT,
    handler.type, handler.url, handler.secret, handler.previousSecret, handler.previousSecretUntil,
    JSON.stringify(handler.attempts), JSON.stringify(handler.fatalStatuses), JSON.stringify(handler.circuit),
    JSON.stringify(handler.headers), handler.schema === null ? null : JSON.stringify(handler.schema),
    handler.concurrency, handler.managedBy, handler.createdAt, handler.updatedAt,
  );
  session.run(ADVANCE);
  session.circuits.distrust();
  return plain({ handler, created: createdAt === undefined || session.replay.isOwn(createdAt) });
}

export function heardHandlers(session: Session, responses: Readonly<Record<string, LastResponse>>): Parcel<null> {
  for (const [type, { status, at }] of Object.entries(responses)) session.run(HEARD, status, at, type, at);
  return plain(null);
}

export interface RemoveInput {
  readonly type: string;
  readonly force: boolean;
  readonly rejection?: NewRejection | undefined;
}

export type Removal = 'removed' | 'absent' | 'in-use' | Operation;

export function removeHandler(session: Session, { type, force, rejection }: RemoveInput): Parcel<Removal> {
  session.flush();
  if (session.row(STORED, type) === undefined) return plain(force ? orphaned(session, type, rejection) : gone(session));
  if (!force && isInUse(session, type)) return plain('in-use');
  session.run(REMOVE, type);
  session.run(ADVANCE);
  session.circuits.flush(session.now);
  session.circuits.remove(type);
  const begun = force && rejection !== undefined ? beginRejection(session, type, rejection) : null;
  return plain(begun ?? 'removed');
}

/** What is left of an earlier removal, or came back since, can be rejected without the handler. */
function orphaned(session: Session, type: string, rejection: NewRejection | undefined): Removal {
  const isNamed = rejection !== undefined && type !== CATCH_ALL;
  return (isNamed ? beginRejection(session, type, rejection) : null) ?? gone(session);
}

/** Who saw the handler just before and does not find it has removed it himself, if he may have tried before. */
function gone(session: Session): Removal {
  return session.replay.isPossible ? 'removed' : 'absent';
}

/** What is enqueued from now on waits for a handler to come, as whoever enqueues it has been told. */
function beginRejection(session: Session, type: string, rejection: NewRejection): Operation | null {
  const ofType = type === CATCH_ALL ? null : type;
  const [total = 0] = session.row<[number]>(ORPHANS, ofType) ?? [];
  if (total === 0) return null;
  const filter = { ...(ofType !== null && { type: ofType }), createdBefore: session.now + 1 };
  return beginOperation(session, { ...rejection, action: 'reject', filter, mark: 0, total, last: null }).body;
}

function isInUse(session: Session, type: string): boolean {
  const found = type === CATCH_ALL ? session.row(CATCH_ALL_IN_USE) : session.row(TYPE_IN_USE, type, type);
  return found !== undefined;
}
