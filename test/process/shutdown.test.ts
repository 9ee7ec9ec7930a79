// Owns an orderly end: what a service that is told to stop does with its work, its answers, its exit code, and how long it takes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OK } from './fixture/handlers.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;

beforeEach(async () => {
  world = await World.create();
  world.handlers
    .on('finishing.v1', () => undefined)
    .on('hanging.v1', () => undefined)
    .on('patient.v1', () => undefined);
});
afterEach(() => world.end());

test('G5 · SIGTERM with 200 running: not ready first, no new starts, finishing ones archived once, the rest booked, exit 0 in time', async () => {
  const service = await world.start({ CHOKAQ_CONCURRENCY: '300', CHOKAQ_SHUTDOWN_GRACE: '3s' });
  await world.register(service, ['finishing.v1', 'hanging.v1', 'waiting.v1']);
  await world.register(service, ['patient.v1'], { retryOnZombie: true });
  const finishing = await service.enqueueMany(100, 'finishing.v1');
  const hanging = await service.enqueueMany(60, 'hanging.v1');
  const patient = await service.enqueueMany(40, 'patient.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(200));

  const stoppedAt = performance.now();
  service.signal('SIGTERM');
  const notReady = await eventually(async () => {
    const answer = await service.call('GET', '/readyz');
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(notReady.text).toContain('shutdown');
  expect((await service.call('GET', '/livez')).status).toBe(200);
  const late = await service.enqueue('waiting.v1');
  world.handlers.release('finishing.v1');

  expect(await service.exit).toEqual({ code: 0, signal: null });
  expect(performance.now() - stoppedAt).toBeLessThan(3_000 + 5_000);
  const rows = (sql: string) => world.connect().prepare(sql).pluck().all() as string[];
  expect(rows('SELECT id FROM jobs_archive').sort()).toEqual(finishing.toSorted());
  expect(rows(`SELECT id FROM jobs_dlq WHERE failure_reason = 'Zombie'`).sort()).toEqual(hanging.toSorted());
  expect(rows('SELECT id FROM jobs_hot WHERE status = 0').sort()).toEqual([...patient, late].sort());
  expect(rows('SELECT count(*) FROM jobs_hot WHERE status <> 0 OR worker_id IS NOT NULL')).toEqual([0]);
  expect(rows('SELECT DISTINCT error_details FROM jobs_dlq')[0]).toContain(
    'service stopped while the handler was running',
  );
  expect(world.handlers.calls).toHaveLength(200);
  expect(world.handlers.callsOf('hanging.v1').every(call => call.response.destroyed)).toBe(true);

  world.handlers.on('patient.v1', () => OK);
  const next = await world.start();
  for (const id of [...patient, late]) expect(await next.ended(id)).toMatchObject({ state: 'succeeded' });
  expect((await next.job(patient[0] ?? '')).attempts).toBe(2);
  expect((await next.job(late)).attempts).toBe(1);
});

test('G5 · storage is locked while the service stops: it still exits with 0 in time, and the restart finds the Zombie', async () => {
  const service = await world.start({ CHOKAQ_SHUTDOWN_GRACE: '3s' });
  await world.register(service, ['hanging.v1']);
  const id = await service.enqueue('hanging.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));
  const lock = world.connect({});
  lock.exec('BEGIN EXCLUSIVE');
  const stoppedAt = performance.now();
  expect(await service.stop()).toEqual({ code: 0, signal: null });
  // Grace, finalising, and the closing of requests and of the database.
  expect(performance.now() - stoppedAt).toBeLessThan(3_000 + 5_000 + 2 * 2_000 + 3_000);
  lock.exec('ROLLBACK');

  const next = await world.start();
  expect(await next.ended(id)).toMatchObject({ state: 'dead', failureReason: 'Zombie', attempts: 1 });
});

test('G5 · a second signal ends the service at once', async () => {
  const service = await world.start({ CHOKAQ_SHUTDOWN_GRACE: '30s' });
  await world.register(service, ['hanging.v1']);
  await service.enqueue('hanging.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));
  service.signal('SIGTERM');
  await eventually(() => expect(service.logged('shutdownStarted')).toHaveLength(1));
  const secondAt = performance.now();
  service.signal('SIGTERM');
  const exit = await service.exit;
  expect(exit).not.toEqual({ code: 0, signal: null });
  expect(performance.now() - secondAt).toBeLessThan(1_000);
});

test('G5 · a terminal that is closed ends the service in order, also when it says so twice', async () => {
  const service = await world.start();
  service.signal('SIGHUP');
  service.signal('SIGHUP');
  expect(await service.exit).toEqual({ code: 0, signal: null });
  expect(service.logged('shutdownFinished')).toHaveLength(1);
});

test('G5 · an idle service stops at once, also with an idle keep-alive connection, and SIGINT does the same as SIGTERM', async () => {
  const service = await world.start({ CHOKAQ_SHUTDOWN_GRACE: '30s' });
  await service.read('/queues');
  const stoppedAt = performance.now();
  service.signal('SIGINT');
  expect(await service.exit).toEqual({ code: 0, signal: null });
  expect(performance.now() - stoppedAt).toBeLessThan(3_000);
});

// Outside of `npm test` the bootstrap may find no mark of its own, and would install everything anew under the running suite.
const isBootstrapped = existsSync(join(import.meta.dirname, '../../node_modules/.chokaq-installed'));

test.runIf(isBootstrapped)(
  'G5 · npm start passes the signal on: the same orderly end, exit 0, and nothing left behind',
  async () => {
    const service = await world.spawn({}, ['npm', 'start']).listening();
    await world.register(service, ['finishing.v1']);
    const id = await service.enqueue('finishing.v1');
    await eventually(() => expect(world.handlers.calls).toHaveLength(1));
    service.signal('SIGTERM');
    await isNotReady(service);
    world.handlers.release('finishing.v1');
    expect(await service.exit).toEqual({ code: 0, signal: null });
    expect(world.connect().prepare('SELECT id FROM jobs_archive').pluck().all()).toEqual([id]);
  },
);

async function isNotReady(service: ServiceProcess): Promise<void> {
  await eventually(async () => expect((await service.call('GET', '/readyz')).status).toBe(503));
}
