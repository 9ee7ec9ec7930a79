// Owns a world on a real SQL Server: a schema of its own, two nodes on it, and what only somebody from outside can do to it.
import { randomBytes } from 'node:crypto';
import sql from 'mssql';
import { ServerClock } from '#service/storage/mssql/server-clock.js';
import { openMssql } from '#service/storage/mssql/store.js';
import type { StoreWorld } from '../suite/world.ts';

/** `Server=…;Database=…;User Id=…;Password=…` of a server on which schemas may be made and dropped. */
export const TEST_URL = process.env.CHOKAQ_TEST_MSSQL_URL;

export interface MssqlWorld extends StoreWorld {
  readonly schema: string;
  /** What somebody else on the server gets for this batch, in which the schema is called chokaq. */
  ask<T extends object>(text: string): Promise<readonly T[]>;
}

/** Enough for two nodes to meet; each of them compiles every statement for itself on a server that has no cache of plans. */
const CONNECTIONS = 3;

/** A name that no run has used. */
export function freshSchema(): string {
  return `law_${randomBytes(6).toString('hex')}`;
}

export async function openWorld(url: string, schema = freshSchema()): Promise<MssqlWorld> {
  const pool = await new sql.ConnectionPool(url).connect();
  const clocks: ServerClock[] = [];
  const open = () => {
    const clock = new ServerClock();
    clock.advance(clocks[0]?.skewMs ?? 0);
    clocks.push(clock);
    return openMssql({ kind: 'mssql', url, schema, poolSize: CONNECTIONS }, { clock });
  };
  const nodes = [await open(), await open()] as const;
  return {
    nodes,
    schema,
    ask: async <T extends object>(text: string) => {
      const { recordset } = await pool.request().batch<T>(text.replaceAll(/\bchokaq\./g, `${schema}.`));
      return recordset ?? [];
    },
    clock: {
      advance: ms => {
        for (const clock of clocks) clock.advance(ms);
      },
    },
    close: async () => {
      for (const node of nodes) await node.close();
      await dropSchema(pool, schema);
      await pool.close();
    },
    empty: () => empty(pool, schema),
    reopen: open,
    breakWrites: table => breakWrites(pool, schema, table),
    buckets: queue => sumBuckets(pool, schema, queue),
  };
}

/** In the order in which they can be dropped. */
const KINDS = { V: 'VIEW', FN: 'FUNCTION', P: 'PROCEDURE', U: 'TABLE' } as const;

const OBJECTS = `SELECT o.name FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id
  WHERE s.name = @schema AND o.type = @kind`;

async function objectsOf(pool: sql.ConnectionPool, schema: string, kind: string): Promise<readonly string[]> {
  const request = pool.request().input('schema', sql.NVarChar(100), schema).input('kind', sql.NVarChar(2), kind);
  const { recordset } = await request.query<{ name: string }>(OBJECTS);
  return recordset.map(({ name }) => name);
}

/** From outside, which is right because what a store keeps of its database in mind it looks up by revision. */
async function empty(pool: sql.ConnectionPool, schema: string): Promise<void> {
  const kept = ['schema_migrations', 'revisions'];
  const tables = (await objectsOf(pool, schema, 'U')).filter(name => !kept.includes(name));
  const deletes = tables.map(name => `DELETE FROM ${schema}.${name};`).join(' ');
  await pool.request().query(`${deletes} UPDATE ${schema}.revisions SET value = value + 1;`);
}

export async function dropSchema(pool: sql.ConnectionPool, schema: string): Promise<void> {
  for (const [kind, word] of Object.entries(KINDS))
    for (const name of await objectsOf(pool, schema, kind))
      await pool.request().query(`DROP ${word} ${schema}.${name}`);
  await pool.request().query(`DROP SCHEMA ${schema}`);
}

async function breakWrites(pool: sql.ConnectionPool, schema: string, table: string): Promise<() => Promise<void>> {
  await pool.request().batch(`
    CREATE TRIGGER ${schema}.broken ON ${schema}.${table} AFTER INSERT, UPDATE AS
    IF EXISTS (SELECT 1 FROM inserted) THROW 50001, 'broken for a test', 1;`);
  return async () => void (await pool.request().batch(`DROP TRIGGER ${schema}.broken`));
}

async function sumBuckets(pool: sql.ConnectionPool, schema: string, queue: string) {
  const { recordset } = await pool
    .request()
    .input('queue', sql.NVarChar(510), queue)
    .query<{ succeeded: string; dead: string }>(
      `SELECT COALESCE(SUM(succeeded), 0) AS succeeded, COALESCE(SUM(dead), 0) AS dead FROM ${schema}.metric_buckets WHERE queue = @queue`,
    );
  return { succeeded: Number(recordset[0]?.succeeded ?? 0), dead: Number(recordset[0]?.dead ?? 0) };
}
