// Owns the proof that instants are read strictly and written in UTC, whatever the time zone of the machine.
import { describe, expect, it } from 'vitest';
import { formatInstant, parseInstant } from '#service/domain/instant.js';
import { Random } from '../fixtures/random.ts';

describe('an instant', () => {
  it.each([
    ['2026-11-30T12:00:00Z', '2026-11-30T12:00:00.000Z'],
    ['2026-11-30t12:00:00.5z', '2026-11-30T12:00:00.500Z'],
    ['2026-11-30T12:00:00+05:30', '2026-11-30T06:30:00.000Z'],
    ['2026-11-30T00:00:00-03:30', '2026-11-30T03:30:00.000Z'],
    ['2024-02-29T23:59:59.999999Z', '2024-02-29T23:59:59.999Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['2026-01-01T00:30:00+01:00', '2025-12-31T23:30:00.000Z'],
    ['0050-01-01T00:00:00Z', '0050-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.001Z', '1969-12-31T23:59:59.001Z'],
    ['2026-11-30T12:00:00-00:00', '2026-11-30T12:00:00.000Z'],
  ])('A11 · %s is %s', (text, utc) => {
    expect(formatInstant(parseInstant(text) ?? Number.NaN)).toBe(utc);
  });

  const NO_DATES = [
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-10T00:00:00Z',
    '2026-01-00T00:00:00Z',
  ];
  const NO_TIMES = [
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
  ];
  const NO_OFFSET = [
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01T00:00:00+01',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00 Z',
  ];
  const NO_SHAPE = [
    '',
    '1769904000000',
    '1769904000',
    'now',
    'Thu, 01 Jan 2026 00:00:00 GMT',
    '2026-1-1T0:0:0Z',
    '2026-01-01 00:00:00Z',
    '+002026-01-01T00:00:00Z',
    '2026-01-01T00:00Z',
    '2026-01-01T00:00:00.Z',
    ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '２026-01-01T00:00:00Z',
  ];

  it.each([...NO_DATES, ...NO_TIMES, ...NO_OFFSET, ...NO_SHAPE])('A11 · %j is none', text => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('K5 · is read back as it was written, in every time zone', () => {
    const zone = process.env.TZ;
    const random = new Random(9);
    try {
      for (const tz of ['UTC', 'Asia/Tokyo', 'America/St_Johns', 'Australia/Lord_Howe']) {
        process.env.TZ = tz;
        for (let round = 0; round < 500; round += 1) {
          const at = Math.floor(random.next() * 4e12) - 1e12;
          expect(parseInstant(formatInstant(at))).toBe(at);
        }
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });
});
