// Owns the reading of what a job or a handler says about its attempts: count, time limit, waits and age.
import { LIMITS } from '../domain/job.ts';
import type { AttemptOverrides, RetryPolicy } from '../domain/retry.ts';
import type { Faults } from './faults.ts';
import { type Range, readDuration } from './values.ts';

const DAY_MS = 86_400_000;
const TIMEOUT: Range = { min: LIMITS.timeoutMinMs, max: LIMITS.timeoutMaxMs };
const SHORT_WAIT: Range = { min: 0, max: DAY_MS };
const LONGEST_WAIT: Range = { min: 1_000, max: 30 * DAY_MS };
const AGE: Range = { min: 1_000, max: LIMITS.delayMs };

/** As people send it: durations are texts. */
export interface RetryDraft {
  readonly base?: string;
  readonly factor?: number;
  readonly max?: string;
  readonly jitter?: string;
  /** null = no limit. */
  readonly maxAge?: string | null;
}

export interface AttemptLimitsDraft {
  readonly maxAttempts?: number;
  readonly timeout?: string;
  readonly retry?: RetryDraft;
  readonly retryOnTimeout?: boolean;
  readonly retryOnZombie?: boolean;
}

/** Only what is set; `at` is the pointer to what holds the draft. */
export function readAttemptLimits(draft: AttemptLimitsDraft, at: string, faults: Faults): AttemptOverrides {
  const { maxAttempts, retryOnTimeout, retryOnZombie } = draft;
  const timeoutMs = readDuration(draft.timeout, TIMEOUT, `${at}/timeout`, faults);
  const retry = draft.retry && readRetry(draft.retry, `${at}/retry`, faults);
  return {
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(retry && Object.keys(retry).length > 0 && { retry }),
    ...(retryOnTimeout !== undefined && { retryOnTimeout }),
    ...(retryOnZombie !== undefined && { retryOnZombie }),
  };
}

function readRetry(draft: RetryDraft, at: string, faults: Faults): Partial<RetryPolicy> {
  const baseMs = readDuration(draft.base, SHORT_WAIT, `${at}/base`, faults);
  const maxMs = readDuration(draft.max, LONGEST_WAIT, `${at}/max`, faults);
  if (baseMs !== undefined && maxMs !== undefined && baseMs > maxMs)
    faults.add(`${at}/base`, 'must not be longer than max, which no wait may pass');
  const jitterMs = readDuration(draft.jitter, SHORT_WAIT, `${at}/jitter`, faults);
  const maxAgeMs = draft.maxAge === null ? null : readDuration(draft.maxAge, AGE, `${at}/maxAge`, faults);
  return {
    ...(baseMs !== undefined && { baseMs }),
    ...(draft.factor !== undefined && { factor: draft.factor }),
    ...(maxMs !== undefined && { maxMs }),
    ...(jitterMs !== undefined && { jitterMs }),
    ...(maxAgeMs !== undefined && { maxAgeMs }),
  };
}
