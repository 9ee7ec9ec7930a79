// Owns durations as people write them: `250ms`, `30s`, `5m`, `1h30m`, `7d` to and from milliseconds.

const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;
type Unit = keyof typeof UNIT_MS;

const SHAPE = /^(?:\d{1,15}(?:d|h|ms|m|s))+$/;
const PART = /(\d+)(ms|d|h|m|s)/g;

/** Milliseconds of a duration text, or `undefined` when the text is not one: each unit at most once, largest first, `0s` allowed. */
export function parseDuration(text: string): number | undefined {
  if (!SHAPE.test(text)) return undefined;
  let total = 0;
  let previous = Number.POSITIVE_INFINITY;
  for (const [, amount, unit] of text.matchAll(PART)) {
    const unitMs = UNIT_MS[unit as Unit];
    if (unitMs >= previous) return undefined;
    previous = unitMs;
    total += Number(amount) * unitMs;
  }
  return Number.isSafeInteger(total) ? total : undefined;
}

/** The shortest text that `parseDuration` reads back as the same number of milliseconds (a non-negative integer). */
export function formatDuration(ms: number): string {
  let rest = ms;
  let text = '';
  for (const [unit, unitMs] of Object.entries(UNIT_MS)) {
    const amount = Math.floor(rest / unitMs);
    if (amount > 0) text += `${amount}${unit}`;
    rest -= amount * unitMs;
  }
  return text || '0s';
}
