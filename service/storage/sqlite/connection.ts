// Owns how a SQLite database is opened: durable settings that are set and then asserted, and never over a network.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'better-sqlite3';
import { SchemaRefusal } from '../migrate.ts';

export const MEMORY = ':memory:';

/** How long one try waits for another process's lock; the tries themselves are `storage/retry.ts`. */
const BUSY_TIMEOUT_MS = 1_000;
/** 16 MB of log between checkpoints: rarer stalls than the default 4 MB, still small to replay. */
const CHECKPOINT_PAGES = 4_000;
const WAL_KEPT_BYTES = 64_000_000;
/** Pages kept in memory: claims and moves live from it, pages of lists do not. */
const CACHE_KIB = { write: 32_000, read: 8_000 } as const;

/** Types of file systems (statfs) on which SQLite's locks and shared memory do not work between machines. */
const NETWORK_FILE_SYSTEMS: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  1397113167: 'AFS',
  1799439955: 'AFS',
  12805120: 'Ceph',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  1937076805: 'Coda',
};

export function openConnection(path: string, mode: 'write' | 'read'): Database.Database {
  if (path !== MEMORY) refuseNetwork(path);
  const database = new Database(path, { timeout: BUSY_TIMEOUT_MS });
  try {
    configure(database, path, mode);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: Database.Database, path: string, mode: 'write' | 'read'): void {
  database.pragma(`cache_size = -${CACHE_KIB[mode]}`);
  database.pragma('temp_store = MEMORY');
  database.pragma('trusted_schema = OFF');
  if (path === MEMORY) return;
  database.pragma('journal_mode = WAL');
  database.pragma(`journal_size_limit = ${WAL_KEPT_BYTES}`);
  database.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.pragma('synchronous = FULL');
  assertPragma(database, 'journal_mode', 'wal');
  assertPragma(database, 'synchronous', 2);
  if (mode === 'read') database.pragma('query_only = ON');
}

/** A re-opened WAL database falls back to NORMAL, which loses commits on power failure: never trust, always look. */
function assertPragma(database: Database.Database, name: string, expected: string | number): void {
  const actual = database.pragma(name, { simple: true });
  if (actual !== expected) throw new Error(`SQLite runs with ${name} = ${String(actual)} where ${expected} was set`);
}

function refuseNetwork(path: string): void {
  if (process.platform !== 'linux') return;
  const name = NETWORK_FILE_SYSTEMS[statfsSync(dirname(path)).type];
  if (name === undefined) return;
  throw new SchemaRefusal(
    `the SQLite file ${path} lies on a network file system (${name}), where its locks do not hold; use a local disk`,
  );
}
