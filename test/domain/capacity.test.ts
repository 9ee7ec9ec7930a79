// Owns the proof that one type, however it hangs, leaves slots to the others.
import { describe, expect, it } from 'vitest';
import { roomForHandler, shareOfOneType } from '#service/domain/capacity.js';

/** Claims again and again for one handler that never finishes; answers the slots it ends up with. */
function slotsOfHangingHandler(capacity: number, concurrency: number | null = null): number {
  for (let held = 0; ; ) {
    const free = capacity - held;
    const taken = Math.min(shareOfOneType(free), roomForHandler(capacity, free, held, concurrency));
    if (taken === 0 || free === 0) return held;
    held += taken;
  }
}

describe('the slots of a node', () => {
  it('go to one type by half of what is free, and by one at least', () => {
    expect([0, 1, 2, 3, 50].map(shareOfOneType)).toEqual([1, 1, 1, 1, 25]);
  });

  it.each([
    [2, 1],
    [3, 2],
    [8, 7],
    [50, 44],
    [73, 64],
  ])('B9 · of %i slots a hanging type takes %i and leaves the rest to other types', (capacity, taken) => {
    expect(slotsOfHangingHandler(capacity)).toBe(taken);
  });

  it('are all given to the only type when there is just one', () => {
    expect(roomForHandler(1, 1, 0, null)).toBe(1);
  });

  it.each([1, 5, 30])('are bounded by the concurrency %i of a handler', concurrency => {
    expect(slotsOfHangingHandler(50, concurrency)).toBe(concurrency);
  });

  it('never become negative when a handler holds more than it may', () => {
    expect(roomForHandler(50, 3, 47, 10)).toBe(0);
    expect(roomForHandler(50, 3, 47, null)).toBe(0);
  });
});
