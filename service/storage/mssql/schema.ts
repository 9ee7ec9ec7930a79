// Owns how a SQL Server database gets its schema: under an application lock, so that any number of nodes may start at once.
import sql from 'mssql';
import { packageFile } from '../../root.ts';
import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  readMigrations,
  requireNone,
  SchemaRefusal,
} from '../migrate.ts';
import { unavailable } from '../retry.ts';
import { classify } from './faults.ts';
import type { Session } from './session.ts';

const LOCK = `
  DECLARE @granted INT;
  EXEC @granted = sp_getapplock @Resource = @resource, @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = 60000;
  SELECT @granted AS granted;`;

const LEDGER = `
  IF OBJECT_ID('chokaq.schema_migrations') IS NULL
    CREATE TABLE chokaq.schema_migrations (
      number INT NOT NULL CONSTRAINT schema_migrations_pk PRIMARY KEY,
      name NVARCHAR(100) NOT NULL,
      checksum VARCHAR(64) NOT NULL,
      applied_at BIGINT NOT NULL,
      serves_from INT NOT NULL
    );`;

/** Longer than a node waits for another that migrates, and than any step on a large table should take. */
const REQUEST_TIMEOUT_MS = 600_000;

/** What the driver takes and its types do not tell. */
declare module 'mssql' {
  interface ConnectionPool {
    transaction(overrides: { readonly requestTimeout: number }): sql.Transaction;
  }
}

const FIND_LEDGER = "SELECT OBJECT_ID('chokaq.schema_migrations') AS id";

const APPLIED = `
  SELECT number, name, checksum, serves_from FROM chokaq.schema_migrations ORDER BY number`;

const RECORD = `
  INSERT INTO chokaq.schema_migrations (number, name, checksum, applied_at, serves_from)
  VALUES (@number, @name, @checksum, DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME()), @serves_from)`;

interface AppliedRow {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly serves_from: number;
}

let known: readonly Migration[] | undefined;

export function knownMigrations(): readonly Migration[] {
  known ??= readMigrations(packageFile('service/storage/mssql/migrations'));
  return known;
}

/** The number of the newest migration that this service knows. */
export function newestKnown(): number {
  return knownMigrations().at(-1)?.number ?? 0;
}

/**
 * Brings the schema up to date, all or nothing, and answers the names of what was applied. `schema` is in brackets. Where
 * nothing is missing nothing is locked or tried, so that a login that may only read and write rows can start a service.
 */
export async function migrate(pool: sql.ConnectionPool, schema: string): Promise<readonly string[]> {
  if ((await pending(pool, schema)).length === 0) return [];
  return applyAll(pool, schema).catch((error: unknown) => {
    throw explained(error, schema);
  });
}

/** Changes nothing; throws `SchemaRefusal` unless the schema is the one that this service works with. */
export async function requireSchema(pool: sql.ConnectionPool, schema: string): Promise<void> {
  requireNone(await pending(pool, schema));
}

export async function hasTable(session: Session, table: string): Promise<boolean> {
  const found = await session.read('peek', "SELECT OBJECT_ID('chokaq.' + @table) AS id", { table });
  return found.row<{ readonly id: number | null }>()?.id != null;
}

async function pending(pool: sql.ConnectionPool, schema: string): Promise<readonly Migration[]> {
  try {
    const found = await pool.request().query<{ id: number | null }>(inSchema(FIND_LEDGER, schema));
    if (found.recordset[0]?.id == null) return knownMigrations();
    const { recordset } = await pool.request().query<AppliedRow>(inSchema(APPLIED, schema));
    return pendingMigrations(knownMigrations(), recordset.map(appliedFrom));
  } catch (error) {
    throw explained(error, schema);
  }
}

const MAY_NOT = [229, 262, 297, 300, 1088, 2759, 2760, 3701, 15_247];

/** What a person at the start of a service can do something about. */
function explained(error: unknown, schema: string): unknown {
  if (!(error instanceof Error) || error instanceof SchemaRefusal) return error;
  if ('number' in error && MAY_NOT.includes(Number(error.number)))
    return new SchemaRefusal(
      `the schema ${bare(schema)} cannot be brought up to date by this login: ${error.message} ` +
        'Run `chokaq migrate` once with a login that may change it (docs/sql-server.md#permissions)',
    );
  return classify(error) === 'bug' ? error : unavailable(error, false);
}

async function applyAll(pool: sql.ConnectionPool, schema: string): Promise<readonly string[]> {
  const transaction = pool.transaction({ requestTimeout: REQUEST_TIMEOUT_MS });
  await transaction.begin(sql.ISOLATION_LEVEL.READ_COMMITTED);
  try {
    const applied = await bringUpToDate(transaction, schema);
    await transaction.commit();
    return applied;
  } catch (error) {
    await transaction.rollback().catch(() => undefined);
    throw error;
  }
}

async function bringUpToDate(transaction: sql.Transaction, schema: string): Promise<readonly string[]> {
  const run = (text: string) => transaction.request().batch(inSchema(text, schema));
  await lock(transaction, schema);
  await run(`IF SCHEMA_ID('${bare(schema)}') IS NULL EXEC('CREATE SCHEMA ${schema}')`);
  await run(LEDGER);
  const { recordset } = await transaction.request().query<AppliedRow>(inSchema(APPLIED, schema));
  const missing = pendingMigrations(knownMigrations(), recordset.map(appliedFrom));
  for (const migration of missing) {
    for (const batch of batches(migration.sql)) await run(batch);
    await record(transaction, schema, migration);
  }
  return missing.map(({ name }) => name);
}

async function lock(transaction: sql.Transaction, schema: string): Promise<void> {
  const request = transaction.request().input('resource', sql.NVarChar(255), `chokaq ${schema}`);
  const { recordset } = await request.query<{ granted: number }>(LOCK);
  const granted = recordset[0]?.granted ?? -1;
  if (granted < 0)
    throw new Error(`another node has been migrating the database for a minute (sp_getapplock: ${granted})`);
}

async function record(transaction: sql.Transaction, schema: string, migration: Migration): Promise<void> {
  const { number, name, checksum, servesFrom } = migration;
  await transaction
    .request()
    .input('number', sql.Int, number)
    .input('name', sql.NVarChar(100), name)
    .input('checksum', sql.VarChar(64), checksum)
    .input('serves_from', sql.Int, servesFrom)
    .query(inSchema(RECORD, schema));
}

function appliedFrom({ number, name, checksum, serves_from }: AppliedRow): AppliedMigration {
  return { number, name, checksum, servesFrom: serves_from };
}

/** As sqlcmd does: what CREATE PROCEDURE and CREATE VIEW need is to be alone. */
function batches(text: string): string[] {
  return text.split(/^GO$/m).filter(batch => batch.trim() !== '');
}

function inSchema(text: string, schema: string): string {
  return text.replaceAll(/\bchokaq\./g, `${schema}.`);
}

function bare(schema: string): string {
  return schema.slice(1, -1);
}
