// Owns the reading of `Retry-After`: delta-seconds and the three HTTP date forms of RFC 9110, and nothing else.

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = MONTHS.join('|');
const DAY = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const LONG_DAY = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const TIME = '(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)';

const DELTA_SECONDS = /^\d+$/;

/** `Sun, 06 Nov 1994 08:49:37 GMT` · `Sunday, 06-Nov-94 08:49:37 GMT` · `Sun Nov  6 08:49:37 1994` (always UTC). */
const DATE_FORMS = [
  new RegExp(`^(?:${DAY}), (?<day>\\d\\d) (?<month>${MONTH}) (?<year>\\d{4}) ${TIME} GMT$`),
  new RegExp(`^(?:${LONG_DAY}), (?<day>\\d\\d)-(?<month>${MONTH})-(?<shortYear>\\d\\d) ${TIME} GMT$`),
  new RegExp(`^(?:${DAY}) (?<month>${MONTH}) (?<day>\\d\\d| \\d) ${TIME} (?<year>\\d{4})$`),
];

/**
 * The wait in milliseconds that a `Retry-After` value asks for at `now` (epoch ms), 0 when its date has passed,
 * or null when the value is not usable. Always finite; the caller bounds it by its policy.
 */
export function parseRetryAfter(value: string, now: number): number | null {
  if (DELTA_SECONDS.test(value)) return Math.min(Number(value) * 1_000, Number.MAX_SAFE_INTEGER);
  const instant = parseHttpDate(value, now);
  return instant === null ? null : Math.max(instant - now, 0);
}

/** The weekday must be one, but need not fit the date: the instant is clear without it, and coming early would be worse. */
function parseHttpDate(value: string, now: number): number | null {
  for (const form of DATE_FORMS) {
    const parts = form.exec(value)?.groups;
    if (parts) return instantOf(parts, now);
  }
  return null;
}

function instantOf(parts: Record<string, string | undefined>, now: number): number | null {
  const [day, hour, minute, second] = [parts.day, parts.hour, parts.minute, parts.second].map(Number);
  if (day === undefined || hour === undefined || minute === undefined || second === undefined) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const month = MONTHS.indexOf(parts.month ?? '');
  const inYear = (year: number) => utc(year, month, day, ((hour * 60 + minute) * 60 + second) * 1_000);
  return parts.shortYear === undefined ? inYear(Number(parts.year)) : nearest(Number(parts.shortYear), now, inYear);
}

/** RFC 9110: a two-digit year that appears to be more than 50 years ahead means the most recent such year in the past. */
function nearest(shortYear: number, now: number, inYear: (year: number) => number | null): number | null {
  const today = new Date(now);
  const century = today.getUTCFullYear() - (today.getUTCFullYear() % 100);
  const limit = new Date(now).setUTCFullYear(today.getUTCFullYear() + 50);
  const latest = [century + 100, century, century - 100].map(base => base + shortYear);
  for (const year of latest) {
    const instant = inYear(year);
    if (instant !== null && instant <= limit) return instant;
  }
  return null;
}

/** Null when the calendar has no such day. */
function utc(year: number, month: number, day: number, timeOfDayMs: number): number | null {
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month, day);
  const isSameDay = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  return isSameDay ? midnight.getTime() + timeOfDayMs : null;
}
