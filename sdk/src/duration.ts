// Owns durations as people write them, `30s` or `1h30m`, and as numbers of milliseconds.

/** `250ms`, `30s`, `5m`, `1h30m`, `7d`: each unit at most once, the largest first. */
export type DurationText = string;

const FORM = /^(?=\d)(?:(\d{1,15})d)?(?:(\d{1,15})h)?(?:(\d{1,15})m)?(?:(\d{1,15})s)?(?:(\d{1,15})ms)?$/;
const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000, 1];

/** In ms; throws a `TypeError` for anything that is no duration. */
export function durationMs(value: DurationText | number, name: string): number {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
  const parts = typeof value === 'string' ? FORM.exec(value) : null;
  if (!parts) throw new TypeError(`${name} must be a duration such as 30s or 1h30m, or milliseconds, not ${value}`);
  return UNITS_MS.reduce((sum, unit, at) => sum + Number(parts[at + 1] ?? 0) * unit, 0);
}
