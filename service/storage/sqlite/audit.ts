// Owns the audit log: rows that are only ever added, but for refusals by scope, which are counted.
import type { AuditCursor, AuditEntry, AuditFilter, AuditPage, ScopeRefusals } from '../../ports/audit.ts';
import { type AuditValues, auditRowFrom, jsonOrNull } from '../audit-rows.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import { UP_TO } from './statements.ts';

const MINUTE_MS = 60_000;
/** A page ends early, with a cursor to go on, when its filter has made it look at so many rows. */
const EXAMINED_PER_PAGE = 10_000;

const RECORD = `
  INSERT INTO audit_log (at, actor, key_id, action, target, filter, affected, outcome, request_id, details)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const REFUSE = `
  INSERT INTO audit_log (at, actor, key_id, action, target, affected, outcome, details, count, minute)
  VALUES (?, ?, ?, ?, ?, 0, 'forbidden', ?, ?, ?)
  ON CONFLICT (key_id, target, minute) WHERE minute IS NOT NULL DO UPDATE SET count = count + excluded.count`;

/** Bound: after, before, and the cursor. */
const RANGE = 'at >= ? AND at < ? AND at <= ? AND (at < ? OR seq < ?) ORDER BY at DESC, seq DESC';

const LIST = `
  SELECT * FROM (
    SELECT seq, at, actor, key_id, action, target, filter, affected, outcome, request_id, details, count
    FROM audit_log INDEXED BY audit_at WHERE ${RANGE} LIMIT ${EXAMINED_PER_PAGE})
  WHERE (? IS NULL OR actor = ?) AND (? IS NULL OR action = ?) AND (? IS NULL OR target = ?) ${UP_TO}`;

const LAST_EXAMINED = `
  SELECT at, seq FROM audit_log INDEXED BY audit_at WHERE ${RANGE} LIMIT 1 OFFSET ${EXAMINED_PER_PAGE - 1}`;

const RECORDED =
  'SELECT 1 FROM audit_log INDEXED BY audit_at WHERE at = ? AND request_id IS ? AND action = ? AND target IS ?';

export function recordAudit(session: Session, entry: AuditEntry): Parcel<null> {
  if (isRecorded(session, entry)) return plain(null);
  const { actor, keyId, action, target, filter, affected, outcome, requestId, details } = entry;
  // biome-ignore format: the order of RECORD
  session.run(
    RECORD,
    session.now, actor, keyId, action, target, jsonOrNull(filter), affected, outcome, requestId, jsonOrNull(details),
  );
  return plain(null);
}

/** By a try of this very call of which only the answer was lost. */
function isRecorded(session: Session, { requestId, action, target }: AuditEntry): boolean {
  return session.replay.times.some(at => session.row(RECORDED, at, requestId, action, target) !== undefined);
}

export function refuseScopes(session: Session, refusals: readonly ScopeRefusals[]): Parcel<null> {
  const { now } = session;
  const minute = Math.floor(now / MINUTE_MS);
  for (const { actor, keyId, action, route, count, details } of refusals)
    session.run(REFUSE, now, actor, keyId, action, route, jsonOrNull(details), count, minute);
  return plain(null);
}

export interface AuditQuery {
  readonly filter: AuditFilter;
  readonly limit: number;
  readonly after: AuditCursor | null;
}

export function listAudit(session: Session, { filter, limit, after }: AuditQuery): Parcel<AuditPage> {
  const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };
  const range = [filter.after ?? 0, filter.before ?? Number.MAX_SAFE_INTEGER, at, at, id];
  const residue = [filter.actor, filter.action, filter.target].flatMap(value => [value ?? null, value ?? null]);
  const rows = session.records<AuditValues>(LIST, ...range, ...residue, limit + 1).map(auditRowFrom);
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  if (rows.length > limit && last) return plain({ items, next: { at: last.at, id: last.id } });
  const [lastAt, lastId] = session.row<[number, number]>(LAST_EXAMINED, ...range) ?? [];
  return plain({ items, next: lastAt === undefined || lastId === undefined ? null : { at: lastAt, id: lastId } });
}
