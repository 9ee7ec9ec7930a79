// Owns the proof that cost stays flat: by the query plans of everything that claims, moves, counts and lists, not by a stopwatch.
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { JOB_STATES } from '#service/domain/job.js';
import type { JobFilter } from '#service/ports/store.js';
import { apply } from '#service/storage/sqlite/apply.js';
import { claim } from '#service/storage/sqlite/claim.js';
import { MEMORY, openConnection } from '#service/storage/sqlite/connection.js';
import { topFamilies } from '#service/storage/sqlite/families.js';
import { get } from '#service/storage/sqlite/get.js';
import { putHandler } from '#service/storage/sqlite/handlers.js';
import { heartbeat, stale } from '#service/storage/sqlite/heartbeat.js';
import { insert, type NewJobValues } from '#service/storage/sqlite/insert.js';
import { list } from '#service/storage/sqlite/list.js';
import { advanceOperation, beginOperation, unfinishedOperations } from '#service/storage/sqlite/operations.js';
import { listQueues } from '#service/storage/sqlite/queues.js';
import { retain } from '#service/storage/sqlite/retain.js';
import { migrate } from '#service/storage/sqlite/schema.js';
import { Session } from '#service/storage/sqlite/session.js';
import { markDead, surveyDead } from '#service/storage/sqlite/survey.js';
import { FATAL, handlerFor, RETRYABLE, SUCCEEDED } from '../fixtures/jobs.ts';

let database: Database.Database;
let session: Session;
const seen = new Set<string>();

beforeEach(() => {
  database = openConnection(MEMORY, 'write');
  migrate(database, 1);
  const prepare = database.prepare.bind(database);
  database.prepare = ((sql: string) => {
    seen.add(sql);
    return prepare(sql);
  }) as typeof database.prepare;
  session = new Session(database);
});

afterEach(() => {
  seen.clear();
  database.close();
});

/** The plan of everything that `work` runs, one line a step, with its SQL in front. */
function plansOf(work: () => void): string[] {
  seen.clear();
  work();
  const statements = [...seen].filter(sql => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)/.test(sql));
  return statements.flatMap(sql => {
    const plan = new Database(database.serialize()).prepare(`EXPLAIN QUERY PLAN ${sql}`);
    const values = Array(sql.split('?').length - 1).fill(1);
    return plan
      .all(...values)
      .map(row => `${(row as { detail: string }).detail} <- ${sql.replace(/\s+/g, ' ').trim()}`);
  });
}

// The lanes, one row per queue and type, are walked where all queues are shown.
const SCANS_JOBS =
  /^SCAN (?!.* FROM lanes AS work)(jobs|work|jobs_(hot|archive|dlq)|job_attempts)\b(?! (AS \w+ )?USING (COVERING )?INDEX)/;
const SORTS = /^USE TEMP B-TREE/;

function store(count: number, dueInMs = 0): void {
  const one = (at: number): NewJobValues => [
    `job-${dueInMs}-${at}`,
    'q',
    'work.v1',
    10,
    null,
    null,
    null,
    `key-${dueInMs}-${at}`,
    null,
    null,
    null,
    null,
    null,
    'wait',
    null,
    dueInMs,
    true,
  ];
  const jobs = Array.from({ length: count }, (_, at) => one(at));
  insert(
    session,
    jobs,
    jobs.flatMap(() => [new Uint8Array(1), new Uint8Array(32)]),
  );
}

function write(now: number, work: () => void): void {
  session.write(now, work);
}

const CLAIM = { owner: 'n', limit: 3, perType: 10, perHandler: { other: 1 }, start: true };

function run(): void {
  write(1_000, () => {
    putHandler(session, { handler: handlerFor('work.v1') });
    store(6);
    store(2, 5_000);
  });
  const started: { id: string; leaseId: string }[] = [];
  write(7_000, () => {
    const { body } = claim(session, { ...CLAIM, claimId: randomUUID() });
    for (const [values, leaseId] of body.jobs) started.push({ id: values[0], leaseId });
    heartbeat(session, { owner: 'n', leaseIds: started.map(({ leaseId }) => leaseId) });
  });
  write(8_000, () => {
    const ends = [SUCCEEDED, FATAL, RETRYABLE] as const;
    for (const [at, { id, leaseId }] of started.entries()) {
      const { responseStatus, responseBody, error, kind } = ends[at] ?? SUCCEEDED;
      const answer = { responseStatus, responseBody, error };
      const guard = { states: ['processing'] as const, leaseId };
      if (kind === 'succeeded')
        apply(session, [{ move: 'succeed', jobId: id, guard, change: { to: 'succeeded', outcome: kind, answer } }]);
      else if (kind === 'fatal')
        apply(session, [
          {
            move: 'bury',
            jobId: id,
            guard,
            change: { to: 'dead', reason: 'FatalError', answer, by: null },
            attempt: { ...answer, outcome: 'fatal' },
          },
        ]);
      else
        apply(session, [
          {
            move: 'retry',
            jobId: id,
            guard,
            change: { to: 'pending', dueInMs: 9, answer },
            attempt: { ...answer, outcome: 'retryable' },
          },
        ]);
    }
    apply(session, [
      {
        move: 'resurrect',
        jobId: started[1]?.id ?? '',
        guard: { states: ['dead'] },
        change: { to: 'resurrected', edits: {}, by: null },
      },
    ]);
  });
}

it('Nothing that enqueues, claims, beats or moves a job scans a job table or sorts', () => {
  const plans = plansOf(run);
  expect(plans.length).toBeGreaterThan(30);
  expect(plans.filter(line => SCANS_JOBS.test(line) || SORTS.test(line))).toEqual([]);
});

it('The heads of a lane are read from the index alone, in its order', () => {
  const heads = plansOf(run).filter(line =>
    line.includes('SELECT seq, priority, due_at, created_at, id FROM jobs_hot'),
  );
  expect(heads).toEqual([
    expect.stringMatching(/^SEARCH jobs_hot USING COVERING INDEX hot_ready \(queue=\? AND type=\?\)/),
  ]);
});

it('Looking at a job, at all queues and at the oldest rows for retention scans no job table', () => {
  run();
  const plans = plansOf(() =>
    write(9_000, () => {
      get(session, 'job-0-1');
      listQueues(session);
      stale(session, { fetchedTimeoutMs: 1, zombieTimeoutMs: 1, goneOwners: ['x'], limit: 5 });
      retain(session, { archiveMs: 1e9, dlqMs: 1e9, bucketsMs: 1e9, auditMs: 1e9, batch: 5 });
    }),
  );
  expect(plans.filter(line => SCANS_JOBS.test(line))).toEqual([]);
  const reads = plans.filter(line => line.startsWith('SEARCH jobs ') && line.includes('FROM queues CROSS JOIN'));
  expect(reads).toEqual([
    expect.stringContaining('INDEX archive_finished (queue=? AND finished_at<?)'),
    expect.stringContaining('INDEX dlq_failed_queue (queue=? AND failed_at<?)'),
  ]);
});

it('What a bulk action and its preview ask scans no job table and sorts none', () => {
  run();
  const operation = { id: 'o', action: 'purge', by: 'ann', owner: 'n', filter: {}, total: 1, last: null } as const;
  const batch = { id: 'o', owner: 'n', position: null, keyTaken: 0, noHandler: 0, schema: 0, isFinished: false };
  const plans = plansOf(() =>
    write(9_000, () => {
      const mark = markDead(session).body;
      for (const filter of [{}, { queue: 'q' }, { errorFamily: 1 }, { search: 'x' }])
        surveyDead(session, { filter: { ...filter, deadUpTo: mark }, after: null, limit: 9, withReasons: true });
      beginOperation(session, { ...operation, mark });
      unfinishedOperations(session, null);
      advanceOperation(session, batch);
      topFamilies(session, 9);
    }),
  );
  expect(plans.filter(line => SCANS_JOBS.test(line))).toEqual([]);
  const sorts = plans.filter(line => SORTS.test(line) && !/LAST TERM|error_families/.test(line));
  expect(sorts).toEqual([]);
});

const FILTERS: readonly JobFilter[] = [
  {},
  ...JOB_STATES.map(state => ({ states: [state] })),
  { states: ['pending', 'dead'] },
  { queue: 'q' },
  { type: 'work.v1' },
  { queue: 'q', type: 'work.v1', states: ['scheduled'] },
  { createdAfter: 1, createdBefore: 9_999 },
  { search: 'x' },
  { tag: 'x' },
  { reason: 'Zombie' },
  { reason: 'Zombie', queue: 'q', failedAfter: 1, failedBefore: 2 },
  { errorFamily: 1 },
  { errorFamily: 1, reason: 'Zombie', type: 'work.v1' },
];

it.each(FILTERS)('A page for %j walks one index per table part in its order', filter => {
  run();
  for (const order of ['created', 'failed'] as const) {
    const page = { order, limit: 50, after: { at: 9_999, id: 'z' }, withPayload: false };
    const plans = plansOf(() => write(9_000, () => list(session, { filter, page })));
    expect(plans.filter(line => SCANS_JOBS.test(line))).toEqual([]);
    // Rows of one instant are sorted among themselves; only the few that are in work, or overdue for promotion, are sorted whole.
    const sorts = plans.filter(line => SORTS.test(line) && !/LAST TERM/.test(line));
    expect(sorts.filter(line => !/INDEXED BY (hot_due|hot_owned)/.test(line))).toEqual([]);
  }
});
