// Owns API keys: rows that are never deleted, with a revision that tells every node of each change.
import type { ApiKey, NewApiKey, Reconciliation } from '../../domain/api-key.ts';
import { REVOKED_BY_FILE, reconcileKeys } from '../../domain/api-key.ts';
import type { KeyList } from '../../ports/keys.ts';
import { type KeyRow, keyFacts, keyFrom } from '../key-rows.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const LIST = `
  SELECT id, name, lower(hex(key_hash)) AS hash, scopes, rate_limit, managed_by, created_at, revoked_at, revoked_by, last_used_at
  FROM api_keys ORDER BY created_at, id`;

const CREATE = `
  INSERT INTO api_keys (id, name, key_hash, scopes, rate_limit, managed_by, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)`;
const CHANGE = `
  UPDATE api_keys SET key_hash = ?, scopes = ?, rate_limit = ?, revoked_at = NULL, revoked_by = NULL WHERE id = ?`;
const REVOKE = 'UPDATE api_keys SET revoked_at = ?, revoked_by = ? WHERE id = ? AND revoked_at IS NULL';
const TOUCH = 'UPDATE api_keys SET last_used_at = ? WHERE id = ?';
const NAME_HOLDS = 'SELECT 1 FROM api_keys WHERE name = ? AND revoked_at IS NULL';
const REVISION = "SELECT value FROM revisions WHERE name = 'keys'";
const ADVANCE = "UPDATE revisions SET value = value + 1 WHERE name = 'keys'";

export function listKeys(session: Session, unless: number | null): Parcel<KeyList | null> {
  const [revision = 0] = session.row<[number]>(REVISION) ?? [];
  return plain(revision === unless ? null : { keys: all(session), revision });
}

export function createKey(session: Session, key: NewApiKey): Parcel<ApiKey | 'taken'> {
  // Ids are made anew for each call: whoever finds its own has made it in a try of which the answer was lost.
  const before = all(session).find(({ id }) => id === key.id);
  if (before !== undefined) return plain(before);
  if (session.row(NAME_HOLDS, key.name) !== undefined) return plain('taken');
  insert(session, key, 'cli');
  session.run(ADVANCE);
  return plain(all(session).find(({ id }) => id === key.id) ?? 'taken');
}

export interface RevokeInput {
  readonly id: string;
  readonly by: string;
}

export function revokeKey(session: Session, { id, by }: RevokeInput): Parcel<ApiKey | null> {
  const isRevoked = session.run(REVOKE, session.now, by, id) === 1;
  if (isRevoked) session.run(ADVANCE);
  const key = all(session).find(one => one.id === id);
  return plain(key && (isRevoked || session.replay.isOwn(key.revokedAt)) ? key : null);
}

/** Revocations come first: a name that the file moves from one key to another is free by then. */
export function reconcileFileKeys(session: Session, wanted: readonly NewApiKey[]): Parcel<Reconciliation> {
  const reconciliation = reconcileKeys(all(session), wanted);
  const { created, changed, revoked, taken } = reconciliation;
  if (taken.length > 0 || created.length + changed.length + revoked.length === 0) return plain(reconciliation);
  for (const { id } of revoked) session.run(REVOKE, session.now, REVOKED_BY_FILE, id);
  for (const { id, hash, ...key } of changed) session.run(CHANGE, bytes(hash), ...keyFacts(key), id);
  for (const key of created) insert(session, key, 'file');
  session.run(ADVANCE);
  return plain(reconciliation);
}

export function touchKeys(session: Session, ids: readonly string[]): Parcel<null> {
  for (const id of ids) session.run(TOUCH, session.now, id);
  return plain(null);
}

function insert(session: Session, { id, name, hash, ...key }: NewApiKey, managedBy: ApiKey['managedBy']): void {
  session.run(CREATE, id, name, bytes(hash), ...keyFacts(key), managedBy, session.now);
}

function bytes(hash: string): Uint8Array {
  return Buffer.from(hash, 'hex');
}

function all(session: Session): ApiKey[] {
  return session.records<KeyRow>(LIST).map(keyFrom);
}
