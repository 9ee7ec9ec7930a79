// Owns the proof that the fake service is like the real one: the same calls have the same outcomes, and each of its answers is one of openapi.yaml.
import { setTimeout } from 'node:timers/promises';
import { ChokaQ, rawJson } from '@chokaq/sdk';
import { FakeChokaQ } from '@chokaq/sdk/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkAnswer } from '../api/fixture/contract.ts';
import { World } from '../process/fixture/world.ts';

let world: World;
let real: ChokaQ;

beforeAll(async () => {
  world = await World.create();
  real = new ChokaQ({ url: (await world.start({ CHOKAQ_STORAGE: 'memory' })).url });
}, 60_000);
afterAll(() => world.end());

/** A fake of which every answer is checked against the contract. */
function checkedFake(): ChokaQ {
  const fake = new FakeChokaQ();
  const fetch = async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    // As over a network, no two calls have the same instant.
    await setTimeout(2);
    const response = await fake.fetch(request);
    const { status, headers } = response;
    const text = await response.clone().text();
    checkAnswer(request.method, pathname + search, { status, headers: Object.fromEntries(headers), text });
    return response;
  };
  return new ChokaQ({ url: 'http://fake.chokaq.test', fetch, retryFor: 0 });
}

/** Everything that a service may know by itself, and the fake need not. */
const OWN = ['createdAt', 'createdBy', 'dueAt', 'finishedAt', 'failedAt', 'updatedAt', 'advice', 'rates', 'lagMs'];
const TOLD = ['lastError', 'errorDetails', 'secret', 'durationMs', 'failed', 'retried'];

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !OWN.includes(name) && !TOLD.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, comparable(member)]));
}

/** All of it in a queue that is paused, so that nothing runs while it is looked at. */
const CALLS: readonly ((client: ChokaQ) => Promise<unknown>)[] = [
  client => client.handlers.put('a.v1', { url: world.handlers.url, maxAttempts: 7, headers: { 'X-A': 'b' } }),
  client => client.handlers.put('a.v1', { url: world.handlers.url, maxAttempts: 5, retry: { base: '1s' } }),
  client => client.handlers.put('b.v1', { url: world.handlers.url }),
  client => client.handlers.get('none.v1'),
  client => client.queues.get('q'),
  client => client.queues.configure('q', { maxWorkers: 3 }),
  client => client.queues.pause('q'),
  client => client.enqueue('a.v1', { n: 1 }, { id: 'one', queue: 'q', idempotencyKey: 'k', tags: ['t'] }),
  client => client.enqueue('a.v1', { n: 1 }, { id: 'one', queue: 'q', idempotencyKey: 'k', tags: ['t'] }),
  client => client.enqueue('a.v1', { n: 2 }, { id: 'one', queue: 'q' }),
  client => client.enqueue('a.v1', { n: 1 }, { id: 'x', queue: 'q', idempotencyKey: 'k' }),
  client => client.enqueue('a.v1', { n: 2 }, { id: 'x', queue: 'q', idempotencyKey: 'k' }),
  client => client.enqueue('b.v1', { n: 1 }, { id: 'x', queue: 'q', idempotencyKey: 'k', onConflict: 'replace' }),
  client => client.enqueue('a.v1', { n: 2 }, { id: 'x', queue: 'q', idempotencyKey: 'k', onConflict: 'keep' }),
  client =>
    client.enqueue('a.v1', { n: 3 }, { id: 'x', queue: 'q', idempotencyKey: 'k', onConflict: 'replace', priority: 3 }),
  client => client.jobs.get('one'),
  client =>
    client.enqueueBatch([
      { type: 'a.v1', payload: rawJson('{"n":1.0}'), id: 'two', queue: 'q', delay: '1h', priority: 50 },
      { type: 'b.v1', payload: null, id: 'three', queue: 'q', maxAttempts: 9 },
      { type: 'b.v1', payload: 1, id: 'four', queue: 'q', idempotencyKey: 'k4', resultTtl: '1h' },
    ]),
  client =>
    client.enqueueBatch([
      { type: 'a.v1', payload: 1, id: 'lost', queue: 'q' },
      { type: 'a.v1', payload: 1, id: 'two' },
    ]),
  client => client.jobs.get('lost'),
  client => client.enqueue('a.v1', 1, { queue: 'q', resultTtl: '1h' }),
  client => client.jobs.list({ queue: 'q', limit: 1 }).all(),
  client => client.jobs.list({ state: 'scheduled', view: 'full' }).all(),
  client => client.jobs.list({ type: 'b.v1' }).all(),
  client => client.jobs.list({ tag: 't', search: 'on' }).all(),
  client => client.jobs.attempts('one').all(),
  client => client.jobs.attempts('none').all(),
  client => client.jobs.edit('three', '"9-9"', { priority: 1 }),
  async client => client.jobs.edit('three', (await client.jobs.read('three')).etag, { priority: 1, payload: { m: 1 } }),
  client => client.jobs.get('three'),
  client => client.jobs.delete('three'),
  client => client.jobs.cancel('one'),
  client => client.jobs.cancel('one'),
  client => client.jobs.cancelMany(['one', 'two', 'none']),
  client => client.dlq.get('one'),
  client => client.dlq.get('three'),
  client => client.dlq.list({ reason: 'Cancelled' }).all(),
  client => client.enqueue('a.v1', { n: 4 }, { id: 'five', queue: 'q', idempotencyKey: 'k' }),
  client => client.dlq.resurrect('one'),
  client => client.dlq.resurrect('two', { priority: 4, tags: ['again'], payload: [1] }),
  client => client.dlq.resurrect('three'),
  client => client.dlq.resurrectMany({ ids: ['one', 'none'] }),
  client => client.dlq.purge('two'),
  client => client.dlq.purge('one'),
  client => client.dlq.purgeMany({ ids: ['none'] }),
  client => client.queues.list().all(),
  client => client.queues.remove('q'),
  client => client.queues.resume('q'),
  client => client.queues.resume('none'),
  client => client.handlers.remove('none.v1'),
  client => client.waitFor('none', { timeout: 0 }),
];

async function outcomesOf(client: ChokaQ): Promise<unknown[]> {
  const outcomes: unknown[] = [];
  for (const call of CALLS) {
    const outcome = await call(client).then(comparable, error => `${error.status} ${error.code}`);
    outcomes.push({ call: call.toString().replace(/\s+/g, ' '), outcome });
  }
  return outcomes;
}

test('the same calls have the same outcomes as with the real service', async () => {
  expect(await outcomesOf(checkedFake())).toEqual(await outcomesOf(real));
});
