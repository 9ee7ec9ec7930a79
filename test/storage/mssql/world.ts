// Owns a world on a real SQL Server: a schema of its own, two nodes on it, and what only somebody from outside can do to it.
import { randomBytes } from 'node:crypto';
import sql from 'mssql';
import { ServerClock } from '#service/storage/mssql/server-clock.js';
import { openMssql } from '#service/storage/mssql/store.js';
import type { StoreWorld } from '../suite/world.ts';

/** `Server=…;Database=…;User Id=…;Password=…` of a server on which schemas may be made and dropped. */
export const TEST_URL = process.env.CHOKAQ_TEST_MSSQL_URL;

export async function openWorld(url: string): Promise<StoreWorld> {
  const schema = `law_${randomBytes(6).toString('hex')}`;
  const pool = await new sql.ConnectionPool(url).connect();
  const clocks: ServerClock[] = [];
  const open = () => {
    const clock = new ServerClock();
    clock.advance(clocks[0]?.skewMs ?? 0);
    clocks.push(clock);
    return openMssql({ kind: 'mssql', url, schema }, { clock });
  };
  const nodes = [await open(), await open()] as const;
  return {
    nodes,
    clock: {
      advance: ms => {
        for (const clock of clocks) clock.advance(ms);
      },
    },
    close: async () => {
      for (const node of nodes) await node.close();
      await drop(pool, schema);
      await pool.close();
    },
    empty: () => empty(pool, schema),
    reopen: open,
    buckets: queue => sumBuckets(pool, schema, queue),
  };
}

const TABLES = 'SELECT t.name FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id WHERE s.name = @schema';

async function tablesOf(pool: sql.ConnectionPool, schema: string): Promise<readonly string[]> {
  const { recordset } = await pool.request().input('schema', sql.NVarChar(100), schema).query<{ name: string }>(TABLES);
  return recordset.map(({ name }) => name);
}

/** From outside, which is right because what a store keeps of its database in mind it looks up by revision. */
async function empty(pool: sql.ConnectionPool, schema: string): Promise<void> {
  const kept = ['schema_migrations', 'revisions'];
  const tables = (await tablesOf(pool, schema)).filter(name => !kept.includes(name));
  const deletes = tables.map(name => `DELETE FROM ${schema}.${name};`).join(' ');
  await pool.request().query(`${deletes} UPDATE ${schema}.revisions SET value = value + 1;`);
}

async function drop(pool: sql.ConnectionPool, schema: string): Promise<void> {
  for (const table of await tablesOf(pool, schema)) await pool.request().query(`DROP TABLE ${schema}.${table}`);
  await pool.request().query(`DROP SCHEMA ${schema}`);
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
