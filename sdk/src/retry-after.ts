// Owns the reading of `Retry-After`: whole seconds, or a date as HTTP writes it.

/** In ms from `now`, or null when the header is absent or cannot be read. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  // Only the form that RFC 9110 tells everybody to send: `Date.parse` would also read what is no date.
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(header.trim())) return null;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
