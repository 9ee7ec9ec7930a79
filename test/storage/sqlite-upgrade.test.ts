// Owns the proof that a database of an older service is brought up to date with what it holds.
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readMigrations } from '#service/storage/migrate.js';
import { topFamilies } from '#service/storage/sqlite/families.js';
import { getOperation, unfinishedOperations } from '#service/storage/sqlite/operations.js';
import { migrate } from '#service/storage/sqlite/schema.js';
import { Session } from '#service/storage/sqlite/session.js';

const FOLDER = new URL('../../service/storage/sqlite/migrations/', import.meta.url);

let database: Database.Database;
beforeEach(() => {
  database = new Database(':memory:');
  database.exec(`CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL, serves_from INTEGER NOT NULL) STRICT`);
  upTo(1);
});
afterEach(() => database.close());

/** As a service left it that knew so many migrations. */
function upTo(last: number): void {
  // What a migration asks of the connection that makes it; there is nothing to ask about here.
  database.function('error_prefix', _text => '');
  const applied = database.prepare<[], number>('SELECT count(*) FROM schema_migrations').pluck().get() ?? 0;
  for (const { number, name, sql, checksum } of readMigrations(FOLDER.pathname).slice(applied, last)) {
    database.exec(sql);
    database.prepare('INSERT INTO schema_migrations VALUES (?, ?, ?, 1, 1)').run(number, name, checksum);
  }
}

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

it('Operations of before are what they were: those that had finished, and those that go on where they stood', () => {
  upTo(2);
  const begin = database.prepare(`INSERT INTO operations (id, action, filter, mark, total, last_failed_at, last_id,
    position_failed_at, position_id, affected, started_by, owner, started_at, moved_at, finished_at)
    VALUES (?, 'purge', '{}', 9, 4, 1, 'a', ?, ?, 2, 'ann', 'node', 5, 6, ?)`);
  begin.run('done', null, null, 7);
  begin.run('half', 3, 'c', null);
  expect(migrate(database, 9_000)).toContain('operations');
  const session = new Session(database);
  const known = { action: 'purge', total: 4, affected: 2, failures: 0, error: null };
  expect(getOperation(session, 'done').body).toMatchObject({ ...known, ended: 'finished', finishedAt: 7 });
  const half = { ...known, id: 'half', position: { at: 3, id: 'c' }, ended: null, finishedAt: null };
  expect(unfinishedOperations(session, null).body).toMatchObject({ items: [half], next: null });
});
