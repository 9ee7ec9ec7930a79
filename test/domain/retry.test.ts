// Owns the proof of the retry arithmetic: how long to wait, and whose settings hold.
import { describe, expect, it } from 'vitest';
import {
  type AttemptOverrides,
  DEFAULT_ATTEMPT_POLICY,
  type RetryPolicy,
  requestedDelayMs,
  resolvePolicy,
  retryDelayMs,
} from '#service/domain/retry.js';
import { Random } from '../fixtures/random.ts';

const DEFAULT = DEFAULT_ATTEMPT_POLICY.retry;
const ALMOST_ONE = 1 - Number.EPSILON / 2;
const HOUR = 3_600_000;

describe('the wait after a failed attempt', () => {
  it.each([
    [1, 3_000, 4_000],
    [2, 6_000, 7_000],
    [3, 12_000, 13_000],
    [4, 24_000, 25_000],
  ])('D3 · by default after attempt %i is %i to %i ms', (failed, least, most) => {
    expect(retryDelayMs(DEFAULT, failed, 0)).toBe(least);
    expect(retryDelayMs(DEFAULT, failed, 0.5)).toBe((least + most) / 2);
    expect(retryDelayMs(DEFAULT, failed, ALMOST_ONE)).toBe(most);
  });

  it.each([12, 100, 1_000, 10_000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    'D3 · after a huge attempt number (%d) is exactly the maximum, whatever the jitter',
    failed => {
      for (const random of [0, 0.3, ALMOST_ONE]) expect(retryDelayMs(DEFAULT, failed, random)).toBe(HOUR);
    },
  );

  it('D3 · never passes the maximum by jitter, and never falls below the grown base', () => {
    const random = new Random(7);
    for (let round = 0; round < 5_000; round += 1) {
      const policy: RetryPolicy = {
        baseMs: random.between(0, 100_000),
        factor: random.between(10, 40) / 10,
        maxMs: random.between(0, 200_000),
        jitterMs: random.between(0, 300_000),
        maxAgeMs: null,
      };
      const failed = random.between(1, 40);
      const wait = retryDelayMs(policy, failed, random.next());
      expect(Number.isSafeInteger(wait)).toBe(true);
      expect(wait).toBeLessThanOrEqual(policy.maxMs);
      const grown = Math.min(policy.baseMs * policy.factor ** (failed - 1), policy.maxMs);
      expect(wait).toBeGreaterThanOrEqual(Math.floor(grown));
      expect(wait).toBeLessThanOrEqual(Math.ceil(grown) + policy.jitterMs);
    }
  });

  it('grows with the attempts, never shrinks', () => {
    const waits = Array.from({ length: 40 }, (_, i) => retryDelayMs(DEFAULT, i + 1, 0.5));
    expect(waits).toEqual([...waits].sort((one, two) => one - two));
  });

  it('stays the base with factor 1, and nothing with base 0', () => {
    for (const failed of [1, 2, 500, 10_000]) {
      expect(retryDelayMs({ ...DEFAULT, factor: 1 }, failed, 0)).toBe(3_000);
      expect(retryDelayMs({ ...DEFAULT, baseMs: 0, factor: 10 }, failed, 0)).toBe(0);
      expect(retryDelayMs({ ...DEFAULT, baseMs: 0, factor: 10 }, failed, 0.5)).toBe(500);
    }
  });
});

describe('a wait that the handler asked for', () => {
  it.each([
    [30_000, 30_000],
    [0, 1_000],
    [999, 1_000],
    [1_000, 1_000],
    [HOUR, HOUR],
    [HOUR + 1, HOUR],
    [99_999_999_999_000, HOUR],
    [Number.POSITIVE_INFINITY, HOUR],
  ])('D4 · of %d ms becomes %i ms', (asked, wait) => {
    expect(requestedDelayMs(DEFAULT, asked)).toBe(wait);
  });

  it('D4 · is at least 1 s, even where the maximum is less', () => {
    expect(requestedDelayMs({ ...DEFAULT, maxMs: 200 }, 50)).toBe(1_000);
    expect(requestedDelayMs({ ...DEFAULT, maxMs: 200 }, 5_000)).toBe(1_000);
  });
});

describe('the policy of a job', () => {
  const FIELDS: readonly (readonly [AttemptOverrides, AttemptOverrides, AttemptOverrides])[] = [
    [{ maxAttempts: 1 }, { maxAttempts: 2 }, { maxAttempts: 4 }],
    [{ timeoutMs: 1 }, { timeoutMs: 2 }, { timeoutMs: 3 }],
    [{ retryOnTimeout: true }, { retryOnTimeout: false }, { retryOnTimeout: true }],
    [{ retryOnZombie: true }, { retryOnZombie: false }, { retryOnZombie: true }],
    [{ retry: { baseMs: 1 } }, { retry: { baseMs: 2 } }, { retry: { baseMs: 4 } }],
    [{ retry: { factor: 1 } }, { retry: { factor: 3 } }, { retry: { factor: 4 } }],
    [{ retry: { maxMs: 1 } }, { retry: { maxMs: 2 } }, { retry: { maxMs: 4 } }],
    [{ retry: { jitterMs: 1 } }, { retry: { jitterMs: 2 } }, { retry: { jitterMs: 4 } }],
    [{ retry: { maxAgeMs: null } }, { retry: { maxAgeMs: 2 } }, { retry: { maxAgeMs: null } }],
  ];

  it.each(FIELDS)('G1 · takes %j before %j before %j before the service’s own', (job, handler, queue) => {
    expect(resolvePolicy(DEFAULT_ATTEMPT_POLICY, job, handler, queue)).toEqual(merged(job));
    expect(resolvePolicy(DEFAULT_ATTEMPT_POLICY, {}, handler, queue)).toEqual(merged(handler));
    expect(resolvePolicy(DEFAULT_ATTEMPT_POLICY, {}, {}, queue)).toEqual(merged(queue));
    expect(resolvePolicy(DEFAULT_ATTEMPT_POLICY, {}, {}, {})).toEqual(DEFAULT_ATTEMPT_POLICY);
  });

  it('is put together field by field from all of them', () => {
    const job = { retry: { baseMs: 1 }, maxAttempts: 9 };
    const handler = { retry: { baseMs: 2, factor: 5 }, retryOnZombie: true };
    const queue = { timeoutMs: 77, retry: { jitterMs: 0 } };
    expect(resolvePolicy(DEFAULT_ATTEMPT_POLICY, job, handler, queue)).toEqual({
      maxAttempts: 9,
      timeoutMs: 77,
      retry: { baseMs: 1, factor: 5, maxMs: HOUR, jitterMs: 0, maxAgeMs: 86_400_000 },
      retryOnTimeout: false,
      retryOnZombie: true,
    });
  });

  it('keeps zero, false and null, which are values, and skips what is undefined', () => {
    const job = JSON.parse('{"retry":{"baseMs":0,"maxAgeMs":null},"retryOnTimeout":false}') as AttemptOverrides;
    const absent = { maxAttempts: undefined, retry: { factor: undefined } } as unknown as AttemptOverrides;
    const policy = resolvePolicy(DEFAULT_ATTEMPT_POLICY, absent, job, { retryOnTimeout: true, retry: { baseMs: 5 } });
    expect(policy).toMatchObject({ maxAttempts: 3, retryOnTimeout: false });
    expect(policy.retry).toMatchObject({ baseMs: 0, maxAgeMs: null, factor: 2 });
  });

  it('has the documented defaults', () => {
    expect(DEFAULT_ATTEMPT_POLICY).toEqual({
      maxAttempts: 3,
      timeoutMs: 900_000,
      retry: { baseMs: 3_000, factor: 2, maxMs: HOUR, jitterMs: 1_000, maxAgeMs: 86_400_000 },
      retryOnTimeout: false,
      retryOnZombie: false,
    });
  });
});

function merged(overrides: AttemptOverrides) {
  return {
    ...DEFAULT_ATTEMPT_POLICY,
    ...overrides,
    retry: { ...DEFAULT_ATTEMPT_POLICY.retry, ...overrides.retry },
  };
}
