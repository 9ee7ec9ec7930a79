// Owns the proof that a person with a SQL client sees what is going on. Registered only where CHOKAQ_TEST_MSSQL_URL names a server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newJob } from '../fixtures/jobs.ts';
import { PAYLOADS } from '../fixtures/strings.ts';
import { type MssqlWorld, openWorld, TEST_URL } from './mssql/world.ts';

const AT = Date.UTC(2044, 1, 29, 23, 59, 59, 999);
const HASH = '0x00';

let world: MssqlWorld;
beforeAll(async () => {
  world = await openWorld(TEST_URL ?? '');
}, 60_000);
afterAll(() => world.close(), 60_000);

/** As a move leaves it; `rest` are columns of its own, with their values. */
const end = (table: string, id: string, rest: Readonly<Record<string, string>>) => `
  INSERT INTO chokaq.${table} (id, queue, type, priority, due_at, created_at, first_due_at, attempts, round, version, updated_at,
    holds_key, last_error, payload_hash, payload, ${Object.keys(rest).join(', ')})
  VALUES ('${id}', 'q', 't', 1, 0, ${AT}, 0, 2, 1, 3, 0, 0, 'HTTP 500', ${HASH}, 0x7B7D, ${Object.values(rest).join(', ')});`;

interface Shown {
  readonly id: string;
  readonly state: string;
  readonly payload: string;
}

it('Jobs of all three tables are shown with their state in words, UTC instants and the text of the payload', async () => {
  const [due, later] = await world.nodes[0].jobs.insert([
    newJob({ id: 'due', tags: ['a'] }),
    newJob({ id: 'later', due: { at: AT } }),
  ]);
  await world.ask(end('jobs_archive', 'done', { outcome: "'succeeded'", finished_at: `${AT + 1}`, duration_ms: '12' }));
  await world.ask(
    end('jobs_dlq', 'dead', { seq: '1', failure_reason: "'FatalError'", error_details: "'gone'", failed_at: '999' }),
  );
  await world.ask("UPDATE chokaq.jobs_hot SET status = 2, started_at = created_at WHERE id = 'due'");
  const rows = await world.ask<Shown>('SELECT * FROM chokaq.jobs_readable ORDER BY id');
  expect(rows.map(({ id, state, payload }) => [id, state, payload])).toEqual([
    ['dead', 'dead', '{}'],
    ['done', 'succeeded', '{}'],
    ['due', 'processing', '{"n":1}'],
    ['later', 'scheduled', '{"n":1}'],
  ]);
  expect(rows).toMatchObject([
    { failure_reason: 'FatalError', error: 'gone', ended_at: new Date(999), due_at: new Date(0), attempts: 2 },
    {
      failure_reason: null,
      error: 'HTTP 500',
      ended_at: new Date(AT + 1),
      duration_ms: '12',
      created_at: new Date(AT),
    },
    { ended_at: null, started_at: new Date(due?.job.createdAt ?? 0), tags: '["a"]' },
    { ended_at: null, started_at: null, due_at: new Date(later?.job.dueAt ?? 0) },
  ]);
  await world.ask(
    "UPDATE chokaq.jobs_hot SET status = 1 WHERE id = 'due'; UPDATE chokaq.jobs_hot SET due_at = 1 WHERE id = 'later'",
  );
  const states = await world.ask<Shown>(
    "SELECT id, state FROM chokaq.jobs_readable WHERE queue = 'default' ORDER BY id",
  );
  expect(states.map(({ state }) => state)).toEqual(['fetched', 'pending']);
}, 60_000);

it('The text of a payload is the text that was posted, in any script', async () => {
  const texts = [...Object.values(PAYLOADS), `"${'aé漢🎉'.repeat(700)}"`];
  await world.nodes[0].jobs.insert(texts.map((json, n) => newJob({ id: `text-${100 + n}`, queue: 'texts', json })));
  const rows = await world.ask<Shown>("SELECT id, payload FROM chokaq.jobs_readable WHERE queue = 'texts' ORDER BY id");
  expect(rows.map(({ payload }) => payload)).toEqual(texts);
}, 60_000);

it('Queues, attempts and the audit log are shown, and no view has a secret in it', async () => {
  await world.nodes[0].jobs.insert([newJob({ queue: 'seen' })]);
  await world.ask("UPDATE chokaq.queues SET is_paused = 1 WHERE name = 'seen'");
  await world.ask(`INSERT INTO chokaq.job_attempts (job_id, round, attempt, started_at, finished_at, worker_id, outcome, response_status)
    VALUES ('j', 1, 1, ${AT}, ${AT + 1_500}, 'n', 'retryable', 503)`);
  await world.ask(
    `INSERT INTO chokaq.audit_log (at, actor, action, target, outcome) VALUES (${AT}, 'ann', 'queue.pause', 'seen', 'done')`,
  );
  expect(await world.ask("SELECT * FROM chokaq.queues_readable WHERE queue = 'seen'")).toMatchObject([
    { queue: 'seen', state: 'paused', pending: '1', dead: '0', max_workers: null },
  ]);
  expect(await world.ask('SELECT * FROM chokaq.attempts_readable')).toMatchObject([
    { job_id: 'j', outcome: 'retryable', started_at: new Date(AT), duration_ms: '1500', response_status: 503 },
  ]);
  expect(await world.ask('SELECT * FROM chokaq.audit_readable')).toMatchObject([
    { at: new Date(AT), actor: 'ann', action: 'queue.pause', target: 'seen', times: 1 },
  ]);
}, 60_000);
