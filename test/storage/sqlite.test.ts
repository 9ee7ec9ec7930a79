// Owns the plug: SQLite, as a file and in memory, under the law of the store.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { MachineClock } from '#service/clock.js';
import { openMemory, openStore } from '#service/storage/open.js';
import { type StoreWorld, storeSuite } from './store.suite.ts';

storeSuite('SQLite in memory', async (): Promise<StoreWorld> => {
  const clock = new MachineClock();
  const database = await openMemory();
  const nodes = [database.store({ clock }), database.store({ clock })] as const;
  return {
    nodes,
    clock,
    close: async () => {
      for (const node of nodes) await node.close();
    },
  };
});

storeSuite('a SQLite file', async (): Promise<StoreWorld> => {
  const folder = await mkdtemp(join(tmpdir(), 'chokaq-law-'));
  const path = join(folder, 'chokaq.db');
  const clock = new MachineClock();
  const open = () => openStore({ kind: 'sqlite', path }, { clock });
  const nodes = [await open(), await open()] as const;
  return {
    nodes,
    clock,
    close: async () => {
      for (const node of nodes) await node.close();
      await rm(folder, { recursive: true });
    },
    empty: async () => empty(path),
    reopen: open,
    breakWrites: async table => breakWrites(path, table),
    buckets: async queue => sumBuckets(path, queue),
  };
});

const TABLES = `
  SELECT name FROM sqlite_master
  WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('schema_migrations', 'revisions')`;

/** From outside, which is right because what a store keeps of its database in mind it looks up by revision. */
function empty(path: string): void {
  const database = new Database(path);
  const tables = database.prepare<[], string>(TABLES).pluck().all();
  database.transaction(() => {
    for (const table of tables) database.exec(`DELETE FROM ${table}`);
    database.exec('UPDATE revisions SET value = value + 1');
  })();
  database.close();
}

const WRITES = ['INSERT', 'UPDATE', 'DELETE'] as const;

/** From outside, as a damaged or foreign-handled database would. */
function breakWrites(path: string, table: string): () => Promise<void> {
  const run = (sql: (write: string) => string) => {
    const database = new Database(path);
    for (const write of WRITES) database.exec(sql(write));
    database.close();
  };
  run(write => `CREATE TRIGGER broken_${write} BEFORE ${write} ON ${table} BEGIN SELECT RAISE(ABORT, 'broken'); END`);
  return async () => run(write => `DROP TRIGGER broken_${write}`);
}

function sumBuckets(path: string, queue: string): { succeeded: number; dead: number } {
  const database = new Database(path, { readonly: true });
  const sums = database
    .prepare<[string], { succeeded: number; dead: number }>(
      'SELECT coalesce(sum(succeeded), 0) AS succeeded, coalesce(sum(dead), 0) AS dead FROM metric_buckets WHERE queue = ?',
    )
    .get(queue);
  database.close();
  return sums ?? { succeeded: 0, dead: 0 };
}
