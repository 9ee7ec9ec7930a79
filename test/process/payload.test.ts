// Owns the promise that payloads are opaque: whatever JSON text a producer posts is what the handler receives, byte for byte.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deepJson, megabyteJson, PAYLOADS } from '../fixtures/strings.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { World } from './fixture/world.ts';

const TEXTS = { ...PAYLOADS, 'exactly the limit': megabyteJson(), '100 000 levels': deepJson() };

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start();
  await world.register(service, ['bytes.v1']);
  // Its circuit would open after five of the failures that are meant here.
  await world.register(service, ['retried.v1'], { retry: { base: '1ms' }, circuit: { failureThreshold: 1_000 } });
});
afterAll(() => world.end());

test.each(Object.entries(TEXTS))('A10 · the handler receives the posted text byte for byte: %s', async (_, text) => {
  const id = await service.enqueue('bytes.v1', {}, text);
  await service.ended(id);
  // Without the white space around it, which is not part of the value.
  expect(world.handlers.callsFor(id)[0]?.body.equals(Buffer.from(text.trim()))).toBe(true);
});

test('A10 · in one batch, after a retry, and after a resurrection, too', async () => {
  world.handlers.on('retried.v1', ({ attempt, round }) => ({ status: attempt === 1 ? 500 : round === 1 ? 422 : 200 }));
  const texts = Object.values(TEXTS);
  const jobs = texts.map((text, at) => `{"id":"retried-${at}","type":"retried.v1","payload":${text}}`);
  expect((await service.call('POST', '/jobs/batch', `{"jobs":[${jobs.join(',')}]}`)).status).toBe(200);
  for (const [at, text] of texts.entries()) {
    const id = `retried-${at}`;
    await service.ended(id);
    expect((await service.call('POST', `/dlq/${id}/resurrect`)).status).toBe(200);
    await service.ended(id);
    const calls = world.handlers.callsFor(id);
    expect(calls.map(call => [call.round, call.attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
      [2, 2],
    ]);
    expect(calls.every(call => call.body.equals(Buffer.from(text.trim())))).toBe(true);
  }
});

test('A3 · one byte over the limit is refused and nothing is stored', async () => {
  const counts = async () => (await service.read('/queues')).items.map((queue: { counts: object }) => queue.counts);
  const before = await counts();
  const text = megabyteJson();
  const answer = await service.call('POST', '/jobs', `{"type":"bytes.v1","payload":"x${text.slice(1)}}`);
  expect([answer.status, answer.json.code]).toEqual([413, 'payload-too-large']);
  expect(await counts()).toEqual(before);
});
