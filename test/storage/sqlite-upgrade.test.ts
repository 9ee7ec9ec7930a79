// Owns the proof that a database of an older service is brought up to date with what it holds.
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMigrations } from '#service/storage/migrate.js';
import { topFamilies } from '#service/storage/sqlite/families.js';
import { migrate } from '#service/storage/sqlite/schema.js';
import { Session } from '#service/storage/sqlite/session.js';

const FOLDER = new URL('../../service/storage/sqlite/migrations/', import.meta.url);

let database: Database.Database;
beforeEach(() => {
  database = new Database(':memory:');
  const [first] = readMigrations(FOLDER.pathname);
  database.exec(readFileSync(new URL('001_initial.sql', FOLDER), 'utf8'));
  database.exec(`CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL, serves_from INTEGER NOT NULL) STRICT`);
  database.prepare("INSERT INTO schema_migrations VALUES (1, 'initial', ?, 1, 1)").run(first?.checksum);
});
afterEach(() => database.close());

const BURY = `
  INSERT INTO jobs_dlq (id, queue, type, failure_reason, error_details, failed_at, priority, due_at, created_at, first_due_at,
    attempts, round, version, updated_at, holds_key, payload_hash, payload)
  VALUES (?, 'q', 't', ?, ?, ?, 1, 1, 1, 1, 1, 1, 1, 1, 0, x'00', x'00')`;

it('Jobs that died before there were error families are in theirs afterwards', () => {
  const bury = database.prepare(BURY);
  for (let at = 0; at < 600; at++)
    bury.run(`rare-${at}`, 'Zombie', `error ${String.fromCodePoint(0x4e00 + at)}`, 1_000 + at);
  for (let at = 0; at < 3; at++) bury.run(`rows-${at}`, 'FatalError', `no row ${at}`, 5_000 + at);
  bury.run('silent', 'Cancelled', null, 7_000);
  expect(migrate(database, 9_000)).not.toEqual([]);
  const families = topFamilies(new Session(database), 1_000).body;
  expect(families.slice(0, 2)).toMatchObject([
    { reason: 'Zombie', prefix: '(other)', newestAt: 1_599 },
    { reason: 'FatalError', prefix: 'no row #', count: 3, newestAt: 5_002 },
  ]);
  expect(families.length).toBeLessThanOrEqual(501);
  expect(families.reduce((sum, { count }) => sum + count, 0)).toBe(604);
  const stray = database.prepare('SELECT count(*) FROM jobs_dlq WHERE error_family IS NULL').pluck().get();
  expect(stray).toBe(0);
});
