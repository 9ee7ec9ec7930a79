// Owns the law of limits on claiming: queues that stand still, caps over all nodes, fairness between types and handlers.
import { expect } from 'vitest';
import type { ClaimedJob } from '#service/domain/job.js';
import { release } from '#service/domain/lifecycle.js';
import { newJobs, SUCCEEDED, TYPE } from '../../fixtures/jobs.ts';
import { heldCount, type Law, only, type Stage, verdict } from './world.ts';

export function limitsLaw(law: Law): void {
  for (const settings of [{ isPaused: true }, { isActive: false }])
    law(`B3 · A queue with ${JSON.stringify(settings)} gives nothing, the others fill the batch`, async stage => {
      await stage.register();
      await stage.a.jobs.insert(newJobs(200, () => ({ queue: 'still', priority: 900 })));
      await stage.a.jobs.insert(newJobs(30, i => ({ queue: `open${i % 3}` })));
      await stage.b.queues.configure('still', settings);
      const claimed = await stage.claim({ limit: 20 });
      expect(claimed).toHaveLength(20);
      expect(claimed.filter(({ queue }) => queue === 'still')).toEqual([]);
      await stage.a.queues.configure('still', { isPaused: false, isActive: true });
      expect((await stage.claim({ limit: 5 }, stage.b)).map(({ queue }) => queue)).toEqual(Array(5).fill('still'));
    });

  law('B4 · With maxWorkers 3 and 20 slots at most 3 come from that queue and the rest from others', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(50, () => ({ queue: 'narrow', priority: 900 })));
    await stage.a.jobs.insert(newJobs(50, () => ({ queue: 'wide' })));
    await stage.a.queues.configure('narrow', { maxWorkers: 3 });
    const claimed = await stage.claim({ limit: 20 });
    expect(countBy(claimed)).toEqual({ narrow: 3, wide: 17 });
    expect(countBy(await stage.claim({ limit: 20 }, stage.b))).toEqual({ wide: 20 });
  });

  law(
    'B4 · Two nodes that claim, start and finish 300 jobs at once never hold more than maxWorkers',
    async stage => {
      await stage.register();
      await stage.a.jobs.insert(newJobs(300, () => ({ queue: 'narrow' })));
      await stage.a.queues.configure('narrow', { maxWorkers: 3 });
      const seen = { held: 0, most: 0, done: 0 };
      await Promise.all([0, 1].map(loop => drain(stage, loop, seen)));
      expect(seen.done).toBe(300);
      expect(seen.most).toBeLessThanOrEqual(3);
      expect(seen.most).toBeGreaterThan(0);
      expect(await stage.all({ states: ['succeeded'] })).toHaveLength(300);
    },
    120_000,
  );

  law('B5 · A changed or cleared maxWorkers holds from the next claim on', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(40, () => ({ queue: 'q' })));
    await stage.a.queues.configure('q', { maxWorkers: 2 });
    expect(await stage.claim({ limit: 10 })).toHaveLength(2);
    await stage.b.queues.configure('q', { maxWorkers: 5 });
    expect(await stage.claim({ limit: 10 })).toHaveLength(3);
    await stage.b.queues.configure('q', { maxWorkers: 4 });
    expect(await stage.claim({ limit: 10 })).toHaveLength(0);
    await stage.b.queues.configure('q', { maxWorkers: null });
    expect(await stage.claim({ limit: 10 })).toHaveLength(10);
  });

  law('B5 · A place under maxWorkers is free again after a finish, a release or a retry', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(10, () => ({ queue: 'q' })));
    await stage.a.queues.configure('q', { maxWorkers: 1 });
    const first = await stage.begin(only(await stage.claim()));
    expect(await stage.claim({}, stage.b)).toEqual([]);
    await stage.finish(first, SUCCEEDED);
    const second = only(await stage.claim({}, stage.b));
    expect(await stage.claim()).toEqual([]);
    await stage.apply(release(second));
    expect(await stage.claim()).toHaveLength(1);
  });

  law('B9 · One claim gives one type at most its share, the others fill the batch', async stage => {
    await stage.register('hung', 'quick');
    await stage.a.jobs.insert(newJobs(500, () => ({ type: 'hung', priority: 20 })));
    await stage.a.jobs.insert(newJobs(10, () => ({ type: 'quick' })));
    const types = countBy(await stage.claim({ limit: 10, perType: 5 }), 'type');
    expect(types).toEqual({ hung: 5, quick: 5 });
    expect(await stage.claim({ limit: 1, perType: 1 })).toHaveLength(1);
  });

  law('A handler’s own limit bounds its jobs in a claim, over all queues', async stage => {
    await stage.register('slow', 'quick');
    await stage.a.jobs.insert(newJobs(20, i => ({ type: 'slow', queue: `q${i % 4}`, priority: 20 })));
    await stage.a.jobs.insert(newJobs(20, () => ({ type: 'quick' })));
    expect(countBy(await stage.claim({ limit: 10, perHandler: { slow: 2 } }), 'type')).toEqual({ slow: 2, quick: 8 });
    expect(countBy(await stage.claim({ limit: 10, perHandler: { slow: 0 } }), 'type')).toEqual({ quick: 10 });
  });

  law('The catch-all takes every type without a handler of its own, under one limit for all of them', async stage => {
    await stage.register('*', 'own');
    await stage.a.jobs.insert(newJobs(20, i => ({ type: `odd${i}`, priority: 20 })));
    await stage.a.jobs.insert(newJobs(5, () => ({ type: 'own' })));
    const claimed = await stage.claim({ limit: 10, perHandler: { '*': 3 } });
    expect(claimed.filter(({ type }) => type === 'own')).toHaveLength(5);
    expect(claimed).toHaveLength(8);
    expect(countBy(await stage.claim({ limit: 50, perHandler: { own: 0 } }), 'type')).not.toHaveProperty('own');
  });

  law(
    'Jobs of an unknown type stay pending, are not claimed, add no lag and keep nobody from the batch',
    async stage => {
      await stage.register();
      await stage.a.jobs.insert(newJobs(300, i => ({ type: `unknown${i % 150}`, queue: 'odd', priority: 900 })));
      stage.advance(60_000);
      await stage.a.jobs.insert(newJobs(10));
      expect(await stage.claim({ limit: 8 })).toHaveLength(8);
      const odd = await stage.b.queues.get('odd');
      expect(odd).toMatchObject({ counts: { pending: 300, unroutable: 300 }, lagMs: { avg: 0, max: 0 } });
      expect(await stage.all({ queue: 'odd', states: ['pending'] })).toHaveLength(300);
    },
  );

  law('A handler that appears makes the waiting jobs of its type claimable, one that goes unmakes it', async stage => {
    await stage.add({ type: 'later' }, { type: 'later', due: { inMs: 30_000 } });
    expect(await stage.claim()).toEqual([]);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 1, scheduled: 1, unroutable: 2 } });
    await stage.register('later');
    expect(await stage.claim({}, stage.b)).toHaveLength(1);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 0, scheduled: 1, unroutable: 0 } });
    await stage.a.handlers.remove('later', true);
    stage.advance(30_001);
    expect(await stage.claim()).toEqual([]);
    await stage.register('*');
    expect(await stage.claim()).toHaveLength(1);
  });

  law('Half a thousand capped, paused and unknown jobs that sort first do not hide one that may run', async stage => {
    await stage.register();
    for (const queue of ['paused', 'inactive', 'capped'])
      await stage.a.jobs.insert(newJobs(150, () => ({ queue, priority: 900 })));
    await stage.a.jobs.insert(newJobs(150, () => ({ type: 'unknown', priority: 900 })));
    const plain = await stage.addOne({ priority: -900 });
    await stage.a.queues.configure('paused', { isPaused: true });
    await stage.a.queues.configure('inactive', { isActive: false });
    await stage.a.queues.configure('capped', { maxWorkers: 1 });
    const claimed = await stage.claim({ limit: 2 });
    expect(claimed.map(({ queue }) => queue)).toEqual(['capped', 'default']);
    expect(claimed[1]).toMatchObject({ id: plain.id, type: TYPE });
  });

  law('Claimed jobs carry the execution timeout of their queue', async stage => {
    await stage.register();
    await stage.add({ queue: 'timed' }, { queue: 'free' });
    await stage.a.queues.configure('timed', { executionTimeoutMs: 2_500 });
    expect((await stage.claim()).map(({ queueTimeoutMs }) => queueTimeoutMs)).toEqual([2_500, null]);
  });
}

async function drain(stage: Stage, loop: number, seen: { held: number; most: number; done: number }): Promise<void> {
  const node = loop % 2 ? stage.a : stage.b;
  while (seen.done < 300) {
    const claimed = await stage.claim({ owner: `node-${loop}`, limit: 5, start: loop === 0 }, node);
    seen.held += claimed.length;
    const counts = (await node.queues.get('narrow'))?.counts;
    seen.most = Math.max(seen.most, seen.held, (counts?.fetched ?? 0) + (counts?.processing ?? 0));
    const started = await Promise.all(claimed.map(job => (job.state === 'processing' ? job : stage.begin(job, node))));
    seen.held -= claimed.length;
    seen.done += heldCount(await node.jobs.apply(started.map(job => verdict(node, job, SUCCEEDED))));
  }
}

function countBy(jobs: readonly ClaimedJob[], by: 'queue' | 'type' = 'queue'): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const job of jobs) counts[job[by]] = (counts[job[by]] ?? 0) + 1;
  return counts;
}
