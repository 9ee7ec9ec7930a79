// Owns the proof that loops rest, wake, survive failures and notice hanging steps.
import { afterEach, describe, expect, it } from 'vitest';
import { jittered, Loop } from '#service/engine/loop.js';
import type { Log } from '#service/log.js';

const HOUR_MS = 3_600_000;
const silent: Log = { event: () => undefined };
const loops: Loop[] = [];

function loopOf(step: () => Promise<number>, log: Log = silent): Loop {
  const loop = new Loop('tested', step, log);
  loops.push(loop);
  return loop;
}

/** A step that is ended by hand. */
function held() {
  const ends: ((restMs: number) => void)[] = [];
  const step = () => new Promise<number>(resolve => ends.push(resolve));
  return { step, ends };
}

afterEach(async () => {
  for (const loop of loops.splice(0)) {
    loop.restart();
    await Promise.race([loop.stop(), Promise.resolve()]);
  }
});

describe('a loop', () => {
  it('begins a nudged step in the same turn of the event loop', async () => {
    let steps = 0;
    const loop = loopOf(async () => {
      steps += 1;
      return HOUR_MS;
    });
    loop.start();
    await expect.poll(() => loop.stepMs()).toBe(0);
    const before = steps;
    loop.nudge();
    expect(steps).toBe(before + 1);
  });

  it('cancels the next rest when it is nudged during a step, once', async () => {
    const { step, ends } = held();
    const loop = loopOf(step);
    loop.start();
    loop.nudge();
    loop.nudge();
    ends[0]?.(HOUR_MS);
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.(HOUR_MS);
    await expect.poll(() => loop.stepMs()).toBe(0);
    expect(ends).toHaveLength(2);
  });

  it('shortens a rest for work that is due sooner, and never lengthens one', async () => {
    let steps = 0;
    const loop = loopOf(async () => {
      steps += 1;
      return HOUR_MS;
    });
    loop.start();
    await expect.poll(() => loop.stepMs()).toBe(0);
    loop.nudge(5);
    loop.nudge(HOUR_MS * 2);
    await expect.poll(() => steps).toBe(2);
  });

  it('logs a step that rejects, pauses, and goes on', async () => {
    const events: string[] = [];
    let steps = 0;
    const failing = async (): Promise<number> => {
      steps += 1;
      if (steps < 2) throw new Error('storage is away');
      return HOUR_MS;
    };
    const loop = loopOf(failing, { event: name => void events.push(name) });
    loop.start();
    await expect.poll(() => steps, { timeout: 5_000 }).toBe(2);
    expect(events).toEqual(['loopFailed']);
  });

  it('never runs two steps at a time, and runs none after stop', async () => {
    const { step, ends } = held();
    const loop = loopOf(step);
    loop.start();
    loop.nudge();
    expect(ends).toHaveLength(1);
    const stopped = loop.stop();
    ends[0]?.(0);
    await stopped;
    loop.nudge();
    expect(ends).toHaveLength(1);
  });

  it('tells how long a hanging step is overdue, until a step ends after a restart', async () => {
    const { step, ends } = held();
    const loop = loopOf(step);
    loop.start();
    await expect.poll(() => loop.overdueMs()).toBeGreaterThan(5);
    loop.restart();
    expect(ends).toHaveLength(2);
    expect(loop.stepMs()).toBeLessThan(loop.overdueMs());
    ends[1]?.(HOUR_MS);
    await expect.poll(() => loop.overdueMs()).toBe(0);
    ends[0]?.(0);
    await expect.poll(() => loop.stepMs()).toBe(0);
    expect(ends).toHaveLength(2);
  });

  it('is overdue while its steps fail, however often they end', async () => {
    let steps = 0;
    const failing = async (): Promise<number> => {
      steps += 1;
      throw new Error('storage is away');
    };
    const loop = loopOf(failing);
    loop.start();
    const startedAt = performance.now();
    await expect.poll(() => steps, { timeout: 5_000 }).toBe(2);
    await expect.poll(() => loop.stepMs()).toBe(0);
    expect(loop.overdueMs()).toBeGreaterThanOrEqual(performance.now() - startedAt - 1);
  });

  it('spreads a duration evenly around its middle', () => {
    expect(jittered(1_000, 0.1, 0)).toBe(900);
    expect(jittered(1_000, 0.1, 0.5)).toBe(1_000);
    expect(jittered(1_000, 0.1, 1)).toBe(1_100);
  });
});
