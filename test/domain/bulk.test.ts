// Owns the proof of the rules of bulk actions: what must be acknowledged, and when a preview no longer holds.
import { expect, test } from 'vitest';
import { needsAcknowledgement, staleness } from '#service/domain/bulk.js';
import { FAILURE_REASONS } from '#service/domain/failure.js';

test('Only running Zombies and Timeouts again must be acknowledged, purging them need not', () => {
  const needing = FAILURE_REASONS.filter(reason => needsAcknowledgement('resurrect', [reason]));
  expect(needing).toEqual(['Timeout', 'Zombie']);
  expect(needsAcknowledgement('resurrect', ['FatalError', 'Cancelled', 'Zombie'])).toBe(true);
  expect(needsAcknowledgement('resurrect', [])).toBe(false);
  expect(needsAcknowledgement('purge', [...FAILURE_REASONS])).toBe(false);
});

test('I3 · A preview holds for its own action until it expires', () => {
  const preview = { action: 'purge', expiresAt: 1_000 } as const;
  expect(staleness(preview, 'purge', 999)).toBeNull();
  expect(staleness(preview, 'purge', 1_000)).toContain('expired');
  expect(staleness(preview, 'resurrect', 0)).toContain('purge');
});
