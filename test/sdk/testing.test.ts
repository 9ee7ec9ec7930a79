// Owns the proof of what the SDK offers to tests: a fake service that behaves as the real one where it does anything, and `drain`.
import { defineJob } from '@chokaq/sdk';
import { createProfile, FatalError, ThrottledError } from '@chokaq/sdk/receiver';
import { FakeChokaQ } from '@chokaq/sdk/testing';
import { expect, test } from 'vitest';

const Step = defineJob<{ n: number }>('step.v1', { maxAttempts: 3 });

test('drain runs what is due and what is delayed, in order, retries included, until nothing is left', async () => {
  const fake = new FakeChokaQ();
  const client = fake.client();
  const order: string[] = [];
  const profile = createProfile('p').handle(Step, async ({ n }, { attempt }) => {
    order.push(`${n}.${attempt}`);
    if (n === 1 && attempt < 3) throw new Error('again');
    if (n === 2) throw new FatalError('never');
    if (n === 3) throw new ThrottledError();
    if (n === 4) await client.enqueue(Step({ n: 5 }));
  });
  await client.enqueue(Step({ n: 1 }), { delay: '1h' });
  await client.enqueueBatch([
    Step({ n: 2 }),
    { job: Step({ n: 3 }), priority: -1 },
    { job: Step({ n: 4 }), priority: 50 },
  ]);
  const { calls, succeeded, dead } = await fake.drain(profile);
  expect(order).toEqual(['4.1', '2.1', '5.1', '1.1', '1.2', '1.3', '3.1', '3.2', '3.3']);
  expect(calls).toBe(9);
  expect(succeeded.map(({ payload }) => payload)).toEqual([{ n: 4 }, { n: 5 }, { n: 1 }]);
  expect(dead.map(({ failureReason, attempts }) => [failureReason, attempts])).toEqual([
    ['FatalError', 1],
    ['Throttled', 3],
  ]);
});

test('drain can leave what is delayed, and says which type nobody handles', async () => {
  const fake = new FakeChokaQ();
  await fake.client().enqueue(Step({ n: 1 }), { delay: '1h' });
  expect(await fake.drain(createProfile('p'), { delayed: false })).toMatchObject({ calls: 0 });
  await expect(fake.drain(createProfile('p'))).rejects.toThrow('no handler for step.v1');
});

test('a handler that enqueues forever is noticed', async () => {
  const fake = new FakeChokaQ();
  const profile = createProfile('p').handle(Step, () =>
    fake
      .client()
      .enqueue(Step({ n: 1 }))
      .then(() => undefined),
  );
  await fake.client().enqueue(Step({ n: 1 }));
  await expect(fake.drain(profile, { maxCalls: 20 })).rejects.toThrow(/20 calls/);
});

test('ids and idempotency keys mean what they mean in the service', async () => {
  const fake = new FakeChokaQ();
  const client = fake.client();
  const send = (n: number, options: object) =>
    client.enqueue('step.v1', { n }, options).then(
      ({ duplicate }) => duplicate,
      error => error.code,
    );
  expect(await send(1, { id: 'a', idempotencyKey: 'k' })).toBe(false);
  expect(await send(1, { id: 'a' })).toBe(true);
  expect(await send(2, { id: 'a' })).toBe('id-conflict');
  expect(await send(1, { idempotencyKey: 'k' })).toBe(true);
  expect(await send(2, { idempotencyKey: 'k' })).toBe('idempotency-conflict');
  expect(await send(2, { idempotencyKey: 'k', onConflict: 'keep' })).toBe(true);
  await fake.drain(createProfile('p').handle(Step, () => undefined));
  expect(await send(2, { idempotencyKey: 'k' })).toBe(false);
  expect(await client.waitFor('a')).toMatchObject({ state: 'succeeded' });
});

test('a handler sees its job running, a cancel aborts it, and a paused queue stays', async () => {
  const fake = new FakeChokaQ();
  const client = fake.client();
  const profile = createProfile('p').handle(Step, async ({ n }, { jobId, signal }) => {
    expect(await client.jobs.get(jobId)).toMatchObject({ state: 'processing', attempts: 1 });
    if (n === 1) await client.jobs.cancel(jobId);
    signal.throwIfAborted();
  });
  await client.enqueueBatch([Step({ n: 1 }), Step({ n: 2 }), { job: Step({ n: 3 }), queue: 'paused' }]);
  await client.queues.pause('paused');
  const { succeeded, dead } = await fake.drain(profile);
  expect([succeeded.map(({ payload }) => payload), dead.map(({ failureReason }) => failureReason)]).toEqual([
    [{ n: 2 }],
    ['Cancelled'],
  ]);
  await client.queues.resume('paused');
  expect((await fake.drain(profile)).succeeded).toHaveLength(1);
});

test('attempts are as many as the handler that was registered says, and their history is kept through a resurrection', async () => {
  const fake = new FakeChokaQ();
  const client = fake.client();
  const Plain = defineJob<{ n: number }>('plain.v1');
  let isWell = false;
  const ill = () => {
    if (!isWell) throw new Error('ill');
  };
  const profile = createProfile('p').handle(Plain, ill, { maxAttempts: 2 });
  await profile.register(client, { url: 'http://127.0.0.1:3000/' });
  const { id } = await client.enqueue(Plain({ n: 1 }));
  expect((await fake.drain(profile)).dead).toMatchObject([{ attempts: 2, failureReason: 'MaxRetriesExceeded' }]);
  isWell = true;
  expect(await client.dlq.resurrect(id, { payload: { n: 2 } })).toMatchObject({
    round: 2,
    attempts: 0,
    payload: { n: 2 },
  });
  await fake.drain(profile);
  const outcomes = (await client.jobs.attempts(id).all()).map(
    ({ round, attempt, outcome }) => `${round}.${attempt} ${outcome}`,
  );
  expect(outcomes).toEqual(['1.1 retryable', '1.2 retryable', '2.1 succeeded']);
});

test('an operation whose result is remembered is not run again', async () => {
  const fake = new FakeChokaQ();
  const Once = defineJob<{ n: number }>('once.v1', { idempotencyKey: () => 'k', resultTtl: '1h', onConflict: 'wait' });
  const runs: number[] = [];
  const profile = createProfile('p').handle(Once, ({ n }) => void runs.push(n));
  for (const n of [1, 2]) expect((await fake.client().enqueue(Once({ n }))).duplicate).toBe(false);
  const { calls, succeeded } = await fake.drain(profile);
  expect([calls, runs, succeeded.map(({ outcome }) => outcome)]).toEqual([1, [1], ['succeeded', 'duplicate']]);
});

test('a fake that is away is unreachable', async () => {
  const fake = new FakeChokaQ();
  fake.isAway = true;
  await expect(fake.client().enqueue(Step({ n: 1 }))).rejects.toMatchObject({ code: 'unreachable' });
  fake.isAway = false;
  expect(await fake.client().enqueue(Step({ n: 1 }))).toMatchObject({ duplicate: false });
});

test('what the fake does not do, it says', async () => {
  const client = new FakeChokaQ().client();
  await expect(client.stats.get()).rejects.toMatchObject({ code: 'not-in-the-fake', status: 501 });
  await expect(client.dlq.purgeMany({ token: 'x' })).rejects.toMatchObject({ code: 'not-in-the-fake' });
});
