// Owns the proof of the arithmetic of rates.
import { expect, it } from 'vitest';
import { rateOf, ratesOf } from '#service/domain/stats.js';

it('J4 · 30 successes and 10 deaths in a minute are 0.67 jobs/s and 25 %', () => {
  expect(rateOf({ succeeded: 30, dead: 10 }, 60_000)).toEqual({ throughput: 0.6667, failureRate: 0.25 });
});

it('Five minutes are counted as five minutes; where nothing ended there is no failure rate', () => {
  const recent = { oneMinute: { succeeded: 0, dead: 0 }, fiveMinutes: { succeeded: 0, dead: 3 } };
  expect(ratesOf(recent)).toEqual({
    oneMinute: { throughput: 0, failureRate: null },
    fiveMinutes: { throughput: 0.01, failureRate: 1 },
  });
});
