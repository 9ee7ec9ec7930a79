// Owns how a SQLite database gets its schema: check and change in one transaction, so that any number of processes may start at once.
import type Database from 'better-sqlite3';
import { errorPrefix } from '../../domain/error-family.ts';
import { packageFile } from '../../root.ts';
import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  readMigrations,
  requireNone,
  SchemaRefusal,
} from '../migrate.ts';
import { kept } from './connection.ts';

const LEDGER = `
  CREATE TABLE IF NOT EXISTS schema_migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL,
    serves_from INTEGER NOT NULL
  ) STRICT`;

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'`;

const APPLIED = 'SELECT number, name, checksum, serves_from AS servesFrom FROM schema_migrations ORDER BY number';

const RECORD = 'INSERT INTO schema_migrations (number, name, checksum, applied_at, serves_from) VALUES (?, ?, ?, ?, ?)';

let known: readonly Migration[] | undefined;

function knownMigrations(): readonly Migration[] {
  known ??= readMigrations(packageFile('service/storage/sqlite/migrations'));
  return known;
}

/** The number of the newest migration that this service knows. */
export function newestKnown(): number {
  return knownMigrations().at(-1)?.number ?? 0;
}

/** Brings the schema up to date and answers the names of what was applied. */
export function migrate(database: Database.Database, now: number): readonly string[] {
  // For rows that were stored before the column that a rule fills.
  database.function('error_prefix', { deterministic: true }, text =>
    errorPrefix(typeof text === 'string' ? text : null),
  );
  return database.transaction(() => bringUpToDate(database, now)).immediate();
}

/** Changes nothing; throws `SchemaRefusal` unless the schema is the one that this service works with. */
export function requireSchema(database: Database.Database): void {
  const tables = kept(database.prepare<[], string>(TABLES)).pluck().all();
  refuseForeign(tables);
  const applied = tables.length === 0 ? [] : kept(database.prepare<[], AppliedMigration>(APPLIED)).all();
  requireNone(pendingMigrations(knownMigrations(), applied));
}

function bringUpToDate(database: Database.Database, now: number): readonly string[] {
  refuseForeign(kept(database.prepare<[], string>(TABLES)).pluck().all());
  database.exec(LEDGER);
  const pending = pendingMigrations(knownMigrations(), kept(database.prepare<[], AppliedMigration>(APPLIED)).all());
  const record = kept(database.prepare(RECORD));
  for (const { number, name, sql, checksum, servesFrom } of pending) {
    database.exec(sql);
    record.run(number, name, checksum, now, servesFrom);
  }
  return pending.map(({ name }) => name);
}

/** A database that another program made keeps its tables to itself. */
function refuseForeign(tables: readonly string[]): void {
  if (tables.length === 0 || tables.includes('schema_migrations')) return;
  throw new SchemaRefusal(
    `the database belongs to another program: it has the table ${tables[0]} and none of ChokaQ; ` +
      'set CHOKAQ_SQLITE_PATH to a file of its own',
  );
}
