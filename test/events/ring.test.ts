// Owns the proof of the ring of live events: what is remembered, for how long, and which ids are known.
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { EventRing } from '#service/events/ring.js';

const event = (n: number) => ({ kind: 'handler', at: n, data: { type: `t${n}`, change: 'replaced' } }) as const;

function ringOf(count: number, capacity = 4): EventRing {
  const ring = new EventRing('boot-1', capacity);
  for (let n = 1; n <= count; n += 1) ring.add(event(n));
  return ring;
}

it('remembers the last events and no others, by number', () => {
  const ring = ringOf(6);
  expect([ring.oldest, ring.next]).toEqual([3, 7]);
  expect([2, 3, 6, 7].map(number => ring.read(number)?.event)).toEqual([undefined, event(3), event(6), undefined]);
  expect(ring.read(6)?.json()).toBe('{"at":"1970-01-01T00:00:00.006Z","type":"t6","change":"replaced"}');
});

it.each([
  ['boot-1-6', 7],
  ['boot-1-2', 3],
  ['boot-1-1', null],
  ['boot-1-7', null],
  ['boot-2-6', null],
  ['boot-1-', null],
  ['boot-1-6x', null],
  ['boot-1--6', null],
  ['6', null],
  ['', null],
  ['-6', null],
])('after the id %j comes %j', (id, number) => {
  expect(ringOf(6).after(id)).toBe(number);
});

it('knows the place before its first event', () => {
  const ring = ringOf(0);
  expect(ring.after(ring.idOf(ring.next - 1))).toBe(1);
});

it('tells its listeners once for all events of a turn, and not after they have left', async () => {
  const ring = ringOf(0);
  let told = 0;
  const leave = ring.listen(() => {
    told += 1;
  });
  for (let n = 0; n < 10; n += 1) ring.add(event(n));
  expect(told).toBe(0);
  await turn();
  expect(told).toBe(1);
  ring.add(event(11));
  await turn();
  expect(told).toBe(2);
  leave();
  ring.add(event(12));
  await turn();
  expect(told).toBe(2);
});
