// Owns the circuit breaker end to end: a webhook that breaks and recovers, a handler that is gone, and two nodes at one probe.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OK, type Reply } from './fixture/handlers.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

const DOWN: Reply = { status: 500, body: 'down' };
const SHORT = { failureThreshold: 5, breakTime: '1s', maxBreakTime: '2s' };

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

const circuit = async (service: ServiceProcess, type: string) =>
  (await service.read('/circuits')).items.find((item: { type: string }) => item.type === type);

test('E1 E2 · a webhook that breaks is left alone but for one probe per break, and comes back by itself over a ramp', async () => {
  let reply = DOWN;
  world.handlers.on('fragile.v1', () => reply);
  // Nothing but the end of the break wakes the claim loop.
  const service = await world.start({ CHOKAQ_POLL_INTERVAL: '1h' });
  await world.register(service, ['fragile.v1'], {
    circuit: SHORT,
    maxAttempts: 50,
    retry: { base: '10m', jitter: '0s' },
  });
  await world.register(service, ['sound.v1']);
  const first = await service.enqueueMany(5, 'fragile.v1');
  await eventually(async () => expect(await circuit(service, 'fragile.v1')).toMatchObject({ state: 'open' }));
  const openedAt = performance.now();
  const waiting = await service.enqueueMany(40, 'fragile.v1');
  expect(await service.ended(await service.enqueue('sound.v1'))).toMatchObject({ state: 'succeeded' });
  expect(world.handlers.callsOf('fragile.v1')).toHaveLength(5);

  const [probe, second] = await eventually(() => {
    const probes = world.handlers.callsOf('fragile.v1').slice(5);
    expect(probes.length).toBeGreaterThanOrEqual(2);
    return probes;
  });
  expect((probe?.at ?? 0) - openedAt).toBeGreaterThan(800);
  expect((second?.at ?? 0) - (probe?.at ?? 0)).toBeGreaterThan(1_900);
  const { items: untouched } = await service.read('/jobs?state=pending&type=fragile.v1&limit=200');
  expect(untouched.every((job: { attempts: number }) => job.attempts === 0)).toBe(true);

  reply = OK;
  await eventually(async () =>
    expect(await circuit(service, 'fragile.v1')).toMatchObject({ state: 'closed', waiting: 0, inFlight: 0 }),
  );
  const jobs = await service.jobs('&type=fragile.v1');
  const ofWaiting = jobs.filter(({ id }) => waiting.includes(id));
  expect(jobs.every(({ attempts }) => attempts === 1)).toBe(true);
  expect(ofWaiting.filter(({ state }) => state === 'succeeded').length).toBeGreaterThan(30);
  expect(await service.job(first[0] ?? '')).toMatchObject({ state: 'scheduled' });
  expect(service.logged('circuitOpened').length).toBeGreaterThanOrEqual(2);
  expect(service.logged('circuitClosed')).toHaveLength(1);
  const metrics = (await service.call('GET', '/metrics')).text;
  expect(metrics).toMatch(/^chokaq_circuit_state\{type="fragile.v1",state="closed"\} 1$/m);
  expect(metrics).toMatch(/^chokaq_circuit_events_total\{type="fragile.v1",event="closed"\} 1$/m);
  expect(metrics).toMatch(/^chokaq_circuit_events_total\{type="fragile.v1",event="half-opened"\} [2-9]$/m);
});

test('E2 · two nodes send one probe', async () => {
  let reply: Reply | undefined = DOWN;
  world.handlers.on('shared.v1', () => reply);
  const first = await world.start({ CHOKAQ_POLL_INTERVAL: '50ms' });
  const second = await world.start({ CHOKAQ_POLL_INTERVAL: '50ms' });
  await world.register(first, ['shared.v1'], { circuit: SHORT, retry: { base: '10m' } });
  await first.enqueueMany(6, 'shared.v1');
  await eventually(async () => expect(await circuit(second, 'shared.v1')).toMatchObject({ state: 'open' }));
  await eventually(async () => expect((await circuit(second, 'shared.v1')).inFlight).toBe(0));
  await first.enqueueMany(20, 'shared.v1');
  const before = world.handlers.callsOf('shared.v1').length;
  reply = undefined;
  await eventually(() => expect(world.handlers.callsOf('shared.v1')).toHaveLength(before + 1));
  await pause(500);
  expect(world.handlers.callsOf('shared.v1')).toHaveLength(before + 1);
  expect(await circuit(first, 'shared.v1')).toMatchObject({ state: 'half-open', inFlight: 1 });
  world.handlers.release('shared.v1');
  reply = OK;
  await eventually(async () =>
    expect(await circuit(first, 'shared.v1')).toMatchObject({ state: 'closed', waiting: 0 }),
  );
});

test('410 forces the circuit open; a reset by another node lets its jobs run again', async () => {
  world.handlers.on('gone.v1', () => ({ status: 410 }));
  const service = await world.start({ CHOKAQ_POLL_INTERVAL: '50ms' });
  const other = await world.start({ CHOKAQ_POLL_INTERVAL: '50ms' });
  await world.register(service, ['gone.v1'], { concurrency: 1 });
  const dead = await service.enqueue('gone.v1');
  expect(await service.ended(dead)).toMatchObject({ state: 'dead', failureReason: 'FatalError' });
  expect(await circuit(other, 'gone.v1')).toMatchObject({ state: 'open', isForced: true, openUntil: null });
  const id = await service.enqueue('gone.v1');
  await pause(300);
  expect(await service.job(id)).toMatchObject({ state: 'pending', attempts: 0 });
  world.handlers.on('gone.v1', () => OK);
  expect((await other.call('POST', '/circuits/gone.v1/reset')).json).toMatchObject({ state: 'closed' });
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded' });
});

test('E3 · a probe that a shutdown cuts off gives its permit back', async () => {
  let reply: Reply | undefined = DOWN;
  world.handlers.on('cut.v1', () => reply);
  const first = await world.start({ CHOKAQ_SHUTDOWN_GRACE: '100ms' });
  await world.register(first, ['cut.v1'], { circuit: SHORT, retry: { base: '10m' }, retryOnZombie: true });
  await first.enqueueMany(6, 'cut.v1', { maxAttempts: 9 });
  await eventually(async () => expect(await circuit(first, 'cut.v1')).toMatchObject({ state: 'open', inFlight: 0 }));
  await first.enqueueMany(3, 'cut.v1');
  const before = world.handlers.callsOf('cut.v1').length;
  reply = undefined;
  await eventually(() => expect(world.handlers.callsOf('cut.v1')).toHaveLength(before + 1));
  await first.stop();
  reply = OK;
  const second = await world.start();
  await eventually(async () => expect(await circuit(second, 'cut.v1')).toMatchObject({ state: 'closed', waiting: 0 }));
});
