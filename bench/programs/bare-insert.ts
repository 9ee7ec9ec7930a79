// Owns the baseline of P2: better-sqlite3 inserting the same rows into a plain table, durable, in transactions of the same size.
import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { v7 as uuidv7 } from 'uuid';
import { serve } from '../program.ts';
import { BATCH_SIZE, JOB_TYPE, payload } from '../work.ts';

/** The columns a waiting job needs, its primary key, and no other index. */
const SCHEMA = `CREATE TABLE jobs (
  id TEXT PRIMARY KEY, queue TEXT NOT NULL, type TEXT NOT NULL, payload BLOB NOT NULL, payload_hash BLOB NOT NULL,
  tags TEXT NOT NULL, priority INTEGER NOT NULL, status INTEGER NOT NULL, attempts INTEGER NOT NULL, overrides TEXT,
  idempotency_key TEXT, due_at INTEGER NOT NULL, first_due_at INTEGER NOT NULL, created_at INTEGER NOT NULL,
  round INTEGER NOT NULL, version INTEGER NOT NULL, updated_at INTEGER NOT NULL
) STRICT`;
const INSERT = 'INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)';

export interface BareInsert {
  readonly durationMs: number;
}

const database = new Database(process.argv[2] ?? '');
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.exec(SCHEMA);
const insert = database.prepare(INSERT);
const payloads = Array.from({ length: BATCH_SIZE }, (_, n) => Buffer.from(payload(n)));
const hashes = payloads.map(bytes => createHash('sha256').update(bytes).digest());

const insertBatch = database.transaction((now: number) => {
  payloads.forEach((bytes, n) => {
    insert.run(uuidv7(), 'default', JOB_TYPE, bytes, hashes[n], '[]', 10, 0, 0, null, null, now, now, now, 1, 1, now);
  });
});

async function run({ durationMs }: BareInsert): Promise<number> {
  const from = performance.now();
  let rows = 0;
  for (; performance.now() - from < durationMs; rows += BATCH_SIZE) insertBatch.immediate(Date.now());
  return rows / ((performance.now() - from) / 1_000);
}

serve(null, run);
