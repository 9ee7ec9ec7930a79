// Owns the proof that memory mode stays within its capacity and never gives up work for it.
import { afterEach, expect, it } from 'vitest';
import { MachineClock } from '#service/clock.js';
import type { Store } from '#service/ports/store.js';
import { openStore } from '#service/storage/open.js';
import { FATAL, handlerFor, newJobs, SUCCEEDED } from '../fixtures/jobs.ts';
import { verdict } from './suite/world.ts';

let store: Store;

afterEach(() => store.close());

async function full(): Promise<void> {
  store = await openStore({ kind: 'memory', capacity: 20 }, { clock: new MachineClock() });
  await store.handlers.put(handlerFor('work.v1'));
  for (const outcome of [SUCCEEDED, FATAL]) {
    await store.jobs.insert(newJobs(10, at => ({ id: `${outcome.kind}-${at}` })));
    const jobs = await store.jobs.claim({ owner: 'n', limit: 10, perType: 10, perHandler: {}, start: true });
    for (const job of jobs.jobs) await store.jobs.apply([verdict(store, job, outcome)]);
  }
}

async function ids(state: 'succeeded' | 'dead' | 'pending'): Promise<readonly string[]> {
  const page = { order: 'created', limit: 200, after: null, withPayload: false } as const;
  return (await store.jobs.list({ states: [state] }, page)).items.map(({ id }) => id).sort();
}

it('K4 · At capacity the oldest archived jobs go first, then the oldest dead ones', async () => {
  await full();
  await store.jobs.insert(newJobs(4));
  expect(await ids('succeeded')).toEqual([
    'succeeded-4',
    'succeeded-5',
    'succeeded-6',
    'succeeded-7',
    'succeeded-8',
    'succeeded-9',
  ]);
  expect(await ids('dead')).toHaveLength(10);
  await store.jobs.insert(newJobs(9));
  expect(await ids('succeeded')).toEqual([]);
  expect(await ids('dead')).toEqual(['fatal-3', 'fatal-4', 'fatal-5', 'fatal-6', 'fatal-7', 'fatal-8', 'fatal-9']);
  expect(await store.queues.get('default')).toMatchObject({
    counts: { pending: 13, succeeded: 0, dead: 7, failed: 10 },
  });
});

it('K4 · Work is never evicted and an enqueue never refused for it', async () => {
  await full();
  await store.jobs.insert(newJobs(100));
  await store.jobs.insert(newJobs(100));
  expect(await ids('pending')).toHaveLength(200);
  expect(await ids('dead')).toEqual([]);
});
