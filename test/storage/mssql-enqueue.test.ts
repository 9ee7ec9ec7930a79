// Owns the proof of enqueueing inside an application's own transaction. Registered only where CHOKAQ_TEST_MSSQL_URL names a server.
import sql from 'mssql';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { handlerFor, newJob, TYPE } from '../fixtures/jobs.ts';
import { megabyteJson } from '../fixtures/strings.ts';
import { type MssqlWorld, openWorld, TEST_URL } from './mssql/world.ts';
import { Stage } from './suite/world.ts';

const MINUTE = 60_000;

let world: MssqlWorld;
let pool: sql.ConnectionPool;
beforeAll(async () => {
  world = await openWorld(TEST_URL ?? '');
  pool = await new sql.ConnectionPool(TEST_URL ?? '').connect();
  await world.nodes[0].handlers.put(handlerFor(TYPE));
}, 2 * MINUTE);
afterEach(() => world.ask('DELETE FROM chokaq.inbox; DELETE FROM chokaq.jobs_hot; UPDATE chokaq.lanes SET ready = 0;'));
afterAll(async () => {
  await pool.close();
  await world.close();
}, 2 * MINUTE);

interface Answered {
  readonly id: string;
  readonly duplicate: boolean;
}

/** Calls the procedure as an application does. */
async function enqueue(fields: object = {}, on: sql.ConnectionPool | sql.Transaction = pool): Promise<Answered> {
  const request = on instanceof sql.Transaction ? new sql.Request(on) : new sql.Request(on);
  for (const [name, value] of Object.entries({ type: TYPE, payload: '{"n":1}', ...fields }))
    request.input(name, ...given(value));
  request.output('id', sql.NVarChar(100)).output('duplicate', sql.Bit);
  return (await request.execute(`${world.schema}.Enqueue`)).output as Answered;
}

function given(value: unknown): [sql.ISqlTypeFactoryWithNoParams | sql.ISqlType, unknown] {
  if (typeof value === 'number') return [sql.BigInt(), value];
  return value instanceof Date ? [sql.DateTimeOffset(3), value] : [sql.NVarChar(sql.MAX), value];
}

async function transaction(): Promise<sql.Transaction> {
  const open = new sql.Transaction(pool);
  await open.begin();
  return open;
}

/** The next jobs that any node gets; what waits in the inbox is taken over by the first claim. */
async function claimed(): Promise<readonly string[]> {
  const stage = new Stage(world);
  const first = await stage.claim();
  return [...first, ...(await stage.claim({}, stage.b))].map(({ id }) => id);
}

it('A job of a transaction that is rolled back never was; committed, it runs', { timeout: 2 * MINUTE }, async () => {
  const undone = await transaction();
  await enqueue({}, undone);
  await undone.rollback();
  expect(await claimed()).toEqual([]);
  const done = await transaction();
  const { id } = await enqueue({ queue: 'fresh "q" é🎉', tags: '["a,b","é🎉"]', priority: 7 }, done);
  await done.commit();
  expect(await claimed()).toEqual([id]);
  expect(await world.nodes[1].jobs.get(id)).toMatchObject({
    queue: 'fresh "q" é🎉',
    tags: ['a,b', 'é🎉'],
    priority: 7,
  });
  expect(await world.nodes[0].queues.get('fresh "q" é🎉')).toMatchObject({ counts: { pending: 0 } });
});

it('An open transaction blocks neither claims nor enqueues nor other applications', {
  timeout: 2 * MINUTE,
}, async () => {
  const open = await transaction();
  const waiting = await enqueue({ idempotency_key: 'open' }, open);
  const other = await enqueue({ idempotency_key: 'other' });
  const posted = newJob();
  await world.nodes[0].jobs.insert([posted]);
  expect(new Set(await claimed())).toEqual(new Set([posted.id, other.id]));
  await open.commit();
  expect(await claimed()).toEqual([waiting.id]);
});

it('A key in use answers with its job, in the inbox and after; other content is refused', {
  timeout: 2 * MINUTE,
}, async () => {
  const key = { idempotency_key: 'order:1' };
  const first = await enqueue(key);
  const again = { id: first.id, duplicate: true };
  expect(first.duplicate).toBe(false);
  expect(await enqueue(key)).toEqual(again);
  await expect(enqueue({ ...key, type: 'other' })).rejects.toMatchObject({
    number: 51011,
    message: /order|active job/,
  });
  expect(await claimed()).toEqual([first.id]);
  expect(await enqueue(key)).toEqual(again);
  await expect(enqueue({ ...key, queue: 'other' })).rejects.toThrow(first.id);
});

it('A job whose key was taken between commit and take-over is stored beside the holder', {
  timeout: 2 * MINUTE,
}, async () => {
  const { id } = await enqueue({ idempotency_key: 'race' });
  const posted = newJob({ idempotencyKey: 'race', json: '"other"' });
  await world.nodes[0].jobs.insert([posted]);
  expect(new Set(await claimed())).toEqual(new Set([posted.id, id]));
});

it('What cannot be a job is refused with what is wrong', { timeout: 2 * MINUTE }, async () => {
  const wrong: readonly (readonly [object, string])[] = [
    [{ payload: '{"a"' }, '@payload is not JSON'],
    [{ payload: '1,2' }, '@payload is not one JSON value'],
    [{ payload: '' }, '@payload'],
    [{ type: ' x' }, '@type begins or ends with white space'],
    [{ type: 'x\ty' }, '@type contains a control character'],
    [{ queue: 'q'.repeat(256) }, '@queue has more than 255 characters'],
    [{ priority: 1_001 }, '@priority must be from -1000 to 1000'],
    [{ delay_ms: 5, due_at: new Date() }, 'give one of them'],
    [{ due_at: new Date(Date.now() + 11 * 365 * 86_400_000) }, 'more than 10 years away'],
    [{ result_ttl_ms: 60_000 }, 'needs an @idempotency_key'],
    [{ tags: '["a",1]' }, '@tags'],
  ];
  for (const [fields, message] of wrong) await expect(enqueue(fields), message).rejects.toThrow(message);
  for (const payload of ['1', '"x"', 'null', '[]']) await enqueue({ payload });
  expect(await world.ask('SELECT id FROM chokaq.inbox')).toHaveLength(4);
});

it('A megabyte with emoji, and a due time, come through exactly', { timeout: 2 * MINUTE }, async () => {
  const due = new Date(Date.now() + 60_000);
  const { id } = await enqueue({ payload: megabyteJson(), due_at: due });
  expect(await claimed()).toEqual([]);
  const job = await world.nodes[0].jobs.get(id);
  expect(job).toMatchObject({ state: 'scheduled', dueAt: due.getTime() });
  expect(Buffer.from(job?.payload ?? []).equals(Buffer.from(megabyteJson()))).toBe(true);
});
