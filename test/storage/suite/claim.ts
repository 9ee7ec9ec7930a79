// Owns the law of claiming: nobody twice, in order, only what may run, under a lease that is new each time.
import { expect } from 'vitest';
import type { ClaimedJob, Job } from '#service/domain/job.js';
import { release, start } from '#service/domain/lifecycle.js';
import { handlerFor, type JobFields, move, newJob, newJobs, text } from '../../fixtures/jobs.ts';
import { Random } from '../../fixtures/random.ts';
import { type Law, only } from './world.ts';

export function claimLaw(law: Law): void {
  law('B1 · Many claims at once over both nodes take no job twice', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(500));
    const rounds = Array.from({ length: 60 }, (_, i) =>
      stage.claim({ owner: `node-${i % 2}`, limit: 10 }, i % 2 ? stage.a : stage.b),
    );
    const jobs = (await Promise.all(rounds)).flat();
    jobs.push(...(await stage.claim({ limit: 500 })));
    expect(jobs).toHaveLength(500);
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(500);
    expect(new Set(jobs.map(({ leaseId }) => leaseId)).size).toBe(500);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 0, fetched: 500 } });
  });

  law('B1 · A claimed job is fetched and owned, its attempts unchanged', async stage => {
    const claimed = await stage.fetched({ json: '{"x":1}', priority: 3, overrides: { maxAttempts: 2 } });
    expect(claimed).toMatchObject({
      state: 'fetched',
      attempts: 0,
      round: 1,
      startedAt: null,
      overrides: { maxAttempts: 2 },
    });
    expect(text(claimed.payload)).toBe('{"x":1}');
    const job = await stage.job(claimed.id);
    expect(job).toMatchObject({
      state: 'fetched',
      workerId: 'node-a',
      leaseId: claimed.leaseId,
      attempts: 0,
      startedAt: null,
    });
  });

  law('B1 · A job claimed again has another lease', async stage => {
    const first = await stage.fetched();
    await stage.apply(release(first));
    const second = only(await stage.claim());
    expect(second.id).toBe(first.id);
    expect(second.leaseId).not.toBe(first.leaseId);
  });

  law('B2 · Jobs come by priority, then due time, then creation, then id', async stage => {
    await stage.register();
    const now = stage.a.clock.now();
    const jobs = await stage.add(
      { id: 'b', priority: 0, due: { at: now + 5_000 } },
      { id: 'a', priority: 0, due: { at: now + 5_000 } },
      { id: 'late', priority: 0, due: { at: now + 6_000 } },
      { id: 'first', priority: 1_000, due: { at: now + 9_000 } },
      { id: 'last', priority: -1_000, due: { at: now + 1_000 } },
      { id: 'second', priority: 11, due: { at: now + 9_000 } },
    );
    expect(jobs).toHaveLength(6);
    stage.advance(10_000);
    const order = (await stage.claim()).map(({ id }) => id);
    expect(order).toEqual(['first', 'second', 'a', 'b', 'late', 'last']);
  });

  for (const seed of [1, 2, 3])
    law(`B2 · Random jobs over many queues and types come in the order of a plain sort (seed ${seed})`, async stage => {
      const random = new Random(seed);
      const types = ['t1', 't2', 't3', '*'];
      await stage.register(...types);
      const [now, jobs]: [number, Job[]] = [stage.a.clock.now(), []];
      for (let batch = 0; batch < 8; batch += 1) {
        jobs.push(...(await stage.add(...Array.from({ length: 20 }, () => randomJob(random, types, now)))));
        stage.advance(random.between(0, 2));
      }
      stage.advance(60_000);
      const expected = [...jobs].sort(byDequeueOrder).map(({ id }) => id);
      const claimed: string[] = [];
      while (claimed.length < jobs.length) {
        const batch = await stage.claim({ limit: random.between(1, 40) }, random.chance(0.5) ? stage.a : stage.b);
        if (batch.length === 0) break;
        claimed.push(...batch.map(({ id }) => id));
      }
      expect(claimed).toEqual(expected);
    });

  law('B6 · A late high-priority job is in the very next claim, before a long backlog', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(300, () => ({ priority: 10 })));
    await stage.claim({ limit: 5 });
    const urgent = await stage.addOne({ priority: 900 });
    expect((await stage.claim({ limit: 2 }, stage.b))[0]?.id).toBe(urgent.id);
  });

  law('B6 · A claim takes no more than there are free slots, and none when there are none', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(20));
    expect(await stage.claim({ limit: 0 })).toEqual([]);
    expect(await stage.claim({ limit: 7 })).toHaveLength(7);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 13, fetched: 7, processing: 0 } });
  });

  law('B7 · Work fetched before a pause is not started and goes back with its attempts unchanged', async stage => {
    const [claimed, running] = [await stage.fetched(), await stage.running()];
    await stage.b.queues.configure('default', { isPaused: true });
    expect(await stage.apply(start(claimed))).toMatchObject({ held: false, why: 'queue-stopped' });
    expect(await stage.apply(release(claimed))).toMatchObject({ held: true });
    expect(await stage.job(claimed.id)).toMatchObject({ state: 'pending', attempts: 0, leaseId: null });
    expect(await stage.job(running.id)).toMatchObject({ state: 'processing', attempts: 1 });
    expect(await stage.claim()).toEqual([]);
    expect(await stage.a.jobs.attempts(claimed.id)).toEqual([]);
  });

  law('B7 · No start is committed after the pause was answered, whatever was under way', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(60));
    const claimed = await stage.claim({ limit: 60 });
    const starts = Promise.all(claimed.map((job, i) => (i % 2 ? stage.a : stage.b).jobs.apply([start(job)])));
    const pause = stage.b.queues.configure('default', { isPaused: true });
    await pause;
    const then = (await stage.a.queues.get('default'))?.counts.processing;
    const held = (await starts).flat().filter(applied => applied.held).length;
    expect((await stage.a.queues.get('default'))?.counts.processing).toBe(held);
    expect(then).toBe(held);
  });

  law('B7 · A claim that starts at once starts nothing of a paused queue', async stage => {
    await stage.register();
    await stage.add({ queue: 'still' }, { queue: 'moving' });
    await stage.a.queues.configure('still', { isPaused: true });
    expect(await stage.claim({ start: true })).toMatchObject([{ queue: 'moving', state: 'processing' }]);
  });

  law('B10 · An edit between claim and start takes the job out of the claimant’s hands', async stage => {
    const claimed = await stage.fetched({ json: '"old"' });
    const edits = { payload: newJob({ json: '"new"' }).payload };
    expect(await stage.apply(move('edit', claimed, { to: 'edited', edits, by: 'ops' }), stage.b)).toMatchObject({
      held: true,
    });
    expect(await stage.apply(start(claimed))).toMatchObject({ held: false, why: 'lost' });
    expect(await stage.job(claimed.id)).toMatchObject({ state: 'pending', leaseId: null, attempts: 0 });
    expect(text(only(await stage.claim()).payload)).toBe('"new"');
  });

  law('A claim that starts at once passes fetched through: one answer, processing, attempts 1', async stage => {
    await stage.register();
    await stage.addOne();
    const claimed = only(await stage.claim({ start: true }));
    expect(claimed).toMatchObject({ state: 'processing', attempts: 1 });
    const job = await stage.job(claimed.id);
    expect(job).toMatchObject({
      state: 'processing',
      attempts: 1,
      leaseId: claimed.leaseId,
      startedAt: claimed.startedAt,
    });
    expect(job.heartbeatAt).toBe(job.startedAt);
    expect(await stage.apply(start(claimed))).toMatchObject({ held: false, why: 'lost' });
  });

  law('A claim that starts at once leaves fetched what needs a check before its start', async stage => {
    await stage.a.handlers.put(handlerFor('checked', { schema: { type: 'object' } }));
    await stage.register('free');
    await stage.add(
      { type: 'checked' },
      { type: 'free', idempotencyKey: 'k', resultTtlMs: 60_000 },
      { type: 'free', idempotencyKey: 'l' },
    );
    const states = (await stage.claim({ start: true })).map(({ state }) => state);
    expect(states).toEqual(['fetched', 'fetched', 'processing']);
  });
}

/** Few different due times, so that creation and id decide often; ids have nothing to do with creation. */
function randomJob(random: Random, types: readonly string[], now: number): JobFields {
  const type = random.pick(types);
  return {
    id: `r${random.between(0, 1e12)}`,
    queue: `q${random.between(1, 12)}`,
    type: type === '*' ? `odd${random.between(1, 5)}` : type,
    priority: random.between(-1, 1) * 10,
    due: random.chance(0.3) ? { inMs: 0 } : { at: now + random.between(1, 2) * 10_000 },
  };
}

function byDequeueOrder(one: Job | ClaimedJob, two: Job | ClaimedJob): number {
  const [first, second] = [one as Job, two as Job];
  return (
    second.priority - first.priority ||
    first.dueAt - second.dueAt ||
    first.createdAt - second.createdAt ||
    (first.id < second.id ? -1 : 1)
  );
}
