// Owns how storage faults are met: three more tries for those that pass by themselves, a refusal for those that do not.
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../domain/errors.ts';

/** `passing`: trying again may help. `lasting`: storage is away, and stays so for now. `bug`: anything else; shown as it is. */
export type FaultKind = 'passing' | 'lasting' | 'bug';

/** A fault that is tried again: a lock of another process, a lost thread, or a file that could not be read or opened. */
export type RetryKind =
  | 'busy'
  | 'locked'
  | 'deadlock'
  | 'timeout'
  | 'connection'
  | 'protocol'
  | 'io'
  | 'open'
  | 'thread';

/** Waits before the second, third and fourth try, in milliseconds, each plus a jitter. */
const WAITS_MS = [200, 400, 800] as const;
const JITTER_MS = 100;

export interface RetryRule {
  classify(error: unknown): FaultKind;
  /** Whether the attempt may have been committed all the same; absent: nobody knows. */
  isOpen?(error: unknown): boolean;
  /** Told of each fault that is tried again, and of the one that ended the tries. */
  onFault?(error: unknown, again: boolean): void;
  /** Uniform in [0, 1). */
  random?(): number;
  wait?(ms: number): Promise<unknown>;
}

/** Runs `attempt` up to four times; what stays away rejects with `storage-unavailable`, a bug with itself at once. */
export async function withRetries<T>(rule: RetryRule, attempt: () => Promise<T>): Promise<T> {
  const { random = Math.random, wait = sleep } = rule;
  let isOpen = false;
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      const kind = error instanceof DomainError ? 'bug' : rule.classify(error);
      if (kind === 'bug') throw error;
      isOpen ||= rule.isOpen?.(error) ?? true;
      const waitMs = kind === 'passing' ? WAITS_MS[failures] : undefined;
      rule.onFault?.(error, waitMs !== undefined);
      if (waitMs === undefined) throw unavailable(error, isOpen);
      await wait(waitMs + random() * JITTER_MS);
    }
  }
}

export function unavailable(cause: unknown, isOpen: boolean): DomainError {
  const outcome = isOpen
    ? 'Whether it did what it was asked last is unknown: look before you repeat it, or send the same job id again'
    : 'What it was asked last was not done: try again in a few seconds';
  return new DomainError('storage-unavailable', `The storage does not answer. ${outcome}.`, [], cause);
}
