// Owns the proof that producer, service and handler are in one trace, over retries and a restart, and that tracing costs nothing without an SDK.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Delivery } from '#service/ports/delivery.js';
import type { Store } from '#service/ports/store.js';
import { tracedDelivery, tracedStore, tracerOf } from '#service/tracing/traced.js';
import { OK } from './fixture/handlers.ts';
import { eventually, World } from './fixture/world.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PRODUCER_SPAN = '00f067aa0ba902b7';
const SDK = pathToFileURL(join(import.meta.dirname, 'fixture/spans.mjs')).href;
const [PRODUCER, CONSUMER] = [3, 4];

interface Line {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parent?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: number;
}

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

function spans(): Line[] {
  const lines = readFileSync(join(world.folder, 'spans'), 'utf8').trim().split('\n');
  return lines.map(line => JSON.parse(line));
}

function startTraced() {
  return world.start({ NODE_OPTIONS: `--import ${SDK}`, SPANS_FILE: join(world.folder, 'spans') });
}

test('producer, service and handler are one trace, over a retry and over a restart', async () => {
  let reply = { status: 500, body: 'not yet' };
  world.handlers.on('traced.v1', () => reply);
  const first = await startTraced();
  await world.register(first, ['traced.v1'], { maxAttempts: 5, retry: { base: '1s', factor: 1, jitter: '0s' } });
  const headers = { traceparent: `00-${TRACE}-${PRODUCER_SPAN}-01`, tracestate: 'vendor=1' };
  const posted = await first.call(
    'POST',
    '/jobs',
    { id: 'traced', queue: 'mail', type: 'traced.v1', payload: {} },
    headers,
  );
  expect(posted.status).toBe(201);
  await eventually(() => expect(spans()).toHaveLength(3));
  await first.stop();
  reply = { status: 200, body: 'ok' };
  const second = await startTraced();
  expect(await second.ended('traced')).toMatchObject({ state: 'succeeded' });

  const [send, ...attempts] = await eventually(() => {
    const ended = spans();
    expect(ended.at(-1)?.attributes).toMatchObject({ 'chokaq.job.outcome': 'succeeded' });
    return ended;
  });
  const job = { 'messaging.system': 'chokaq', 'messaging.destination.name': 'mail', 'messaging.message.id': 'traced' };
  expect(send).toMatchObject({ name: 'send mail', kind: PRODUCER, traceId: TRACE, parent: PRODUCER_SPAN });
  expect(send?.attributes).toMatchObject({ ...job, 'messaging.operation.type': 'send' });
  for (const [at, span] of attempts.entries()) {
    expect(span).toMatchObject({ name: 'process mail', kind: CONSUMER, traceId: TRACE, parent: send?.spanId });
    expect(span.attributes).toMatchObject({
      ...job,
      'messaging.operation.type': 'process',
      'chokaq.job.attempt': at + 1,
    });
    expect(world.handlers.calls[at]?.headers).toMatchObject({
      traceparent: `00-${TRACE}-${span.spanId}-01`,
      tracestate: 'vendor=1',
    });
  }
  expect(attempts[0]).toMatchObject({
    status: 2,
    attributes: { 'error.type': 'retryable', 'http.response.status_code': 500 },
  });
  expect(attempts.at(-1)).toMatchObject({ status: 0 });
  expect(world.handlers.calls).toHaveLength(attempts.length);
});

test('a producer without a trace gets one, and a batch is one span for all its jobs', async () => {
  world.handlers.on('traced.v1', () => OK);
  const service = await startTraced();
  await world.register(service, ['traced.v1']);
  for (const id of await service.enqueueMany(3, 'traced.v1')) await service.ended(id);
  await eventually(() => expect(spans()).toHaveLength(4));
  const [send, ...attempts] = spans();
  expect(send).toMatchObject({ name: 'send default', attributes: { 'messaging.batch.message_count': 3 } });
  expect(send).not.toHaveProperty('parent');
  for (const span of attempts) expect(span).toMatchObject({ traceId: send?.traceId, parent: send?.spanId });
});

test('without an SDK nothing is decorated', () => {
  expect(tracerOf('0')).toBeNull();
  const [store, delivery] = [{} as Store, {} as Delivery];
  expect(tracedStore(store, null)).toBe(store);
  expect(tracedDelivery(delivery, null)).toBe(delivery);
});
