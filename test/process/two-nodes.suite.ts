// Owns what must hold between two nodes on one database: limits, pauses, cancellation and one key, whoever is asked.
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OK } from './fixture/handlers.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, type World } from './fixture/world.ts';

/** A world whose nodes share a database, and a look at its table from outside. */
export interface SharedWorld {
  readonly world: World;
  /** How many jobs some node owns now. */
  owned(): number | Promise<number>;
  close(): Promise<void>;
}

const SETTINGS = { CHOKAQ_POLL_INTERVAL: '25ms', CHOKAQ_CONCURRENCY: '10' };

/** `open` makes a fresh, empty database for each statement. */
export function twoNodesSuite(name: string, open: () => Promise<SharedWorld>): void {
  describe(`two nodes on ${name}`, () => lay(open));
}

function lay(open: () => Promise<SharedWorld>): void {
  let shared: SharedWorld;
  let world: World;
  let first: ServiceProcess;
  let second: ServiceProcess;

  beforeEach(async () => {
    shared = await open();
    world = shared.world;
    first = await world.start(SETTINGS);
    second = await world.start(SETTINGS);
  });
  afterEach(() => shared.close());

  test('B4 · 300 jobs, maxWorkers 3, both nodes claiming: never more than 3 at a time, in the table and at the handler', async () => {
    let running = 0;
    let most = 0;
    world.handlers.on('work.v1', async () => {
      running += 1;
      most = Math.max(most, running);
      await pause(2);
      running -= 1;
      return OK;
    });
    await world.register(first, ['work.v1']);
    await first.enqueueMany(1, 'work.v1');
    await succeed(first, '/queues/default', { maxWorkers: 3 }, 'PATCH');

    await Promise.all([first.enqueueMany(150, 'work.v1'), second.enqueueMany(149, 'work.v1')]);
    const seen: number[] = [];
    await eventually(async () => {
      seen.push(await shared.owned());
      expect((await first.read('/queues/default')).counts.succeeded).toBe(300);
    });

    expect(Math.max(...seen)).toBeLessThanOrEqual(3);
    expect(most).toBe(3);
    expect(world.handlers.calls).toHaveLength(300);
    expect(new Set((await first.jobs()).map(job => job.workerId)).size).toBe(2);
  });

  test('B7 · 100 races of a pause with claims on both nodes: after its answer nothing starts, and what had not started waits', async () => {
    await world.register(first, ['work.v1', 'barrier.v1']);
    await first.enqueueMany(1, 'work.v1', { queue: 'raced' });
    let waited = 0;
    for (let round = 0; round < 100; round += 1) {
      const [poster, pauser] = round % 2 === 0 ? [first, second] : [second, first];
      const posted = [
        poster.enqueueMany(8, 'work.v1', { queue: 'raced' }),
        pauser.enqueueMany(8, 'work.v1', { queue: 'raced' }),
      ];
      await pause(round % 10);
      await succeed(pauser, '/queues/raced/pause');
      await Promise.all(posted);
      const unstarted = await pauser.jobs('&queue=raced&state=pending');
      await eventually(async () => expect(await pauser.jobs('&queue=raced&state=fetched')).toEqual([]));
      waited += unstarted.length;
      await Promise.all([first, second].map(async node => node.ended(await node.enqueue('barrier.v1'))));
      const still = new Map((await poster.jobs('&queue=raced&state=pending')).map(job => [job.id, job]));
      for (const { id } of unstarted) {
        expect(still.get(id)).toMatchObject({ attempts: 0, workerId: null });
        expect(world.handlers.callsFor(id)).toEqual([]);
      }
      await succeed(poster, '/queues/raced/resume');
    }
    expect(waited).toBeGreaterThan(100);
    await eventually(async () => expect((await first.read('/queues/raced')).counts.succeeded).toBe(1_601));
    expect(world.handlers.callsOf('work.v1')).toHaveLength(1_601);
  });

  test('G2 · a running job is cancelled through the other node: its call is cut within 2 s, DLQ Cancelled, never again', async () => {
    const closed = new Map<string, number>();
    world.handlers.on('hang.v1', call => {
      call.response.once('close', () => closed.set(call.jobId, performance.now()));
      return undefined;
    });
    await world.register(first, ['hang.v1'], { retryOnZombie: true, retryOnTimeout: true });
    const ids = await first.enqueueMany(8, 'hang.v1');
    await eventually(() => expect(world.handlers.calls).toHaveLength(8));

    for (const id of ids) {
      const askedAt = performance.now();
      const owner = (await first.job(id)).workerId as string;
      const other = owner.includes(`:${first.pid}:`) ? second : first;
      const { status } = await other.call('POST', `/jobs/${id}/cancel`);
      expect(status).toBe(202);
      expect(await other.ended(id)).toMatchObject({ state: 'dead', failureReason: 'Cancelled', attempts: 1 });
      await eventually(() => expect(closed.has(id)).toBe(true));
      expect((closed.get(id) ?? 0) - askedAt).toBeLessThan(2_000);
    }
    expect(world.handlers.calls).toHaveLength(8);
  });

  test('G2 · that holds for nodes that look for jobs once an hour, and for one that is winding down', async () => {
    const seldom = { CHOKAQ_POLL_INTERVAL: '1h', CHOKAQ_HEARTBEAT_MIN: '8s', CHOKAQ_HEARTBEAT_MAX: '12s' };
    const settings = { ...seldom, CHOKAQ_CONCURRENCY: '1', CHOKAQ_SHUTDOWN_GRACE: '20s' };
    const [owner, other] = [await world.start(settings), await world.start(settings)];
    await Promise.all([first.stop(), second.stop()]);
    const closed = new Map<string, number>();
    world.handlers.on('hang.v1', call => {
      call.response.once('close', () => closed.set(call.jobId, performance.now()));
      return undefined;
    });
    await world.register(owner, ['hang.v1']);
    const ids = [await owner.enqueue('hang.v1'), await owner.enqueue('hang.v1')];
    for (const [round, id] of ids.entries()) {
      await eventually(() => expect(world.handlers.callsFor(id)).toHaveLength(1));
      const stopped = round === 1 ? owner.stop() : undefined;
      const askedAt = performance.now();
      expect((await other.call('POST', `/jobs/${id}/cancel`)).status).toBe(202);
      await eventually(() => expect(closed.has(id)).toBe(true));
      expect((closed.get(id) ?? 0) - askedAt).toBeLessThan(2_000);
      expect(await other.ended(id)).toMatchObject({ state: 'dead', failureReason: 'Cancelled', attempts: 1 });
      await stopped;
    }
  });

  test('H1 · 200 enqueues of one key at once through both nodes: one row, one id for all, one call', async () => {
    await world.register(first, ['work.v1']);
    world.handlers.on('work.v1', () => undefined);
    const body = { type: 'work.v1', payload: { to: 'user@example.com' }, idempotencyKey: 'welcome:42' };
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? first : second).call('POST', '/jobs', body)),
    );

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status, json }) => status === 200 && json.duplicate)).toHaveLength(199);
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
    expect(await second.jobs()).toHaveLength(1);
    await eventually(() => expect(world.handlers.calls).toHaveLength(1));
  });
}

async function succeed(node: ServiceProcess, path: string, body?: object, method = 'POST'): Promise<void> {
  const { status, text } = await node.call(method, path, body);
  expect(status, text).toBe(200);
}
