// Owns what may be a name: queues, type keys, idempotency keys, tags and people, in any script but without traps.

/** White space around a name is not part of it. */
export function trimName(text: string): string {
  return text.trim();
}

/** Why the trimmed text cannot be a name of at most `limit` code points, or null when it can. */
export function nameFlaw(trimmed: string, limit: number): string | null {
  if (trimmed === '') return 'is blank';
  if (/\p{Cc}/u.test(trimmed)) return 'contains a control character';
  if (!trimmed.isWellFormed()) return 'contains half of a surrogate pair, which is not a Unicode character';
  const length = codePoints(trimmed, limit);
  return length > limit ? `has more than ${limit} characters` : null;
}

/** A name that also stands in addresses: `.` and `..` would be taken for folders. */
export function keyFlaw(trimmed: string, limit: number): string | null {
  return trimmed === '.' || trimmed === '..' ? 'must not be . or ..' : nameFlaw(trimmed, limit);
}

/** Counts no further than it must. */
function codePoints(text: string, limit: number): number {
  if (text.length <= limit || text.length > 2 * limit) return text.length;
  return [...text].length;
}
