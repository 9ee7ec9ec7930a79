// Owns the proof that every failure reason tells an operator what to check first and whether requeueing is safe.
import { describe, expect, it } from 'vitest';
import { adviceFor, FAILURE_REASONS } from '#service/domain/failure.js';

describe('failure reasons', () => {
  it('are those of the contract', () => {
    expect([...FAILURE_REASONS].sort()).toEqual([
      'Cancelled',
      'FatalError',
      'HeartbeatFailure',
      'MaxRetriesExceeded',
      'RetryLifetimeExpired',
      'Throttled',
      'Timeout',
      'Zombie',
    ]);
  });

  it.each(FAILURE_REASONS)('%s has advice of its own about checking and requeueing', reason => {
    expect(adviceFor(reason).length).toBeGreaterThan(60);
    expect(adviceFor(reason)).toMatch(/check|ask|read/i);
    expect(adviceFor(reason)).toMatch(/requeu|resurrect/i);
    expect(FAILURE_REASONS.filter(other => adviceFor(other) === adviceFor(reason))).toEqual([reason]);
  });

  it.each(['Timeout', 'Zombie', 'HeartbeatFailure', 'Cancelled'] as const)('%s warns of side effects', reason => {
    expect(adviceFor(reason)).toContain('side effects');
  });
});
