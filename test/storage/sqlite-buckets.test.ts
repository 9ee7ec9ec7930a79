// Owns the proof that statistics stay cheap: old buckets become few, and a point of a series reads only the rows of its span.
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MEMORY, openConnection } from '#service/storage/sqlite/connection.js';
import { retain } from '#service/storage/sqlite/retain.js';
import { migrate } from '#service/storage/sqlite/schema.js';
import { Session } from '#service/storage/sqlite/session.js';
import { readSeries } from '#service/storage/sqlite/stats.js';

const MINUTE = 60_000;
const LIMITS = { archiveMs: 1e12, dlqMs: 1e12, bucketsMs: 1e12, auditMs: 1e12, batch: 1_000 };
const NOW = 30_000_000 * MINUTE;
const QUEUES = ['a', 'b', 'c'];

let database: Database.Database;
let session: Session;

beforeEach(() => {
  database = openConnection(MEMORY, 'write');
  migrate(database, 1);
  session = new Session(database);
});
afterEach(() => void database.close());

/** A bucket for every second and queue from `minutes` ago until now. */
function busy(minutes: number): void {
  const insert = database.prepare('INSERT INTO metric_buckets (at, queue, enqueued, succeeded) VALUES (?, ?, 2, 1)');
  database.transaction(() => {
    for (let at = NOW - minutes * MINUTE; at < NOW; at += 1_000) for (const queue of QUEUES) insert.run(at, queue);
  })();
}

const rows = () => database.prepare('SELECT count(*) FROM metric_buckets').pluck().get();

it('What is older than a quarter of an hour is one row per minute and queue, with nothing lost', () => {
  busy(25);
  const range = { from: NOW - 25 * MINUTE, to: NOW, stepMs: MINUTE, queue: 'b' };
  const before = readSeries(session, range).body;
  expect(before.every(({ enqueued, succeeded }) => enqueued === 120 && succeeded === 60)).toBe(true);
  session.write(NOW, () => retain(session, LIMITS));
  expect(rows()).toBe(QUEUES.length * (15 * 60 + 10));
  session.write(NOW + MINUTE, () => retain(session, LIMITS));
  expect(rows()).toBe(QUEUES.length * (14 * 60 + 11));
  expect(readSeries(session, range).body).toEqual(before);
});

it('One call folds ten minutes at the most, so that no write waits for hours of backlog', () => {
  busy(60);
  session.write(NOW, () => retain(session, LIMITS));
  expect(rows()).toBe(QUEUES.length * (50 * 60 + 10));
});

it('A point of a series reads the rows of its own span, for one queue as for all', () => {
  busy(1);
  for (const only of ['', 'AND queue = ?']) {
    const sql = `EXPLAIN QUERY PLAN SELECT total(enqueued) FROM metric_buckets WHERE at >= ? AND at < ? ${only}`;
    const plan = database.prepare(sql).all(...Array(only === '' ? 2 : 3).fill(1)) as { detail: string }[];
    expect(plan.map(({ detail }) => detail)).toEqual(['SEARCH metric_buckets USING PRIMARY KEY (at>? AND at<?)']);
  }
});
