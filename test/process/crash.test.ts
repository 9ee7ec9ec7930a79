// Owns the promise that a killed or frozen service loses nothing: what becomes of work at each stage, alone and with other nodes.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '#service/domain/job.js';
import { OK } from './fixture/handlers.ts';
import { claimAs } from './fixture/storage.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

test('C8 F7 · kill -9 in the middle of work and a restart: started jobs are Zombie, fetched and waiting ones are delivered, once', async () => {
  world.handlers.on('hang.v1', () => undefined).on('work.v1', () => pause(15, OK));
  const first = await world.start({ CHOKAQ_CONCURRENCY: '16' });
  await world.register(first, ['hang.v1', 'work.v1']);
  const hanging = await first.enqueueMany(4, 'hang.v1', { priority: 100 });
  const working = await first.enqueueMany(400, 'work.v1');
  await eventually(() => expect(world.handlers.calls.length).toBeGreaterThan(60));
  const owner = (await first.job(hanging[0] ?? '')).workerId;
  await first.kill();
  const fetched = await claimAs(world.file, owner, { count: 5, isStarted: false });
  expect(fetched.map(job => job.state)).toEqual(Array(5).fill('fetched'));

  const second = await world.start();
  const ended = await endedJobs(second, [...hanging, ...working]);

  const dead = ended.filter(job => job.state === 'dead');
  expect(dead.map(job => job.id)).toEqual(expect.arrayContaining(hanging));
  expect(dead.every(job => job.failureReason === 'Zombie' && job.attempts === 1)).toBe(true);
  expect(dead.length).toBeLessThanOrEqual(16);
  expect(
    ended.filter(job => fetched.some(({ id }) => id === job.id)).map(({ state, attempts }) => ({ state, attempts })),
  ).toEqual(Array(5).fill({ state: 'succeeded', attempts: 1 }));
  for (const job of ended.filter(({ state }) => state === 'succeeded'))
    expect(world.handlers.callsFor(job.id)).toHaveLength(1);
  expect(world.handlers.calls.length).toBe(new Set(world.handlers.calls.map(call => call.jobId)).size);
});

test('F7 · a node that keeps running carries on when another one is killed, without waiting for any timeout', async () => {
  world.handlers.on('hang.v1', () => undefined).on('work.v1', () => pause(10, OK));
  const doomed = await world.start({ CHOKAQ_CONCURRENCY: '4' });
  await world.register(doomed, ['hang.v1', 'work.v1']);
  const hanging = await doomed.enqueueMany(2, 'hang.v1');
  await eventually(() => expect(world.handlers.callsOf('hang.v1')).toHaveLength(2));
  const survivor = await world.start({ CHOKAQ_CONCURRENCY: '4' });
  const working = await doomed.enqueueMany(100, 'work.v1');
  await doomed.kill();

  const ended = await endedJobs(survivor, [...hanging, ...working]);

  expect(ended.filter(job => job.type === 'hang.v1').map(job => job.failureReason)).toEqual(['Zombie', 'Zombie']);
  expect(ended.filter(job => job.state === 'dead' && job.failureReason !== 'Zombie')).toEqual([]);
  const nodes = new Set(ended.map(job => job.workerId));
  expect(nodes.size).toBe(2);
});

test('F3 · a handler that asked for it gets started work of a killed node again, as its next attempt', async () => {
  world.handlers.on('again.v1', ({ attempt }) => (attempt === 1 ? undefined : OK));
  const first = await world.start();
  await world.register(first, ['again.v1'], { retryOnZombie: true });
  const id = await first.enqueue('again.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));
  await first.kill();

  const job = await (await world.start()).ended(id);

  expect(job).toMatchObject({ state: 'succeeded', attempts: 2, round: 1 });
  expect(world.handlers.calls.map(call => call.attempt)).toEqual([1, 2]);
});

test('A8 · a job whose answer was lost is sent again with its id after a crash: one row, one call, 200 duplicate', async () => {
  const first = await world.start();
  await world.register(first, ['work.v1']);
  const job = { id: 'order-42', type: 'work.v1', payload: { n: 1 } };
  expect((await first.call('POST', '/jobs', job)).status).toBe(201);
  await first.kill();

  const second = await world.start();
  const again = await second.call('POST', '/jobs', job);
  expect([again.status, again.json.duplicate]).toEqual([200, true]);
  await second.ended('order-42');
  expect((await second.call('POST', '/jobs', job)).json).toMatchObject({ duplicate: true });
  expect((await second.call('POST', '/jobs', { ...job, payload: { n: 2 } })).json.code).toBe('id-conflict');
  expect(world.handlers.calls.length).toBeLessThanOrEqual(1);
});

test('C1 · when the first byte of a call arrives, its start is already committed: processing, attempt 1, started, beating', async () => {
  const service = await world.start();
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    const row = 'SELECT status, attempts, started_at, heartbeat_at, worker_id FROM jobs_hot WHERE id = ?';
    seen.push(world.connect().prepare(row).get(request.headers['chokaq-job-id']));
    request.resume();
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await service.call('PUT', '/handlers/work.v1', { url });
  await service.call('PUT', '/handlers/checked.v1', { url, schema: { type: 'object' } });

  for (const type of ['work.v1', 'checked.v1']) await service.ended(await service.enqueue(type));
  server.close();

  const committed = { status: 2, attempts: 1, started_at: expect.any(Number), heartbeat_at: expect.any(Number) };
  expect(seen).toEqual([expect.objectContaining(committed), expect.objectContaining(committed)]);
});

test('C7 · a node frozen beyond the zombie timeout wakes up after another one has recovered its job, and finalises nothing', async () => {
  world.handlers.on('hang.v1', () => undefined);
  const frozen = await world.start({ CHOKAQ_ZOMBIE_TIMEOUT: '1s', CHOKAQ_CONCURRENCY: '2' });
  await world.register(frozen, ['hang.v1']);
  const id = await frozen.enqueue('hang.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));
  const other = await world.start({ CHOKAQ_ZOMBIE_TIMEOUT: '1s' });

  frozen.signal('SIGSTOP');
  expect(await other.ended(id)).toMatchObject({ state: 'dead', failureReason: 'Zombie', attempts: 1 });
  world.handlers.release('hang.v1');
  frozen.signal('SIGCONT');

  await eventually(() => expect(frozen.logged('leaseLost')).not.toEqual([]));
  expect(await frozen.job(id)).toMatchObject({ state: 'dead', failureReason: 'Zombie' });
  const { counts } = await other.read('/queues/default');
  expect(counts).toMatchObject({ succeeded: 0, dead: 1, failed: 1, processing: 0 });
});

/** The jobs once all of them have ended. */
async function endedJobs(service: { jobs(): Promise<Job[]> }, ids: readonly string[]): Promise<Job[]> {
  return eventually(async () => {
    const jobs = (await service.jobs()).filter(job => ids.includes(job.id));
    expect(jobs.filter(job => job.state === 'succeeded' || job.state === 'dead')).toHaveLength(ids.length);
    return jobs;
  });
}
