// Owns how nodes share a backlog: nothing twice, nothing waits behind what it need not, and idle nodes hardly ask.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OK } from './fixture/handlers.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

test('B1 · two nodes on one backlog: every job is called exactly once, and both take part', async () => {
  world.handlers.on('work.v1', () => pause(5, OK));
  const first = await world.start({ CHOKAQ_CONCURRENCY: '10' });
  const second = await world.start({ CHOKAQ_CONCURRENCY: '10' });
  await world.register(first, ['work.v1']);
  const ids = await first.enqueueMany(400, 'work.v1');

  await eventually(async () => expect((await first.read('/queues/default')).counts.succeeded).toBe(400));

  expect(world.handlers.calls.map(call => call.jobId).sort()).toEqual(ids.toSorted());
  const jobs = await second.jobs();
  expect(new Set(jobs.map(job => job.workerId)).size).toBe(2);
  expect(jobs.every(job => job.attempts === 1)).toBe(true);
});

test('B6 · a late high-priority job starts at most one start batch behind, and nothing claimed waits for a slot', async () => {
  world.handlers.on('work.v1', () => pause(30, OK));
  const service = await world.start({ CHOKAQ_CONCURRENCY: '4' });
  await world.register(service, ['work.v1', 'urgent.v1']);
  await service.enqueueMany(120, 'work.v1');
  await eventually(() => expect(world.handlers.calls.length).toBeGreaterThan(10));
  const id = await service.enqueue('urgent.v1', { priority: 1_000 });
  const callsBefore = world.handlers.calls.length;
  expect((await service.read('/queues/default')).counts.fetched).toBe(0);
  await service.ended(id);

  const position = world.handlers.calls.findIndex(call => call.jobId === id);
  expect(position - callsBefore).toBeLessThanOrEqual(4);
});

test('B8 · with a poll interval of 1 h a job posted here starts at once, a delayed one when due, a failed one when its wait is over', async () => {
  world.handlers.on('flaky.v1', ({ attempt }) => (attempt === 1 ? { status: 500 } : OK));
  const service = await world.start({ CHOKAQ_POLL_INTERVAL: '1h' });
  await world.register(service, ['work.v1', 'flaky.v1']);
  // Let the claim loop come to rest after its first look.
  await service.ended(await service.enqueue('work.v1'));

  const [now, delayed, flaky] = [
    await service.enqueue('work.v1'),
    await service.enqueue('work.v1', { delay: '1s' }),
    await service.enqueue('flaky.v1', { retry: { base: '500ms' } }),
  ];
  for (const id of [now, flaky, delayed]) {
    const { state, startedAt, dueAt } = await service.ended(id);
    expect(state).toBe('succeeded');
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(dueAt));
  }
});

test('B8 F1 · an idle node claims at most once per poll interval; ten running jobs cost one heartbeat statement a beat', async () => {
  world.handlers.on('hang.v1', () => undefined);
  const log = join(world.folder, 'statements.log');
  const service = await world.start({
    NODE_OPTIONS: `--require ${join(import.meta.dirname, 'fixture/count-statements.cjs')}`,
    STATEMENT_LOG: log,
    CHOKAQ_POLL_INTERVAL: '200ms',
  });
  const statements = () =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line));
  const claims = () =>
    statements()
      .filter(({ tag }) => tag === 'claim')
      .map(({ at }) => at as number);
  await eventually(() => expect(claims().length).toBeGreaterThan(12));
  const [first = 0, ...later] = claims().slice(1);
  expect((later.at(-1) ?? 0) - first).toBeGreaterThanOrEqual(later.length * 180 - 20);

  await world.register(service, ['hang.v1']);
  await service.enqueueMany(10, 'hang.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(10));
  const beatsBefore = statements().filter(({ tag }) => tag === 'heartbeat').length;
  await eventually(() =>
    expect(statements().filter(({ tag }) => tag === 'heartbeat').length).toBeGreaterThan(beatsBefore + 5),
  );
  const beats = statements()
    .filter(({ tag }) => tag === 'heartbeat')
    .slice(beatsBefore + 1)
    .map(({ at }) => at as number);
  expect((beats.at(-1) ?? 0) - (beats[0] ?? 0)).toBeGreaterThanOrEqual((beats.length - 1) * 200 - 20);
});

test('B9 · 500 jobs of a type whose handler hangs do not keep the jobs of another type from starting', async () => {
  world.handlers.on('hang.v1', () => undefined);
  const service = await world.start({ CHOKAQ_CONCURRENCY: '20' });
  await world.register(service, ['hang.v1', 'work.v1']);
  await service.enqueueMany(500, 'hang.v1', { priority: 1_000 });
  await eventually(() => expect(world.handlers.callsOf('hang.v1').length).toBeGreaterThanOrEqual(10));

  const ids = await service.enqueueMany(100, 'work.v1', { priority: -1_000 });

  for (const id of ids) expect(await service.ended(id)).toMatchObject({ state: 'succeeded' });
  expect(await service.jobs('&type=hang.v1&state=succeeded')).toEqual([]);
});

test('A6 · all workers busy: enqueue still answers 201, and the job is kept and runs in its turn', async () => {
  world.handlers.on('hang.v1', () => undefined);
  const service = await world.start({ CHOKAQ_CONCURRENCY: '2' });
  await world.register(service, ['hang.v1']);
  await service.enqueueMany(10, 'hang.v1');
  await eventually(() => expect(world.handlers.calls.length).toBeGreaterThanOrEqual(1));
  const id = await service.enqueue('hang.v1');
  expect(await service.job(id)).toMatchObject({ state: 'pending', attempts: 0, workerId: null });
  world.handlers.on('hang.v1', () => OK);
  world.handlers.release('hang.v1');
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded' });
});
