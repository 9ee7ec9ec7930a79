// Owns the proof that durations are read strictly and written so that they are read back the same.
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '#service/domain/duration.js';
import { Random } from '../fixtures/random.ts';

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['0s', 0],
    ['0ms', 0],
    ['1d2h3m4s5ms', 93_784_005],
    ['90m', 5_400_000],
    ['1m1ms', 60_001],
    ['007s', 7_000],
  ])('%s is %i ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  const WRONG = [
    '',
    ' ',
    '5',
    's',
    '5 s',
    ' 5s',
    '5s ',
    '5S',
    '5M',
    '-5s',
    '+5s',
    '1.5s',
    '5s30m',
    '1s1s',
    '5m5m',
    '1ms1s',
  ];
  const ODD = [
    '1e3s',
    '５s',
    '5μs',
    '5min',
    '1w',
    '1y',
    'PT5S',
    '1h 30m',
    '1h,30m',
    'Infinitys',
    '0x5s',
    '5s\n',
    '5s\0',
  ];
  const HUGE = ['9999999999999999s', '999999999999999d', `${'1'.repeat(400)}s`];

  it.each([...WRONG, ...ODD, ...HUGE])('%j is not one', text => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('are read back as they were written, for every size', () => {
    const random = new Random(5);
    const values = [0, 1, 999, 1_000, 59_999, 60_000, 3_599_999, 3_600_000, 86_399_999, 86_400_000];
    for (let round = 0; round < 3_000; round += 1) values.push(Math.floor(random.next() * 10 ** random.between(1, 15)));
    for (const ms of values) expect(parseDuration(formatDuration(ms)), `${ms}`).toBe(ms);
  });

  it.each([
    [0, '0s'],
    [250, '250ms'],
    [60_000, '1m'],
    [90_000, '1m30s'],
    [5_400_000, '1h30m'],
    [86_400_001, '1d1ms'],
  ])('%i ms are written %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});
