// Owns the law of counters: what queues say about themselves equals what a recount of their jobs finds.
import { expect } from 'vitest';
import { cancel, requestCancel, resurrect } from '#service/domain/lifecycle.js';
import { FATAL, move, newJobs, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { recount } from './recount.ts';
import { type Law, only } from './world.ts';

export function countersLaw(law: Law): void {
  law('Counters equal a recount after each kind of move', async stage => {
    await stage.register();
    const check = async (what: string) =>
      expect((await recount(stage.b)).counters, what).toEqual((await recount(stage.b)).recounted);
    await stage.add({ queue: 'q' }, { queue: 'q', due: { inMs: 60_000 } }, { queue: 'r' }, { queue: 'q' });
    await check('insert');
    stage.advance(60_001);
    const [one, two, three, four] = await stage.claim({ limit: 4 });
    await check('promote and claim');
    if (!one || !two || !three || !four) throw new Error('four jobs were due');
    const [first, second] = [await stage.begin(one), await stage.begin(two)];
    await check('start');
    await stage.apply(requestCancel(first, 'ann'));
    await check('request cancel');
    await stage.finish(first, SUCCEEDED);
    await stage.finish(second, RETRYABLE, { ...PATIENT_LATER });
    await check('archive and retry');
    await stage.apply(move('release', three, { to: 'pending', dueInMs: null }));
    await stage.apply(move('postpone', four, { to: 'pending', dueInMs: 1_000 }));
    await check('release and postpone');
    await stage.apply(cancel(three, 'ann'));
    await check('cancel');
    await stage.apply(resurrect(three, { due: { inMs: 5_000 } }, 'ann'));
    await check('resurrect');
    await stage.apply(
      move('edit', await stage.job(three.id), { to: 'edited', edits: { due: { inMs: 0 } }, by: 'ann' }),
    );
    await check('edit');
    await stage.apply(move('remove', first, { to: 'gone' }));
    await check('remove');
  });

  law('Counters are right after a storm of moves on both nodes', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(200, i => ({ queue: `q${i % 3}` })));
    await Promise.all(
      [0, 1, 2, 3].map(async loop => {
        const node = stage.world.nodes[loop % 2 ? 1 : 0];
        for (let turn = 0; turn < 10; turn += 1) {
          for (const job of await stage.claim({ owner: `n${loop}`, limit: 6, start: true }, node))
            await stage.finish(job, [SUCCEEDED, FATAL, RETRYABLE][turn % 3] ?? FATAL, undefined, node);
          for (const dead of (await stage.all({ states: ['dead'] })).slice(0, 2))
            await stage.apply(resurrect(dead, {}, 'ops'), node);
        }
      }),
    );
    const { counters, recounted } = await recount(stage.a);
    expect(counters).toEqual(recounted);
    const totals = await stage.a.queues.list();
    expect(
      totals.reduce((sum, { counts }) => sum + counts.pending + counts.succeeded + counts.dead + counts.processing, 0),
    ).toBe(200);
  });

  law('J3 · A job due later adds no lag; once due, lag counts from the due time', async stage => {
    await stage.register();
    await stage.addOne({ due: { inMs: 30_000 } });
    stage.advance(20_000);
    expect((await stage.a.queues.get('default'))?.lagMs).toEqual({ avg: 0, max: 0 });
    stage.advance(15_000);
    await stage.look({ limit: 0 });
    await stage.addOne();
    const lag = (await stage.b.queues.get('default'))?.lagMs;
    expect(lag?.max).toBeGreaterThanOrEqual(5_000);
    expect(lag?.max).toBeLessThan(9_000);
    expect(lag?.avg).toBeGreaterThanOrEqual(2_500);
    expect(lag?.avg).toBeLessThan(6_000);
    await stage.claim();
    expect((await stage.b.queues.get('default'))?.lagMs).toEqual({ avg: 0, max: 0 });
  });

  law(
    'J3 · Lag is the age of the oldest due pending job, and counts afresh after a retry and a resurrection',
    async stage => {
      const running = await stage.running();
      stage.advance(100_000);
      await stage.finish(running, RETRYABLE);
      expect((await stage.a.queues.get('default'))?.lagMs.max).toBeLessThan(10_000);
      stage.advance(50_000);
      expect((await stage.a.queues.get('default'))?.lagMs.max).toBeGreaterThanOrEqual(50_000);
      await stage.finish(await stage.runAgain(running.id), FATAL);
      stage.advance(50_000);
      await stage.apply(resurrect(await stage.job(running.id), {}, 'ops'));
      expect((await stage.a.queues.get('default'))?.lagMs.max).toBeLessThan(10_000);
    },
  );

  law('Each attempt that ends is in its bucket once, also a second later', async stage => {
    if (!stage.world.buckets) return;
    for (const outcome of [SUCCEEDED, FATAL, SUCCEEDED, RETRYABLE]) {
      const job = await stage.running({ queue: 'q' });
      await stage.finish(job, outcome);
      stage.advance(1_000);
      if (outcome === RETRYABLE) await stage.apply(cancel(await stage.job(job.id), 'ops'));
    }
    expect(await stage.world.buckets('q')).toEqual({ succeeded: 2, dead: 2 });
    expect(await stage.world.buckets('other')).toEqual({ succeeded: 0, dead: 0 });
  });

  law('What next becomes due is told by a claim, over all queues', async stage => {
    await stage.register();
    expect((await stage.look()).nextDueAt).toBeNull();
    const [, soon] = await stage.add({ due: { inMs: 90_000 } }, { queue: 'q', due: { inMs: 30_000 } });
    expect((await stage.look({}, stage.b)).nextDueAt).toBe(soon?.dueAt);
    stage.advance(30_001);
    const claim = await stage.look();
    expect(only(claim.jobs).id).toBe(soon?.id);
    expect(claim.nextDueAt).toBeGreaterThan(stage.a.clock.now());
  });

  law(
    'More jobs due at once than one claim promotes are all claimed by and by',
    async stage => {
      await stage.register();
      for (let batch = 0; batch < 3; batch += 1)
        await stage.a.jobs.insert(newJobs(1_000, () => ({ due: { inMs: 60_000 } })));
      stage.advance(60_001);
      const seen = new Set<string>();
      for (let turn = 0; turn < 100 && seen.size < 3_000; turn += 1)
        for (const { id } of await stage.claim({ limit: 200 }, turn % 2 ? stage.a : stage.b)) seen.add(id);
      expect(seen.size).toBe(3_000);
      expect(await stage.a.queues.get('default')).toMatchObject({
        counts: { pending: 0, scheduled: 0, fetched: 3_000 },
      });
    },
    60_000,
  );
}

const PATIENT_LATER = {
  maxAttempts: 9,
  timeoutMs: 1_000,
  retry: { baseMs: 60_000, factor: 1, maxMs: 60_000, jitterMs: 0, maxAgeMs: null },
  retryOnTimeout: false,
  retryOnZombie: false,
};
