// Owns the proof of what a SQLite file promises besides the law: durability, many processes, schema, faults of the disk.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MachineClock } from '#service/clock.js';
import type { Store } from '#service/ports/store.js';
import { openStore } from '#service/storage/open.js';
import { openConnection } from '#service/storage/sqlite/connection.js';
import { newJob, newJobs } from '../fixtures/jobs.ts';

let folder: string;
let path: string;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chokaq-file-'));
  path = join(folder, 'data', 'chokaq.db');
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<Store> {
  const store = await openStore({ kind: 'sqlite', path }, { clock: new MachineClock() });
  closing.push(() => store.close());
  return store;
}

/** A connection of somebody else to the same file. */
function outside(): Database.Database {
  const database = new Database(path);
  closing.push(() => database.close());
  return database;
}

interface Told {
  readonly opened?: string;
  readonly stored?: readonly string[];
}

function writer(name: string, batches?: number): { process: ChildProcess; told: Told[] } {
  const told: Told[] = [];
  const file = new URL('./fixture/writer.mjs', import.meta.url);
  const process = fork(file, [path, name, ...(batches === undefined ? [] : [String(batches)])], { execArgv: [] });
  process.on('message', message => told.push(message as Told));
  closing.push(() => process.kill('SIGKILL'));
  return { process, told };
}

describe('durability', () => {
  it('K1b · Every connection, also to a file opened again, commits with synchronous=FULL in WAL mode', async () => {
    await (await open()).check();
    for (const mode of ['write', 'read', 'write'] as const) {
      const connection = openConnection(path, mode);
      expect(connection.pragma('synchronous', { simple: true })).toBe(2);
      expect(connection.pragma('journal_mode', { simple: true })).toBe('wal');
      connection.close();
    }
  });

  it('A process killed while it writes has lost nothing that it was answered', async () => {
    const { process, told } = writer('victim');
    await expect.poll(() => told.filter(({ stored }) => stored).length, { timeout: 15_000 }).toBeGreaterThan(20);
    process.kill('SIGKILL');
    await once(process, 'exit');
    const answered = told.flatMap(({ stored = [] }) => stored);
    const store = await open();
    const found = await Promise.all(answered.map(id => store.jobs.get(id)));
    expect(found.every(job => job?.state === 'pending')).toBe(true);
    const counts = (await store.queues.get('default'))?.counts;
    const rows = outside().prepare<[], { count: number }>('SELECT count(*) AS count FROM jobs_hot').get()?.count;
    expect(counts?.pending).toBe(rows);
    expect(rows).toBeGreaterThanOrEqual(answered.length);
  });
});

describe('many processes', () => {
  it('K1 · Five that start at once on an empty store make one schema, each migration once, and all work', async () => {
    const writers = ['a', 'b', 'c', 'd', 'e'].map(name => writer(name, 3));
    const codes = await Promise.all(writers.map(async ({ process }) => (await once(process, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0, 0, 0]);
    const ledger = outside().prepare('SELECT number, count(*) AS times FROM schema_migrations GROUP BY number').all();
    expect(ledger).toEqual([
      { number: 1, times: 1 },
      { number: 2, times: 1 },
      { number: 3, times: 1 },
    ]);
    const store = await open();
    expect(await store.queues.get('default')).toMatchObject({ counts: { pending: 5 * 3 * 8 } });
  }, 60_000);
});

describe('the schema', () => {
  const refused = (why: RegExp) =>
    expect(openStore({ kind: 'sqlite', path }, { clock: new MachineClock() })).rejects.toThrow(why);

  it('K1 · A service older than the schema serves refuses, and says what to do', async () => {
    await (await open()).check();
    outside().exec("INSERT INTO schema_migrations VALUES (70, 'future', 'x', 0, 70)");
    await refused(/too old for the database.*start a newer version/);
  });

  it('K1 · A newer schema that still serves this service is accepted', async () => {
    await (await open()).check();
    outside().exec("INSERT INTO schema_migrations VALUES (70, 'future', 'x', 0, 1)");
    await (await open()).check();
  });

  it('K1 · A migration that was changed after it was applied is refused', async () => {
    await (await open()).check();
    outside().exec("UPDATE schema_migrations SET checksum = 'other' WHERE number = 1");
    await refused(/applied to the database in another form/);
  });

  it('A store whose table is missing is not healthy', async () => {
    const store = await open();
    outside().exec('DROP TABLE jobs_dlq');
    await expect(store.check()).rejects.toThrow(/jobs_dlq/);
  });

  it('A database of another program is refused and left as it was', async () => {
    await (await open()).check();
    path = join(folder, 'data', 'foreign.db');
    outside().exec('CREATE TABLE customers (id INTEGER)');
    await refused(/belongs to another program: it has the table customers/);
    expect(outside().prepare('SELECT name FROM sqlite_schema').pluck().all()).toEqual(['customers']);
  });

  it('A file that is no database is refused and left as it was', async () => {
    await (await open()).check();
    path = join(folder, 'data', 'text.db');
    await writeFile(path, 'this is not a database, '.repeat(300));
    await refused(/text\.db cannot be used: file is not a database/);
  });
});

describe('faults', () => {
  it('D10 · A lock that another process holds for a while is waited for', async () => {
    const store = await open();
    const other = outside();
    other.exec('BEGIN IMMEDIATE');
    const insert = store.jobs.insert([newJob()]);
    await new Promise(resolve => setTimeout(resolve, 1_500));
    other.exec('COMMIT');
    expect(await insert).toMatchObject([{ duplicate: false }]);
  });

  it('A lock that does not go away is storage-unavailable, nothing half-done, and reads go on meanwhile', async () => {
    const store = await open();
    await store.jobs.insert([newJob({ id: 'before' })]);
    const other = outside();
    other.exec('BEGIN IMMEDIATE');
    const inserts = Promise.allSettled(newJobs(3, at => ({ id: `locked-${at}` })).map(job => store.jobs.insert([job])));
    expect(await store.jobs.get('before')).toMatchObject({ state: 'pending' });
    expect(await inserts).toMatchObject(Array(3).fill({ reason: { code: 'storage-unavailable' } }));
    other.exec('COMMIT');
    expect(await store.jobs.get('locked-0')).toBeNull();
    await store.jobs.insert([newJob({ id: 'after' })]);
    expect(await store.queues.get('default')).toMatchObject({ counts: { pending: 2 } });
  }, 30_000);

  it('A storage thread that dies is replaced, and the work it had is done', async () => {
    const workers: Worker[] = [];
    const note = (worker: Worker) => workers.push(worker);
    process.on('worker', note);
    closing.push(() => process.off('worker', note));
    const store = await open();
    await store.jobs.insert([newJob({ id: 'one' })]);
    // What no storage thread understands ends it, before it comes to what is asked next.
    for (const worker of workers) worker.postMessage(null);
    const insert = store.jobs.insert([newJob({ id: 'two' })]);
    expect(await insert).toMatchObject([{ duplicate: false }]);
    expect(await store.jobs.get('two')).toMatchObject({ state: 'pending' });
    expect(workers).toHaveLength(4);
  });

  it('A closed store has finished what it was asked and refuses more', async () => {
    const store = await open();
    const insert = store.jobs.insert([newJob({ id: 'last' })]);
    await store.close();
    expect(await insert).toMatchObject([{ duplicate: false }]);
    await expect(store.jobs.get('last')).rejects.toMatchObject({ code: 'storage-unavailable' });
    expect(await (await open()).jobs.get('last')).toMatchObject({ state: 'pending' });
  });

  it('One write that the database refuses fails alone, those of the same moment are kept', async () => {
    const store = await open();
    await store.jobs.insert([newJob()]);
    outside().exec(`CREATE TRIGGER poison BEFORE INSERT ON jobs_hot WHEN NEW.id = 'poison'
      BEGIN SELECT RAISE(ABORT, 'poisoned'); END`);
    const ids = ['one', 'poison', 'two', 'three'];
    const results = await Promise.allSettled(ids.map(id => store.jobs.insert([newJob({ id })])));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: { message: expect.stringContaining('poisoned') } });
    expect(await store.queues.get('default')).toMatchObject({ counts: { pending: 4 } });
  });
});
