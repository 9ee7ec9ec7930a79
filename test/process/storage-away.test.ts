// Owns behaviour while storage is away: refusals that say so, nothing half-done, and outcomes that are kept until they can be stored.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OK } from './fixture/handlers.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

test('C9 · storage is locked after the handler succeeded: no failure is booked, no call is repeated, and it is archived once', async () => {
  world.handlers.on('work.v1', () => undefined);
  const service = await world.start();
  await world.register(service, ['work.v1']);
  const id = await service.enqueue('work.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));

  const lock = world.connect({});
  lock.exec('BEGIN EXCLUSIVE');
  world.handlers.release('work.v1');
  await eventually(() => expect(service.logged('storageFailed')).not.toEqual([]));
  const refused = await service.call('POST', '/jobs', { id: 'refused', type: 'work.v1', payload: {} });
  expect(refused).toMatchObject({ status: 503, json: { code: 'storage-unavailable' } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await service.call('GET', '/livez')).status).toBe(200);
  lock.exec('ROLLBACK');

  expect(await service.ended(id)).toMatchObject({ state: 'succeeded', attempts: 1 });
  expect((await service.read(`/jobs/${id}/attempts`)).items).toHaveLength(1);
  expect(world.handlers.calls).toHaveLength(1);
  expect((await service.call('GET', '/jobs/refused')).status).toBe(404);
  expect((await service.read('/queues/default')).counts).toMatchObject({
    succeeded: 1,
    pending: 0,
    processing: 0,
    failed: 0,
  });
  expect((await service.call('POST', '/jobs', { id: 'refused', type: 'work.v1', payload: {} })).status).toBe(201);
});

test('F5 · heartbeats fail while a handler is running: the node lives, and the job is archived after its one call', async () => {
  world.handlers.on('work.v1', () => undefined);
  const service = await world.start();
  await world.register(service, ['work.v1']);
  const id = await service.enqueue('work.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));

  const lock = world.connect({});
  lock.exec('BEGIN EXCLUSIVE');
  await eventually(() => expect(service.logged('heartbeatFailed')).not.toEqual([]));
  lock.exec('ROLLBACK');
  world.handlers.release('work.v1');

  expect(await service.ended(id)).toMatchObject({ state: 'succeeded', attempts: 1 });
  expect(world.handlers.calls).toHaveLength(1);
});

test('a lock that passes quickly is invisible: the enqueue waits and is answered with 201', async () => {
  const service = await world.start();
  await world.register(service, ['work.v1']);
  const lock = world.connect({});
  lock.exec('BEGIN EXCLUSIVE');
  const posted = service.call('POST', '/jobs', { type: 'work.v1', payload: {} });
  // Reads need no lock, and the event loop stays free meanwhile.
  expect((await service.call('GET', '/livez')).status).toBe(200);
  lock.exec('ROLLBACK');
  const answer = await posted;
  expect(answer.status).toBe(201);
  expect(await service.ended(answer.json.id)).toMatchObject({ state: 'succeeded', attempts: 1 });
});

test('a full disk answers 503, stores nothing half-way, and keeps what was stored before', async () => {
  world.handlers.on('work.v1', () => OK);
  const limit = 3_000;
  const service = await world
    .spawn({}, ['bash', '-c', `ulimit -f ${limit}; exec "${process.execPath}" dist/service/cli/main.js serve`])
    .listening();
  await world.register(service, ['work.v1']);
  const payload = 'x'.repeat(400_000);
  const statuses = new Map<number, string[]>();
  for (let n = 0; n < 40 && !statuses.has(503); n++) {
    const jobs = [1, 2, 3].map(at => ({ id: `full-${n}-${at}`, type: 'work.v1', payload, delay: '1h' }));
    const { status } = await service.call('POST', '/jobs/batch', { jobs });
    statuses.set(status, [...(statuses.get(status) ?? []), ...jobs.map(job => job.id)]);
  }
  expect([...statuses.keys()].sort()).toEqual([200, 503]);
  await service.kill();

  const next = await world.start();
  const kept = (await next.jobs()).map(job => job.id).sort();
  expect(kept).toEqual(statuses.get(200)?.toSorted());
});
