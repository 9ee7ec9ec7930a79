// Owns the verdicts that a handler can give by throwing; anything else that is thrown is tried again.
import { durationMs } from '../duration.ts';

/** This job can never work: it goes to the dead-letter queue at once. */
export class FatalError extends Error {
  override readonly name: string = 'FatalError';
}

/** Not now: tried again after the time given, else after the usual wait. It counts as an attempt. */
export class ThrottledError extends Error {
  override readonly name: string = 'ThrottledError';
  /** In whole seconds, at least 1; null when not given. */
  readonly retryAfterS: number | null;

  constructor(
    options: { readonly retryAfter?: string | number; readonly message?: string; readonly cause?: unknown } = {},
  ) {
    const { retryAfter, message = 'throttled', cause } = options;
    super(message, cause === undefined ? undefined : { cause });
    this.retryAfterS =
      retryAfter === undefined ? null : Math.max(1, Math.ceil(durationMs(retryAfter, 'retryAfter') / 1_000));
  }
}
