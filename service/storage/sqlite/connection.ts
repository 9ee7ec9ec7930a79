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

/**
 * From 24.19 on, Node.js aborts the whole process when an object of better-sqlite3 12 is collected as garbage at a bad moment
 * (docs/decisions/0009-better-sqlite3-12-on-node-20.md). So none ever becomes garbage: each is kept until its thread ends.
 */
export function kept<T extends object>(native: T): T {
  KEPT.push(native);
  return native;
}

const KEPT: object[] = [];

export function openConnection(path: string, mode: 'write' | 'read'): Database.Database {
  if (path !== MEMORY) refuseNetwork(path);
  const database = kept(new Database(path, { timeout: BUSY_TIMEOUT_MS }));
  try {
    configure(database, path, mode);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: Database.Database, path: string, mode: 'write' | 'read'): void {
  database.exec(`PRAGMA cache_size = -${CACHE_KIB[mode]}`);
  database.exec('PRAGMA temp_store = MEMORY');
  database.exec('PRAGMA trusted_schema = OFF');
  if (path === MEMORY) return;
  database.exec('PRAGMA journal_mode = WAL');
  database.exec(`PRAGMA journal_size_limit = ${WAL_KEPT_BYTES}`);
  database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  database.exec('PRAGMA synchronous = FULL');
  assertPragma(database, 'journal_mode', 'wal');
  assertPragma(database, 'synchronous', 2);
  if (mode === 'read') database.exec('PRAGMA query_only = ON');
}

/** A re-opened WAL database falls back to NORMAL, which loses commits on power failure: never trust, always look. */
function assertPragma(database: Database.Database, name: string, expected: string | number): void {
  const actual = kept(database.prepare<[], string | number>(`PRAGMA ${name}`))
    .pluck()
    .get();
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
