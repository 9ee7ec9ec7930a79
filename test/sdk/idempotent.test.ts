// Owns the proof of the idempotency wrapper: one run at a time, none after a success, another after a failure.
import { defineJob } from '@chokaq/sdk';
import { createProfile, idempotent, MemoryIdempotencyStore, newSecret } from '@chokaq/sdk/receiver';
import { type CallFacts, signedRequest } from '@chokaq/sdk/testing';
import { describe, expect, test } from 'vitest';

const SECRET = newSecret();
const Pay = defineJob<{ order: number }>('pay.v1');

function receiverOf(handler: () => unknown, options: { ttl?: string; lease?: number } = {}) {
  const store = new MemoryIdempotencyStore();
  const profile = createProfile('p').handle(Pay, idempotent(handler, { store, ...options }));
  const receive = profile.fetchHandler({ secret: SECRET });
  return async (facts: Partial<CallFacts>) =>
    receive(await signedRequest('pay.v1', { order: 1 }, { secret: SECRET, ...facts }));
}

describe('idempotent', () => {
  test('an operation that has succeeded is not run again, whichever job asks for it', async () => {
    let runs = 0;
    const call = receiverOf(() => `run ${++runs}`);
    const texts = [];
    for (const jobId of ['a', 'a', 'b']) texts.push(await (await call({ jobId, idempotencyKey: 'pay:1' })).text());
    expect(texts).toEqual(['run 1', 'done before', 'done before']);
  });

  test('a call at the same time is throttled, not answered as success', async () => {
    let finish: (result: string) => void = () => {};
    const promise = new Promise<string>(resolve => {
      finish = resolve;
    });
    const call = receiverOf(() => promise);
    const first = call({ idempotencyKey: 'k' });
    let second = await call({ idempotencyKey: 'k' });
    while (second.status !== 429) second = await call({ idempotencyKey: 'k' });
    expect(second.headers.get('retry-after')).toBe('5');
    finish('mine');
    expect(await (await first).text()).toBe('mine');
  });

  test('a failure gives the claim back', async () => {
    let runs = 0;
    const call = receiverOf(() => {
      if (++runs === 1) throw new Error('oops');
    });
    expect([(await call({ idempotencyKey: 'k' })).status, (await call({ idempotencyKey: 'k' })).status]).toEqual([
      500, 204,
    ]);
  });

  test('without a key it is the run of this job that counts; ids and keys never meet', async () => {
    let runs = 0;
    const call = receiverOf(() => void runs++);
    await call({ jobId: 'x' });
    await call({ jobId: 'x' });
    expect(runs).toBe(1);
    await call({ jobId: 'x', round: 2 });
    await call({ jobId: 'y', idempotencyKey: 'x' });
    expect(runs).toBe(3);
  });

  test('a claim whose owner vanished is taken over, and the late owner changes nothing', async () => {
    const store = new MemoryIdempotencyStore();
    expect(await store.claim('k', 'late', 0)).toBe('claimed');
    expect(await store.claim('k', 'new', 60_000)).toBe('claimed');
    await store.complete('k', 'late', 60_000);
    await store.release('k', 'late');
    expect(await store.claim('k', 'third', 60_000)).toBe('busy');
    await store.complete('k', 'new', 60_000);
    expect(await store.claim('k', 'third', 60_000)).toBe('completed');
  });
});
