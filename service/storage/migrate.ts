// Owns which migrations a database still needs, and when a service must keep its hands off a database.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One numbered SQL file. Its first line says `-- Serves from: N`: services that know fewer migrations than N must refuse the schema. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
  readonly servesFrom: number;
}

/** A row of the ledger table `schema_migrations`. */
export interface AppliedMigration {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly servesFrom: number;
}

const FILE_NAME = /^(\d{3})_([a-z0-9_]+)\.sql$/;
const SERVES_FROM = /^-- Serves from: (\d+)$/m;

/** All migrations of a folder, by number. */
export function readMigrations(folder: string): Migration[] {
  return readdirSync(folder)
    .filter(name => FILE_NAME.test(name))
    .sort()
    .map(name => readMigration(folder, name));
}

function readMigration(folder: string, file: string): Migration {
  const sql = readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n');
  const [, number = '', name = ''] = FILE_NAME.exec(file) ?? [];
  const [, servesFrom] = SERVES_FROM.exec(sql) ?? [];
  if (servesFrom === undefined) throw new Error(`migration ${file} does not say which services it serves`);
  const checksum = createHash('sha256').update(sql).digest('hex');
  return { number: Number(number), name, sql, checksum, servesFrom: Number(servesFrom) };
}

/**
 * What is left to apply, in order. Throws `SchemaRefusal` when the database is too new for this service, or when a
 * migration that it has applied is not the one this service knows under that number.
 */
export function pendingMigrations(known: readonly Migration[], applied: readonly AppliedMigration[]): Migration[] {
  const newestKnown = known.at(-1)?.number ?? 0;
  for (const row of applied) {
    if (row.servesFrom > newestKnown) throw tooOld(newestKnown, row);
    const same = known.find(migration => migration.number === row.number);
    if (same !== undefined && same.checksum !== row.checksum) throw changed(row);
  }
  return known.filter(migration => !applied.some(row => row.number === migration.number));
}

/** Where a service may only look: throws `SchemaRefusal` when anything is left to apply. */
export function requireNone(pending: readonly Migration[]): void {
  if (pending.length === 0) return;
  const names = pending.map(({ number, name }) => `${number} (${name})`).join(', ');
  throw new SchemaRefusal(
    `the database lacks the migrations ${names}, and CHOKAQ_AUTO_MIGRATE=false keeps this service from applying them; ` +
      'run `chokaq migrate` with a login that may change the schema, then start the service again',
  );
}

/** Why this service must not work with that database; the message tells what to do. */
export class SchemaRefusal extends Error {
  override readonly name = 'SchemaRefusal';
  readonly code = 'schema-refused';
}

function tooOld(newestKnown: number, row: AppliedMigration): SchemaRefusal {
  return new SchemaRefusal(
    `this service is too old for the database: it knows migrations up to ${newestKnown}, but migration ${row.number} ` +
      `(${row.name}) of the database serves only services that know ${row.servesFrom}; start a newer version of ChokaQ`,
  );
}

function changed(row: AppliedMigration): SchemaRefusal {
  return new SchemaRefusal(
    `migration ${row.number} (${row.name}) was applied to the database in another form than this service knows; ` +
      'this is a different or altered build of ChokaQ: start the one that made the database, or restore a backup',
  );
}
