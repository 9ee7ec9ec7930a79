// Owns the law of figures: totals over all queues, rates over the last minutes, and series that no folding changes.
import { expect } from 'vitest';
import { FATAL, newJobs, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { type Law, type Stage, verdict } from './world.ts';

const MINUTE = 60_000;
const LIMITS = { archiveMs: 1e12, dlqMs: 1e12, bucketsMs: 2 * 86_400_000, auditMs: 1e12, batch: 1_000 };

export function statsLaw(law: Law): void {
  law('Totals over all queues are the sums of what each queue says', async stage => {
    await stage.succeeded({ queue: 'a' });
    await stage.dead({ queue: 'b' });
    await stage.running({ queue: 'b' });
    await stage.fetched({ queue: 'b' });
    await stage.add({ queue: 'c' }, { queue: 'c', due: { inMs: MINUTE } }, { queue: 'c', type: 'unknown.v1' });
    stage.advance(500);
    const { counts, lifetime, lagMs, at } = await stage.b.stats.read();
    expect(counts).toEqual({
      ...{ pending: 2, unroutable: 1, scheduled: 1, fetched: 1, processing: 1, succeeded: 1, dead: 1 },
      ...{ failed: 1, retried: 0 },
    });
    expect(lifetime).toEqual({ succeeded: 1, failed: 1, retried: 0 });
    expect(lagMs.max).toBeGreaterThanOrEqual(500);
    expect(lagMs.avg).toBeGreaterThanOrEqual(500);
    expect(at).toBeGreaterThan(0);
  });

  law(
    'J4 · What ended in the last minute and the last five is counted, per queue and over all, the running second included',
    async stage => {
      await end(stage, 30, 10);
      const ended = { succeeded: 30, dead: 10 };
      expect((await stage.b.stats.read()).recent).toEqual({ oneMinute: ended, fiveMinutes: ended });
      stage.advance(59_000);
      await stage.succeeded({ queue: 'other' });
      expect((await stage.b.stats.read()).recent.oneMinute).toEqual({ succeeded: 31, dead: 10 });
      expect((await stage.b.queues.get('default'))?.recent.oneMinute).toEqual(ended);
      stage.advance(2_000);
      const [first, other] = await stage.b.queues.list();
      expect(first?.recent).toEqual({ oneMinute: { succeeded: 0, dead: 0 }, fiveMinutes: ended });
      expect(other?.recent.oneMinute).toEqual({ succeeded: 1, dead: 0 });
      stage.advance(5 * MINUTE);
      expect((await stage.b.stats.read()).recent.fiveMinutes).toEqual({ succeeded: 0, dead: 0 });
    },
  );

  law(
    'A series has a point for every step, by queue or over all, and folding old buckets changes none of its sums',
    async stage => {
      const start = Math.ceil(stage.a.clock.now() / MINUTE) * MINUTE;
      stage.advance(start - stage.a.clock.now() + 10_500);
      await end(stage, 3, 1);
      stage.advance(MINUTE);
      await retried(stage);
      stage.advance(40_000);
      await stage.succeeded({ queue: 'other' });
      const range = { from: start, to: start + 4 * MINUTE, stepMs: MINUTE, queue: null };
      const series = () => stage.b.stats.series(range);
      const before = await series();
      expect(before.map(({ avgDurationMs, ...point }) => point)).toEqual([
        { at: start, enqueued: 4, succeeded: 3, dead: 1, failedAttempts: 1, retried: 0 },
        { at: start + MINUTE, enqueued: 2, succeeded: 1, dead: 0, failedAttempts: 1, retried: 1 },
        { at: start + 2 * MINUTE, enqueued: 0, succeeded: 0, dead: 0, failedAttempts: 0, retried: 0 },
        { at: start + 3 * MINUTE, enqueued: 0, succeeded: 0, dead: 0, failedAttempts: 0, retried: 0 },
      ]);
      expect(before[0]?.avgDurationMs).toBeGreaterThanOrEqual(0);
      expect(before[2]?.avgDurationMs).toBeNull();
      expect((await stage.b.stats.series({ ...range, queue: 'other' })).map(point => point.enqueued)).toEqual([
        0, 1, 0, 0,
      ]);
      for (const afterMs of [20 * MINUTE, MINUTE, 5 * MINUTE]) {
        stage.advance(afterMs);
        await stage.a.jobs.retain(LIMITS);
        await stage.b.jobs.retain(LIMITS);
        expect(await series()).toEqual(before);
      }
      const seconds = await stage.b.stats.series({ ...range, to: start + MINUTE, stepMs: 1_000 });
      expect(seconds.filter(({ enqueued }) => enqueued > 0)).toEqual([{ ...before[0] }]);
    },
  );
}

async function end(stage: Stage, succeeded: number, dead: number): Promise<void> {
  await stage.register();
  await stage.a.jobs.insert(newJobs(succeeded + dead));
  const jobs = await stage.claim({ limit: succeeded + dead, start: true });
  await stage.a.jobs.apply(jobs.map((job, n) => verdict(stage.a, job, n < succeeded ? SUCCEEDED : FATAL)));
}

async function retried(stage: Stage): Promise<void> {
  await stage.finish(await stage.running(), RETRYABLE);
}
