// Owns error families: which dead jobs died of the same error, by what remains of its text without numbers and ids.

/** At most so many families have a text of their own; further texts share one family per reason, so that their number is bounded. */
export const FAMILIES_KEPT = 500;
/** The family, in each reason, of texts that came when there were too many. */
export const OTHER_PREFIX = '(other)';
const NO_TEXT_PREFIX = '(no text)';

/** Code points of a prefix. */
const PREFIX_LENGTH = 80;
/** What comes later in a text decides nothing. */
const READ_LENGTH = 400;

/**
 * What differs from job to job: UUIDs, long hexadecimal and mixed words with a digit, and numbers. An HTTP status is kept,
 * since it tells one error from another.
 */
const VARYING = new RegExp(
  [
    String.raw`(?<status>\b(?:answered|status|HTTP(?:\/\d(?:\.\d)?)?) [1-5]\d\d\b)`,
    String.raw`(?<id>\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b(?=[a-f]*\d)[\da-f]{8,}\b|\b(?=\w*\d)(?=\w*[a-z])\w{16,}\b)`,
    String.raw`\d+(?:[.:,]\d+)*`,
  ].join('|'),
  'gi',
);

/** The text of the family that an error text belongs to: numbers as `#`, ids as `<id>`, white space single, cut at 80 characters. */
export function errorPrefix(text: string | null): string {
  const beginning = (text ?? '').slice(0, READ_LENGTH).replace(/\s+/g, ' ').trim();
  if (beginning === '') return NO_TEXT_PREFIX;
  const settled = beginning.replace(VARYING, (found, status?: string, id?: string) =>
    status === undefined ? (id === undefined ? '#' : '<id>') : found,
  );
  return [...settled.toWellFormed()].slice(0, PREFIX_LENGTH).join('');
}
