// Owns what errors of SQL Server and its driver mean for whoever waits: try again, come back later, or a bug.
import type { FaultKind, RetryKind } from '../retry.ts';

/** What passes by itself: a deadlock, a lock or a request that took too long, a connection that broke, a server that is busy. */
const PASSING_NUMBERS: Readonly<Record<number, RetryKind>> = {
  1205: 'deadlock',
  1222: 'locked',
  [-2]: 'timeout',
  4060: 'open',
  10928: 'busy',
  10929: 'busy',
  40197: 'busy',
  40501: 'busy',
  40613: 'busy',
  49918: 'busy',
  49919: 'busy',
  49920: 'busy',
  51000: 'busy',
};

const PASSING_CODES: Readonly<Record<string, RetryKind>> = {
  ETIMEOUT: 'timeout',
  ESOCKET: 'connection',
  ECONNCLOSED: 'connection',
  ECONNRESET: 'connection',
  ENOCONN: 'connection',
  ENOTOPEN: 'connection',
  EINVALIDSTATE: 'connection',
  EABORT: 'connection',
  EINSTLOOKUP: 'connection',
};

/** The login was refused, or the log or the disk is full: waiting a second does not help. */
const LASTING_NUMBERS: readonly number[] = [229, 916, 1105, 9002, 18456, 18470, 18487, 18488];
const LASTING_CODES: readonly string[] = ['ELOGIN'];

const OVERTAKEN = 51000;

export function classify(error: unknown): FaultKind {
  const { number, code } = marks(error);
  if (PASSING_NUMBERS[number] !== undefined) return 'passing';
  if (LASTING_NUMBERS.includes(number) || LASTING_CODES.includes(code)) return 'lasting';
  return PASSING_CODES[code] === undefined ? 'bug' : 'passing';
}

/** What kind of fault it was that is tried again. */
export function retryKind(error: unknown): RetryKind {
  const { number, code } = marks(error);
  return PASSING_NUMBERS[number] ?? PASSING_CODES[code] ?? 'io';
}

/** Whether a transaction ended because what had been read for it had changed (`overtakenIf`). */
export function isOvertaken(error: unknown): boolean {
  return marks(error).number === OVERTAKEN;
}

function marks(error: unknown): { readonly number: number; readonly code: string } {
  if (!(error instanceof Error)) return { number: 0, code: '' };
  const number = 'number' in error && typeof error.number === 'number' ? error.number : 0;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { number, code };
}
