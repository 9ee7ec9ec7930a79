// Owns the proof that `Retry-After` is read strictly: two kinds of value, three date forms, and nothing that merely looks like one.
import { describe, expect, it } from 'vitest';
import { parseRetryAfter } from '#service/domain/retry-after.js';

const NOW = Date.UTC(2026, 10, 30, 12, 0, 0);
const at = (...parts: Parameters<typeof Date.UTC>) => Date.UTC(...parts) - NOW;

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    ['30', 30_000],
    ['0', 0],
    ['000', 0],
    ['0120', 120_000],
    ['99999999999', 99_999_999_999_000],
  ])('D4 · %s seconds are %i ms', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  it('D4 · A number beyond all bounds is still a finite wait', () => {
    const ms = parseRetryAfter('9'.repeat(400), NOW);
    expect(ms).toBe(Number.MAX_SAFE_INTEGER);
  });

  it.each([
    ['Mon, 30 Nov 2026 12:00:30 GMT', 30_000],
    ['Monday, 30-Nov-26 12:00:30 GMT', 30_000],
    ['Mon Nov 30 12:00:30 2026', 30_000],
    ['Tue Dec  1 00:00:00 2026', 12 * 3_600_000],
    ['Thu, 29 Feb 2028 00:00:00 GMT', at(2028, 1, 29)],
    ['Fri, 31 Dec 9999 23:59:59 GMT', at(9999, 11, 31, 23, 59, 59)],
    ['Mon, 30 Nov 2026 12:00:60 GMT', 60_000],
  ])('D4 · The date %s is read as UTC', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  it.each([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:37 1994',
    'Thu, 01 Jan 0001 00:00:00 GMT',
    'Mon, 30 Nov 2026 12:00:00 GMT',
  ])('D4 · The past date %s asks for no wait', value => {
    expect(parseRetryAfter(value, NOW)).toBe(0);
  });

  it.each([
    ['Monday, 30-Nov-76 12:00:00 GMT', at(2076, 10, 30, 12)],
    ['Monday, 30-Nov-76 12:00:01 GMT', 0],
    ['Tuesday, 01-Dec-26 00:00:00 GMT', 12 * 3_600_000],
    ['Friday, 01-Jan-27 00:00:00 GMT', at(2027, 0, 1)],
    ['Friday, 31-Dec-99 00:00:00 GMT', 0],
    ['Saturday, 29-Feb-80 00:00:00 GMT', 0],
  ])('D4 · A year of two digits is never more than 50 years ahead: %s', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toBe(ms);
  });

  it('D4 · A year of two digits reaches into the next century when that is near', () => {
    const late = Date.UTC(2099, 11, 31);
    expect(parseRetryAfter('Friday, 01-Jan-00 00:00:00 GMT', late)).toBe(86_400_000);
  });

  it('D4 · A weekday that does not fit is no reason to come back too early', () => {
    expect(parseRetryAfter('Fri, 30 Nov 2026 12:00:30 GMT', NOW)).toBe(30_000);
  });

  it.each([
    '',
    ' ',
    '-1',
    '+1',
    '1.5',
    '1,5',
    '1e3',
    '0x10',
    'abc',
    ' 120',
    '120 ',
    '120s',
    '１２０',
    'Infinity',
    'NaN',
    '120, 60',
  ])('D4 · %j is as absent', value => {
    expect(parseRetryAfter(value, NOW)).toBeNull();
  });

  it.each([
    'Mon, 30 Feb 2026 12:00:00 GMT',
    'Sun, 29 Feb 2026 12:00:00 GMT',
    'Tue, 31 Nov 2026 12:00:00 GMT',
    'Tue, 00 Nov 2026 12:00:00 GMT',
    'Mon, 30 Nov 2026 24:00:00 GMT',
    'Mon, 30 Nov 2026 12:60:00 GMT',
    'Mon, 30 Nov 2026 12:00:61 GMT',
    'Mon, 30 Nov 2026 12:00:30 UTC',
    'Mon, 30 Nov 2026 12:00:30 +0000',
    'Mon, 30 Nov 2026 12:00:30',
    'mon, 30 nov 2026 12:00:30 gmt',
    'Mon, 30 November 2026 12:00:30 GMT',
    'Mon, 5 Nov 2026 12:00:30 GMT',
    'Mon,  5 Nov 2026 12:00:30 GMT',
    'Xyz, 30 Nov 2026 12:00:30 GMT',
    'Mon, 30-Nov-26 12:00:30 GMT',
    'Monday, 30-Nov-2026 12:00:30 GMT',
    'Saturday, 30-Feb-80 00:00:00 GMT',
    'Mon Nov 5 12:00:30 2026',
    'Mon Nov 30 12:00:30 2026 GMT',
    'Mon Nov 31 12:00:30 2026',
    '2026-11-30T12:00:30Z',
    '2026-11-30',
    '30 Nov 2026 12:00:30 GMT',
    'Mon, 30 Nov 2026 12:00:30 GMT; x',
  ])('D4 · %j is no date', value => {
    expect(parseRetryAfter(value, NOW)).toBeNull();
  });
});
