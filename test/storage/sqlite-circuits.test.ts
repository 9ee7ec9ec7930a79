// Owns the proof of what circuits cost in SQLite: nothing but one look per transaction while handlers work, and never a walk over what waits.
import { randomUUID } from 'node:crypto';
import type Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { judged, type Outcome, type Transition } from '#service/domain/lifecycle.js';
import { apply } from '#service/storage/sqlite/apply.js';
import { openCircuit } from '#service/storage/sqlite/circuits.js';
import { claim } from '#service/storage/sqlite/claim.js';
import { MEMORY, openConnection } from '#service/storage/sqlite/connection.js';
import { putHandler } from '#service/storage/sqlite/handlers.js';
import { insert } from '#service/storage/sqlite/insert.js';
import { migrate } from '#service/storage/sqlite/schema.js';
import { Session } from '#service/storage/sqlite/session.js';
import type { Value } from '#service/storage/sqlite/statements.js';
import { handlerFor, RETRYABLE, SUCCEEDED, TYPE } from '../fixtures/jobs.ts';

/** Keeps what it is asked about circuits, in order. */
class Watched extends Session {
  readonly asked: string[] = [];
  lanesRead = 0;

  override run(sql: string, ...values: readonly Value[]): number {
    this.#note(sql);
    return super.run(sql, ...values);
  }

  override row<T extends readonly unknown[]>(sql: string, ...values: readonly Value[]): T | undefined {
    this.#note(sql);
    return super.row(sql, ...values);
  }

  override rows<T extends readonly unknown[]>(sql: string, ...values: readonly Value[]): T[] {
    this.#note(sql);
    return super.rows(sql, ...values);
  }

  #note(sql: string): void {
    this.lanesRead += /FROM lanes INDEXED BY lanes_head/.test(sql) ? 1 : 0;
    if (/circuits|SELECT type, circuit|count\(\*\), min\(.* FROM jobs_hot/s.test(sql))
      this.asked.push(sql.replace(/\s+/g, ' ').trim());
  }
}

let database: Database.Database;
let session: Watched;
let now = 1_000;

beforeEach(() => {
  database = openConnection(MEMORY, 'write');
  migrate(database, 1);
  session = new Watched(database);
  transact(() => {
    putHandler(session, { handler: handlerFor(TYPE) });
    for (let n = 0; n < 60; n++) {
      const rest = [10, null, null, null, null, null, null, null, null, null, 'refuse', null, 0, true] as const;
      insert(session, [[`job-${n}`, 'q', TYPE, ...rest]], [new Uint8Array(1), new Uint8Array(32)]);
    }
  });
});

afterEach(() => database.close());

/** What the work asked about circuits. */
function transact(work: () => void): readonly string[] {
  session.asked.length = 0;
  now += 1_000;
  session.write(now, work);
  return [...session.asked];
}

const leases: { readonly id: string; readonly leaseId: string; readonly circuitEpoch: number }[] = [];

function claimSome(limit: number): void {
  const { body } = claim(session, {
    claimId: randomUUID(),
    owner: 'n',
    limit,
    perType: limit,
    perHandler: {},
    start: true,
  });
  leases.splice(
    0,
    leases.length,
    ...body.jobs.map(([values, leaseId, , , circuitEpoch]) => ({ id: values[0], leaseId, circuitEpoch })),
  );
}

function endAll(outcome: Outcome): void {
  const answer = { responseStatus: 200, responseBody: null, error: null };
  const ends = leases.map(({ id, leaseId, circuitEpoch }) => {
    const guard = { states: ['processing'] as const, leaseId };
    const end: Transition = {
      move: 'succeed',
      jobId: id,
      guard,
      change: { to: 'succeeded', outcome: 'succeeded', answer },
    };
    return judged(end, { handlerType: TYPE, circuitEpoch }, outcome);
  });
  apply(session, ends);
}

it('While handlers work, a transaction looks at the revisions once, however many jobs it claims or ends, and writes nothing', () => {
  transact(() => claimSome(5));
  transact(() => endAll(SUCCEEDED));
  const look = expect.stringMatching(/^SELECT \(SELECT value FROM revisions WHERE name = 'circuits'\)/);
  expect(transact(() => claimSome(20))).toEqual([look]);
  expect(transact(() => endAll(SUCCEEDED))).toEqual([look]);
  expect(database.prepare('SELECT count(*) FROM circuits').pluck().get()).toBe(0);
});

it('Failures cost one write per transaction, however many there are', () => {
  transact(() => claimSome(4));
  const asked = transact(() => endAll(RETRYABLE));
  expect(asked.filter(sql => /^(INSERT|UPDATE)/.test(sql))).toEqual([
    expect.stringMatching(/^INSERT INTO circuits/),
    expect.stringMatching(/^UPDATE revisions/),
  ]);
});

it('A policy that is put decides already within the transaction that put it', () => {
  transact(() => claimSome(1));
  transact(() => {
    claimSome(1);
    putHandler(session, { handler: handlerFor(TYPE, { circuit: { failureThreshold: 1 } }) });
    endAll(RETRYABLE);
  });
  expect(database.prepare('SELECT state FROM circuits').pluck().get()).toBe('open');
});

it('What is in flight of a ramp is counted among what is claimed, not among what waits', () => {
  transact(() => claimSome(5));
  transact(() => endAll(RETRYABLE));
  now += 60_000;
  transact(() => claimSome(5));
  transact(() => endAll(SUCCEEDED));
  const [counting = ''] = transact(() => claimSome(5)).filter(sql => /count\(\*\), min\(.* FROM jobs_hot/.test(sql));
  const plan = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${counting}`).all(1, 0, TYPE);
  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringMatching(/^SCAN jobs_hot USING INDEX hot_owned/)]);
});

it('Lanes of a handler whose circuit is open are not handed out: any number of them costs a claim one reading', () => {
  transact(() => {
    putHandler(session, { handler: handlerFor('*') });
    for (let n = 0; n < 1_000; n++) {
      const rest = [20, null, null, null, null, null, null, null, null, null, 'refuse', null, 0, true] as const;
      insert(session, [[`other-${n}`, 'q', `other-${n}`, ...rest]], [new Uint8Array(1), new Uint8Array(32)]);
    }
    openCircuit(session, '*');
  });
  session.lanesRead = 0;
  transact(() => claimSome(3));
  expect(leases.map(({ id }) => id)).toEqual(Array(3).fill(expect.stringMatching(/^job-/)));
  expect(session.lanesRead).toBe(1);
});
