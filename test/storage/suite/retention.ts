// Owns the law of retention: only what is older goes, in batches, never hot jobs, while work goes on.
import { expect } from 'vitest';
import type { RetentionLimits } from '#service/ports/store.js';
import { FATAL, newJobs, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { type Law, type Stage, verdict } from './world.ts';

const DAY = 86_400_000;
const LIMITS: RetentionLimits = {
  archiveMs: 7 * DAY,
  dlqMs: 30 * DAY,
  bucketsMs: 9_000 * DAY,
  auditMs: 9_000 * DAY,
  batch: 1_000,
};

export function retentionLaw(law: Law): void {
  law(
    'K3 · Retention deletes archived jobs older than their limit and dead ones older than theirs, never hot ones',
    async stage => {
      const hot = await stage.addOne({ queue: 'hot', due: { inMs: 3_000 * DAY } });
      const oldest = [await stage.succeeded(), await stage.dead()];
      stage.advance(6 * DAY);
      const newer = [await stage.succeeded(), await stage.dead()];
      await stage.running({ queue: 'busy' });
      stage.advance(2 * DAY);
      expect(await stage.a.jobs.retain(LIMITS)).toBeGreaterThan(0);
      expect(await ids(stage, 'succeeded')).toEqual([newer[0]?.id]);
      expect(await ids(stage, 'dead')).toEqual([newer[1]?.id, oldest[1]?.id]);
      stage.advance(23 * DAY);
      await retainAll(stage, LIMITS);
      expect(await ids(stage, 'succeeded')).toEqual([]);
      expect(await ids(stage, 'dead')).toEqual([newer[1]?.id]);
      expect(await stage.job(hot.id)).toMatchObject({ state: 'scheduled' });
      expect(await stage.a.queues.get('busy')).toMatchObject({ counts: { processing: 1 } });
    },
  );

  law('K3 · What ages is the time since the end, not since the creation', async stage => {
    await stage.register();
    const { id } = await stage.addOne();
    stage.advance(20 * DAY);
    await stage.finish(await stage.runAgain(id), SUCCEEDED);
    await retainAll(stage, LIMITS);
    expect(await stage.job(id)).toMatchObject({ state: 'succeeded' });
  });

  law('K3 · Attempts go with their job, counters follow, lifetime totals stay', async stage => {
    const running = await stage.running();
    await stage.finish(running, RETRYABLE);
    await stage.finish(await stage.runAgain(running.id), FATAL);
    const kept = await stage.dead({ queue: 'kept' });
    stage.advance(10 * DAY);
    await stage.succeeded();
    await retainAll(stage, { ...LIMITS, dlqMs: 9 * DAY });
    expect(await stage.a.jobs.get(running.id)).toBeNull();
    expect(await stage.a.jobs.get(kept.id)).toBeNull();
    expect(await stage.a.jobs.attempts(running.id)).toEqual([]);
    expect(await stage.a.queues.get('default')).toMatchObject({
      counts: { dead: 0, failed: 1, retried: 1, succeeded: 1 },
    });
  });

  law('K3 · One call deletes one batch, and says 0 when there is nothing left', async stage => {
    await archive(stage, 250);
    stage.advance(8 * DAY);
    expect(await stage.a.jobs.retain({ ...LIMITS, batch: 100 })).toBeGreaterThanOrEqual(100);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { succeeded: 150 } });
    await retainAll(stage, { ...LIMITS, batch: 100 });
    expect(await stage.all()).toEqual([]);
    expect(await stage.a.jobs.retain(LIMITS)).toBe(0);
  });

  law('K3 · Retention on both nodes while claims and finishes go on loses no live job', async stage => {
    await archive(stage, 200);
    stage.advance(8 * DAY);
    await stage.a.jobs.insert(newJobs(100));
    const work = async () => {
      for (
        let jobs = await stage.claim({ limit: 20, start: true });
        jobs.length > 0;
        jobs = await stage.claim({ limit: 20, start: true })
      )
        await stage.a.jobs.apply(jobs.map(job => verdict(stage.a, job, SUCCEEDED)));
    };
    const clean = async (node = stage.a) => {
      while ((await node.jobs.retain({ ...LIMITS, batch: 30 })) > 0);
    };
    await Promise.all([work(), clean(stage.a), clean(stage.b)]);
    expect(await stage.all({ states: ['succeeded'] })).toHaveLength(100);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { succeeded: 100, pending: 0 } });
  });

  law('K3 · A removed id can be used again', async stage => {
    const gone = await stage.succeeded();
    stage.advance(8 * DAY);
    await retainAll(stage, LIMITS);
    expect(await stage.addOne({ id: gone.id, json: '"other"' })).toMatchObject({
      id: gone.id,
      state: 'pending',
      round: 1,
    });
  });

  law('Nodes that were silent for days are forgotten, those that report are not', async stage => {
    const node = { host: 'elsewhere', version: '0', concurrency: 1 };
    await stage.a.nodes.announce({ ...node, id: 'elsewhere/1/1/lost' });
    await stage.a.nodes.announce({ ...node, id: 'elsewhere/2/2/alive' });
    stage.advance(3 * DAY);
    await stage.a.nodes.announce({ ...node, id: 'elsewhere/2/2/alive' });
    await retainAll(stage, LIMITS);
    const known = (await stage.a.nodes.list()).map(({ id }) => id);
    expect(known).toContain('elsewhere/2/2/alive');
    expect(known).not.toContain('elsewhere/1/1/lost');
  });

  law('Old buckets go, young ones stay', async stage => {
    if (!stage.world.buckets) return;
    await stage.succeeded();
    stage.advance(3 * DAY);
    await stage.succeeded();
    await retainAll(stage, { ...LIMITS, bucketsMs: 2 * DAY });
    expect(await stage.world.buckets('default')).toEqual({ succeeded: 1, dead: 0 });
    expect(await stage.all()).toHaveLength(2);
  });
}

async function archive(stage: Stage, count: number): Promise<void> {
  await stage.register();
  await stage.a.jobs.insert(newJobs(count));
  const running = await stage.claim({ limit: count, start: true });
  await stage.a.jobs.apply(running.map(job => verdict(stage.a, job, SUCCEEDED)));
}

async function retainAll(stage: Stage, limits: RetentionLimits): Promise<void> {
  for (let calls = 0; (await stage.a.jobs.retain(limits)) > 0; calls += 1) expect(calls).toBeLessThan(50);
}

async function ids(stage: Stage, state: 'succeeded' | 'dead'): Promise<readonly string[]> {
  return (await stage.all({ states: [state] })).map(({ id }) => id);
}
