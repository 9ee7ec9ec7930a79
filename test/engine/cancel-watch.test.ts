// Owns the proof of how often a node looks for wishes to cancel: in time for every running call, and never without need.
import { expect, it } from 'vitest';
import { CancelWatch, LOOK_EVERY_MS } from '#service/engine/cancel-watch.js';

const log = { event: () => undefined };

function watching(worker: { active: number; sinceMs: number }) {
  const looks: number[] = [];
  const watch = new CancelWatch({
    worker: {
      active: worker.active,
      sinceLookMs: () => worker.sinceMs,
      heed: async () => void looks.push(worker.sinceMs),
    },
    log,
  });
  return { watch, looks };
}

it('G2 · looks while something runs, early enough for 2 s', async () => {
  const { watch, looks } = watching({ active: 1, sinceMs: Number.POSITIVE_INFINITY });
  expect(await watch.step()).toBeLessThan(1_900);
  expect(looks).toHaveLength(1);
});

it('B8 · asks nothing while nothing runs', async () => {
  const { watch, looks } = watching({ active: 0, sinceMs: 3_600_000 });
  expect(await watch.step()).toBe(LOOK_EVERY_MS);
  expect(looks).toEqual([]);
});

it('asks nothing when a claim has just told, and comes back when that is too long ago', async () => {
  const { watch, looks } = watching({ active: 9, sinceMs: 1_000 });
  expect(await watch.step()).toBe(LOOK_EVERY_MS - 1_000);
  expect(looks).toEqual([]);
});
