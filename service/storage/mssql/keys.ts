// Owns API keys: rows that are never deleted, with a revision that tells every node of each change.
import {
  type ApiKey,
  type NewApiKey,
  REVOKED_BY_FILE,
  type Reconciliation,
  reconcileKeys,
} from '../../domain/api-key.ts';
import type { KeyList, KeyStore } from '../../ports/keys.ts';
import { type KeyRow, keyFacts, keyFrom } from '../key-rows.ts';
import { EXACT } from './counters.ts';
import { marked, markedOrNull, unmarked } from './json-rows.ts';
import { ADVANCE_KEYS } from './revisions.ts';
import { type Answer, overtakenIf, type Session } from './session.ts';

const COLUMNS = 'id, name, key_hash, scopes, rate_limit, managed_by, created_at, revoked_at, revoked_by, last_used_at';

/** The revision first: keys that are newer than theirs are read once more, which is harmless. */
const LIST = `
  DECLARE @revision BIGINT = (SELECT value FROM chokaq.revisions WHERE name = 'keys');
  SELECT @revision AS revision;
  SELECT ${COLUMNS} FROM chokaq.api_keys WHERE @revision <> @unless ORDER BY created_at, id;`;

const ONE = `SELECT ${COLUMNS} FROM chokaq.api_keys WHERE id = @id;`;

/** A try whose answer was lost has made the key: it is not in its own way. */
const CREATE = {
  work: `
    DECLARE @is_taken INT = 0;
    IF EXISTS (SELECT 1 FROM chokaq.api_keys WHERE name = @name AND id <> @id AND revoked_at IS NULL) SET @is_taken = 1;
    IF @is_taken = 0 AND NOT EXISTS (SELECT 1 FROM chokaq.api_keys WHERE id = @id)
    BEGIN
      INSERT INTO chokaq.api_keys (id, name, key_hash, scopes, rate_limit, managed_by, created_at)
      VALUES (@id, @name, @hash, @scopes, @rate_limit, 'cli', @now);
      ${ADVANCE_KEYS}
    END`,
  answer: `SELECT @is_taken AS is_taken; ${ONE}`,
};

const REVOKE = {
  work: `
    DECLARE @revoked INT = 0;
    UPDATE chokaq.api_keys SET revoked_at = @now, revoked_by = @by WHERE id = @id AND revoked_at IS NULL;
    SET @revoked = @@ROWCOUNT;
    IF @revoked > 0 BEGIN ${ADVANCE_KEYS} END`,
  answer: `SELECT @revoked AS revoked; ${ONE}`,
};

/** Revocations come first: a name that the file moves from one key to another is free by then. */
const RECONCILE = {
  work: `
    ${overtakenIf("(SELECT value FROM chokaq.revisions WHERE name = 'keys') <> @seen")}
    DECLARE @file TABLE (
      id NVARCHAR(100) ${EXACT} NOT NULL PRIMARY KEY, name NVARCHAR(510) ${EXACT} NOT NULL, key_hash VARBINARY(32) NOT NULL,
      scopes NVARCHAR(MAX) NOT NULL, rate_limit NVARCHAR(MAX) NULL, is_known INT NOT NULL, is_wanted INT NOT NULL);
    INSERT INTO @file
    SELECT j.id, ${unmarked('j.name')}, SUBSTRING(@hashes, 1 + 32 * j.n, 32), ${unmarked('j.scopes')},
      ${unmarked('j.rate_limit')}, j.is_known, j.is_wanted
    FROM OPENJSON(@keys) WITH (
      n BIGINT '$.n', id NVARCHAR(100) '$.id', name NVARCHAR(510) '$.name', scopes NVARCHAR(MAX) '$.scopes',
      rate_limit NVARCHAR(MAX) '$.limit', is_known INT '$.known', is_wanted INT '$.wanted') j;
    UPDATE chokaq.api_keys SET revoked_at = @now, revoked_by = '${REVOKED_BY_FILE}'
    WHERE revoked_at IS NULL AND id IN (SELECT id FROM @file WHERE is_wanted = 0);
    UPDATE chokaq.api_keys SET
      key_hash = f.key_hash, scopes = f.scopes, rate_limit = f.rate_limit, revoked_at = NULL, revoked_by = NULL
    FROM @file f WHERE f.id = api_keys.id AND f.is_wanted = 1 AND f.is_known = 1;
    INSERT INTO chokaq.api_keys (id, name, key_hash, scopes, rate_limit, managed_by, created_at)
    SELECT id, name, key_hash, scopes, rate_limit, 'file', @now FROM @file WHERE is_wanted = 1 AND is_known = 0;
    ${ADVANCE_KEYS}`,
};

const TOUCH = {
  work: `
    DECLARE @used TABLE (id NVARCHAR(100) ${EXACT} NOT NULL);
    INSERT INTO @used SELECT j.id FROM OPENJSON(@ids) WITH (id NVARCHAR(100) '$.id') j;
    UPDATE chokaq.api_keys SET last_used_at = @now WHERE id IN (SELECT id FROM @used);`,
};

export function keysOver(session: Session): KeyStore {
  return {
    list: unless => listKeys(session, unless),
    create: key => createKey(session, key),
    revoke: (id, by) => revokeKey(session, id, by),
    reconcile: wanted => reconcileFileKeys(session, wanted),
    touch: async ids =>
      void (await session.write('touchKeys', TOUCH, { ids: JSON.stringify(ids.map(id => ({ id }))) })),
  };
}

async function listKeys(session: Session, unless: number | null): Promise<KeyList | null> {
  const answer = await session.read('listKeys', LIST, { unless: unless ?? -1 });
  const { revision = 0 } = answer.row<{ readonly revision: number }>() ?? {};
  return revision === unless ? null : { keys: keysIn(answer, 1), revision };
}

async function createKey(session: Session, key: NewApiKey): Promise<ApiKey | 'taken'> {
  const [scopes, rate_limit] = keyFacts(key);
  const values = { id: key.id, name: key.name, hash: bytes(key.hash), scopes, rate_limit };
  const answer = await session.write('createKey', CREATE, values);
  if (answer.row<{ readonly is_taken: number }>()?.is_taken === 1) return 'taken';
  return keysIn(answer, 1)[0] ?? 'taken';
}

async function revokeKey(session: Session, id: string, by: string): Promise<ApiKey | null> {
  const answer = await session.write('revokeKey', REVOKE, { id, by });
  const { revoked = 0 } = answer.row<{ readonly revoked: number }>() ?? {};
  return revoked === 0 ? null : (keysIn(answer, 1)[0] ?? null);
}

function reconcileFileKeys(session: Session, wanted: readonly NewApiKey[]): Promise<Reconciliation> {
  return session.decided('reconcileKeys', async () => {
    const stored = await session.readOnce(LIST, { unless: -1 });
    const { revision: seen = 0 } = stored.row<{ readonly revision: number }>() ?? {};
    const reconciliation = reconcileKeys(keysIn(stored, 1), wanted);
    const { created, changed, revoked, taken } = reconciliation;
    if (taken.length > 0 || created.length + changed.length + revoked.length === 0) return reconciliation;
    const rows = [
      ...revoked.map(key => fileRow(key, { known: 1, wanted: 0 })),
      ...changed.map(key => fileRow(key, { known: 1, wanted: 1 })),
      ...created.map(key => fileRow(key, { known: 0, wanted: 1 })),
    ];
    const keys = JSON.stringify(rows.map((row, n) => ({ n, ...row })));
    const hashes = Buffer.concat([...revoked, ...changed, ...created].map(({ hash }) => bytes(hash)));
    await session.writeOnce(RECONCILE, { seen, keys, hashes });
    return reconciliation;
  });
}

function fileRow({ id, name, ...key }: NewApiKey, what: { readonly known: number; readonly wanted: number }) {
  const [scopes, limit] = keyFacts(key);
  return { id, name: marked(name), scopes: marked(scopes), limit: markedOrNull(limit), ...what };
}

function bytes(hash: string): Uint8Array {
  return Buffer.from(hash, 'hex');
}

type StoredKey = Omit<KeyRow, 'hash'> & { readonly key_hash: Buffer };

function keysIn(answer: Answer, set: number): ApiKey[] {
  return answer.rows<StoredKey>(set).map(row => keyFrom({ ...row, hash: row.key_hash.toString('hex') }));
}
