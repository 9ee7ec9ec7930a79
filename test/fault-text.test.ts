// Owns that breaches of the contract are told in words that a person can act on.
import { expect, test } from 'vitest';
import { inWords } from '#service/fault-text.js';

test.each([
  ['must be string', 'must be a text'],
  ['must be integer,null', 'must be a whole number or null'],
  ['must be >= 1', 'must be at least 1'],
  ['must be <= 200', 'must be at most 200'],
  ["must have required property 'payload'", 'is required'],
  ['must be equal to one of the allowed values: keep, replace', 'must be one of keep, replace'],
  ['must match pattern "^[A-Za-z0-9_:\\-]{1,50}$"', 'must be 1 to 50 characters out of A-Z a-z 0-9 _ : and -'],
  ['must match pattern "^(?:[0-9]{1,15}(?:d|h|ms|m|s))+$"', 'is not a duration such as 250ms, 30s, 5m, 1h30m or 7d'],
  [
    'must match pattern "^(?=\\d)(?:\\d{1,15}d)?(?:\\d{1,15}ms)?$"',
    'is not a duration such as 250ms, 30s, 5m, 1h30m or 7d',
  ],
  ['must match format "date-time"', 'is not an existing RFC 3339 instant with an offset, such as 2026-11-30T12:00:00Z'],
  ['must NOT have fewer than 1 properties', 'must have at least 1 properties'],
  ['must NOT have more than 20 items', 'must have at most 20 items'],
  ["Unknown query parameter 'a'", 'is not known'],
  ["Empty value found for query parameter 'a'", 'is empty'],
  ['must be somehow else', 'must be somehow else'],
])('%s: %s', (said, ours) => {
  expect(inWords(said)).toBe(ours);
});
