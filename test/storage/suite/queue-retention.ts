// Owns the law of retention where queues differ: each keeps its jobs for as long as it says, whatever others keep.
import { expect } from 'vitest';
import type { RetentionLimits } from '#service/ports/store.js';
import { type Law, only, type Stage } from './world.ts';

const DAY = 86_400_000;
const LIMITS: RetentionLimits = {
  ...{ archiveMs: 7 * DAY, dlqMs: 30 * DAY },
  ...{ bucketsMs: 9_000 * DAY, auditMs: 9_000 * DAY, batch: 1_000 },
};

export function queueRetentionLaw(law: Law): void {
  law(
    'K3 · A queue keeps its succeeded and its dead jobs for as long as it says itself, others as the service says',
    async stage => {
      await stage.a.queues.configure('short', { archiveRetentionMs: DAY, dlqRetentionMs: 2 * DAY }, true);
      await stage.a.queues.configure('long', { archiveRetentionMs: 90 * DAY, dlqRetentionMs: 90 * DAY }, true);
      for (const queue of ['short', 'long', 'default']) {
        await stage.succeeded({ queue });
        await stage.dead({ queue });
      }
      expect(await left(stage, 1.5 * DAY)).toEqual({ short: '0 1', long: '1 1', default: '1 1' });
      expect(await left(stage, 1 * DAY)).toEqual({ short: '0 0', long: '1 1', default: '1 1' });
      expect(await left(stage, 6 * DAY)).toEqual({ short: '0 0', long: '1 1', default: '0 1' });
      expect(await left(stage, 40 * DAY)).toEqual({ short: '0 0', long: '1 1', default: '0 0' });
      await stage.b.queues.configure('long', { archiveRetentionMs: null });
      expect(await left(stage, 0)).toEqual({ short: '0 0', long: '0 1', default: '0 0' });
      expect(await left(stage, 50 * DAY)).toEqual({ short: '0 0', long: '0 0', default: '0 0' });
    },
  );

  law('K3 · What one queue keeps for long does not take up the batch of another', async stage => {
    await stage.a.queues.configure('kept', { archiveRetentionMs: 90 * DAY, dlqRetentionMs: 90 * DAY }, true);
    for (let n = 0; n < 4; n += 1) {
      await stage.succeeded({ queue: 'kept' });
      await stage.dead({ queue: 'kept' });
    }
    await stage.succeeded();
    await stage.dead();
    stage.advance(31 * DAY);
    expect(await stage.a.jobs.retain({ ...LIMITS, batch: 2 })).toBe(2);
    expect(await left(stage, 0)).toEqual({ kept: '4 4', default: '0 0' });
  });

  law('K3 · Jobs that ended while the clock was ahead do not hold back those that ended after them', async stage => {
    stage.advance(400 * DAY);
    const [early, earlyDead] = [await stage.succeeded(), await stage.dead()];
    stage.advance(-400 * DAY);
    await stage.succeeded();
    await stage.dead();
    expect(await left(stage, 31 * DAY)).toEqual({ default: '1 1' });
    expect(await stage.job(early.id)).toMatchObject({ state: 'succeeded' });
    expect(await stage.job(earlyDead.id)).toMatchObject({ state: 'dead' });
    expect(await left(stage, 400 * DAY)).toEqual({ default: '0 0' });
  });

  law('The limits of a queue can be set before its first job, and hold for it', async stage => {
    expect(await stage.a.queues.configure('new', { maxWorkers: 1 })).toBeNull();
    const made = await stage.a.queues.configure('new', { maxWorkers: 1 }, true);
    expect(made?.queue).toMatchObject({ name: 'new', maxWorkers: 1, counts: { pending: 0 } });
    await stage.register();
    await stage.add({ queue: 'new' }, { queue: 'new' });
    expect(only(await stage.claim({}, stage.b)).queue).toBe('new');
    expect(await stage.b.queues.get('new')).toMatchObject({ counts: { pending: 1, fetched: 1 } });
  });
}

/** How many succeeded and dead jobs each queue has, after that time and all that retention does then. */
async function left(stage: Stage, afterMs: number): Promise<Record<string, string>> {
  stage.advance(afterMs);
  while ((await stage.a.jobs.retain(LIMITS)) > 0);
  const queues = await stage.b.queues.list();
  return Object.fromEntries(queues.map(({ name, counts }) => [name, `${counts.succeeded} ${counts.dead}`]));
}
