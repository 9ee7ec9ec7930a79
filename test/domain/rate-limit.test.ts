// Owns the proof of rate limits: how they are written, and that a window lets through exactly what it says.
import { describe, expect, it } from 'vitest';
import { formatRateLimit, parseRateLimit, RateWindows } from '#service/domain/rate-limit.js';

describe('A rate limit', () => {
  it.each([
    ['100/1m', { requests: 100, perMs: 60_000 }],
    ['1/1s', { requests: 1, perMs: 1_000 }],
    ['5/1h30m', { requests: 5, perMs: 5_400_000 }],
    ['999999999/1d', { requests: 999_999_999, perMs: 86_400_000 }],
  ])('%s is read and written', (text, limit) => {
    expect(parseRateLimit(text)).toEqual(limit);
    expect(formatRateLimit(limit)).toBe(text);
  });

  it.each([
    '',
    '100',
    '0/1m',
    '-1/1m',
    '1.5/1m',
    '100/',
    '/1m',
    '100/0s',
    '100/500ms',
    '100/2d',
    '100/m',
    '1e3/1m',
    ' 1/1m',
  ])('%j is none', text => expect(parseRateLimit(text)).toBeUndefined());
});

describe('Windows', () => {
  const LIMIT = { requests: 2, perMs: 1_000 };

  it('let through what the limit says, count down, and begin anew after their time', () => {
    const windows = new RateWindows();
    const take = (now: number) => windows.take('a', LIMIT, now);
    expect(take(5.5)).toEqual({ isAllowed: true, left: 1, resetMs: 1_000 });
    expect(take(300.5)).toEqual({ isAllowed: true, left: 0, resetMs: 705 });
    expect(take(1_004)).toEqual({ isAllowed: false, left: 0, resetMs: 2 });
    expect(take(1_005.5)).toEqual({ isAllowed: true, left: 1, resetMs: 1_000 });
  });

  it('are apart by name, and a smaller limit holds at once', () => {
    const windows = new RateWindows();
    windows.take('a', LIMIT, 0);
    windows.take('a', LIMIT, 0);
    expect(windows.take('a', LIMIT, 1).isAllowed).toBe(false);
    expect(windows.take('b', LIMIT, 1)).toMatchObject({ isAllowed: true, left: 1 });
    windows.take('c', { requests: 9, perMs: 3_600_000 }, 0);
    expect(windows.take('c', LIMIT, 10), 'a window that is too long for the new limit ends').toMatchObject({ left: 1 });
  });
});
