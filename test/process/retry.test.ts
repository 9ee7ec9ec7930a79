// Owns the life of an attempt end to end, over real sockets: retries, throttles, verdicts, ages and time limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OK } from './fixture/handlers.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start({ CHOKAQ_RETRY_BASE: '200ms', CHOKAQ_RETRY_JITTER: '100ms' });
});
afterAll(() => world.end());

test('D1 · a transient failure leaves the job pending, due later, without an owner, and a row of history with status and body', async () => {
  world.handlers.on('flaky.v1', ({ attempt }) => (attempt === 1 ? { status: 500, body: 'try later' } : OK));
  await world.register(service, ['flaky.v1'], { retry: { base: '1s' } });
  const id = await service.enqueue('flaky.v1');
  const waiting = await eventually(async () => {
    const job = await service.job(id);
    expect(job).toMatchObject({
      state: 'scheduled',
      attempts: 1,
      workerId: null,
      startedAt: null,
      lastResponseStatus: 500,
    });
    return job;
  });
  expect(Date.parse(waiting.dueAt) - Date.parse(waiting.createdAt)).toBeGreaterThanOrEqual(1_000);

  expect(await service.ended(id)).toMatchObject({ state: 'succeeded', attempts: 2, lastResponseStatus: 200 });
  const { items } = await service.read(`/jobs/${id}/attempts`);
  expect(items).toMatchObject([
    { round: 1, attempt: 1, outcome: 'retryable', responseStatus: 500, responseBody: 'try later' },
    { round: 1, attempt: 2, outcome: 'succeeded', responseStatus: 200, responseBody: 'ok' },
  ]);
});

test('D2 D3 · three attempts and always a failure: exactly three calls, waits that double, DLQ MaxRetriesExceeded', async () => {
  world.handlers.on('broken.v1', () => ({ status: 500 }));
  await world.register(service, ['broken.v1']);
  const id = await service.enqueue(
    'broken.v1',
    { tags: ['kept'], priority: 7, idempotencyKey: 'k-1' },
    '{"kept": 1.0}',
  );

  const dead = await service.ended(id);

  const calls = world.handlers.callsFor(id);
  expect(calls.map(call => [call.attempt, call.headers['chokaq-max-attempts']])).toEqual([
    [1, '3'],
    [2, '3'],
    [3, '3'],
  ]);
  const [first = 0, second = 0, third = 0] = calls.map(call => call.at);
  expect(second - first).toBeGreaterThanOrEqual(199);
  expect(third - second).toBeGreaterThanOrEqual(399);
  // D9: all that an operator needs is there.
  const { text, json } = await service.call('GET', `/dlq/${id}`);
  expect(json).toEqual(dead);
  expect(text).toContain('"payload":{"kept": 1.0}');
  expect(json).toMatchObject({
    state: 'dead',
    failureReason: 'MaxRetriesExceeded',
    attempts: 3,
    queue: 'default',
    type: 'broken.v1',
    tags: ['kept'],
    priority: 7,
    idempotencyKey: 'k-1',
    workerId: expect.any(String),
    errorDetails: expect.any(String),
    advice: expect.any(String),
    failedAt: expect.any(String),
    createdAt: expect.any(String),
    lastResponseStatus: 500,
  });
});

test.each([
  ['429 with seconds', 429, () => '1'],
  ['503 with an HTTP date', 503, () => new Date(Date.now() + 2_000).toUTCString()],
])('D4 · %s: the next start is never earlier than asked', async (_, status, retryAfter) => {
  const type = `throttled.${status}`;
  world.handlers.on(type, ({ attempt }) => (attempt === 1 ? { status, headers: { 'retry-after': retryAfter() } } : OK));
  await world.register(service, [type], { retry: { base: '1ms', jitter: '0s' } });
  const id = await service.enqueue(type);
  await service.ended(id);
  const [first, second] = world.handlers.callsFor(id);
  const asked = first ? Number(service.logged('jobRetried').find(({ jobId }) => jobId === id)?.dueInMs) : 0;
  expect(asked).toBeGreaterThanOrEqual(1_000);
  expect(asked).toBeLessThanOrEqual(2_000);
  expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(asked - 5);
});

test('D4 · Retry-After is capped by the longest wait, and unusable forms fall back to the usual one', async () => {
  const waits: Record<string, number> = {};
  for (const [at, value] of ['99999999999', '-1', '1.5', 'abc', '', 'Sun, 06 Nov 1994 08:49:37 GMT'].entries()) {
    const type = `asks.${at}`;
    world.handlers.on(type, () => ({ status: 429, headers: { 'retry-after': value } }));
    await world.register(service, [type], { retry: { base: '5s', jitter: '0s', max: '7s' } });
    const id = await service.enqueue(type);
    const retried = await eventually(() => {
      const event = service.logged('jobRetried').find(({ jobId }) => jobId === id);
      expect(event).toBeDefined();
      return event;
    });
    waits[value] = Number(retried?.dueInMs);
  }
  expect(waits).toEqual({
    '99999999999': 7_000,
    '-1': 5_000,
    '1.5': 5_000,
    abc: 5_000,
    '': 5_000,
    'Sun, 06 Nov 1994 08:49:37 GMT': 1_000,
  });
});

test('D5 · throttled on the last attempt: DLQ Throttled', async () => {
  world.handlers.on('busy.v1', () => ({ status: 429, headers: { 'retry-after': '0' } }));
  await world.register(service, ['busy.v1'], { maxAttempts: 2 });
  const id = await service.enqueue('busy.v1');
  expect(await service.ended(id)).toMatchObject({ failureReason: 'Throttled', attempts: 2, lastResponseStatus: 429 });
});

test.each([
  ['422', { status: 422, body: 'never' }],
  ['a redirect', { status: 302, headers: { location: '/elsewhere' } }],
  ['chokaq-retry: never on a 500', { status: 500, headers: { 'chokaq-retry': 'never' } }],
  ['chokaq-retry: never on a 200', { status: 200, headers: { 'chokaq-retry': 'never' } }],
])('D6 · %s on the first attempt: DLQ FatalError at once', async (name, reply) => {
  const type = `fatal.${name}`;
  world.handlers.on(type, () => reply);
  await world.register(service, [type]);
  const id = await service.enqueue(type);
  expect(await service.ended(id)).toMatchObject({
    failureReason: 'FatalError',
    attempts: 1,
    lastResponseStatus: reply.status,
  });
  expect(world.handlers.callsFor(id)).toHaveLength(1);
});

test('D6 · chokaq-retry: after wins over a 200: a counted retry', async () => {
  const later = { status: 200, headers: { 'chokaq-retry': 'after=1s' } };
  world.handlers.on('later.v1', ({ attempt }) => (attempt === 1 ? later : OK));
  await world.register(service, ['later.v1']);
  const id = await service.enqueue('later.v1');
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded', attempts: 2 });
});

test('D7 D8 · a retry beyond maxAge is RetryLifetimeExpired with the last error; resurrected, it has a fresh budget', async () => {
  let isBroken = true;
  world.handlers.on('aged.v1', () => (isBroken ? { status: 500, body: 'still broken' } : OK));
  await world.register(service, ['aged.v1'], { maxAttempts: 100, retry: { base: '400ms', maxAge: '1s' } });
  const id = await service.enqueue('aged.v1');
  const dead = await service.ended(id);
  expect(dead).toMatchObject({
    failureReason: 'RetryLifetimeExpired',
    lastResponseStatus: 500,
    lastResponseBody: 'still broken',
  });
  expect(dead.attempts).toBeGreaterThan(1);

  isBroken = false;
  expect((await service.call('POST', `/dlq/${id}/resurrect`, {})).status).toBe(200);
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded', attempts: 1, round: 2 });
  expect(world.handlers.callsFor(id).at(-1)?.headers['webhook-id']).toBe(`${id}:r2`);
});

test('G1 · a handler over its limit: the socket is closed, DLQ Timeout, one attempt; the job limit wins over the handler limit', async () => {
  world.handlers.on('slow.v1', () => undefined);
  await world.register(service, ['slow.v1'], { timeout: '60s' });
  const id = await service.enqueue('slow.v1', { timeout: '300ms' });
  const dead = await service.ended(id);
  expect(dead).toMatchObject({ failureReason: 'Timeout', attempts: 1 });
  await eventually(() => expect(world.handlers.callsFor(id)[0]?.response.destroyed).toBe(true));
});

test('G1 · the limit holds for a body that drips, too', async () => {
  world.handlers.on('drip.v1', ({ response }) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 50);
    response.once('close', () => clearInterval(drip));
    return undefined;
  });
  await world.register(service, ['drip.v1'], { timeout: '500ms' });
  const id = await service.enqueue('drip.v1');
  expect(await service.ended(id)).toMatchObject({ failureReason: 'Timeout', attempts: 1 });
});

test('F1 · while a job runs its heartbeat moves, and a long but beating job is left alone', async () => {
  world.handlers.on('long.v1', () => undefined);
  await world.register(service, ['long.v1']);
  const id = await service.enqueue('long.v1');
  const beats = new Set<string>();
  await eventually(async () => {
    beats.add((await service.job(id)).heartbeatAt);
    expect(beats.size).toBeGreaterThan(4);
  });
  world.handlers.release('long.v1');
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded', attempts: 1 });
});
