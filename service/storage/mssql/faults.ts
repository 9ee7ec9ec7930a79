// Owns what errors of SQL Server and its driver mean for whoever waits: try again, come back later, or a bug.
import { DomainError } from '../../domain/errors.ts';
import type { FaultKind, RetryKind } from '../retry.ts';

/** What passes by itself: a deadlock, a lock that took too long, a database that is being moved, a server that is busy or starting. */
const PASSING_NUMBERS: Readonly<Record<number, RetryKind>> = {
  596: 'connection',
  701: 'busy',
  976: 'open',
  983: 'open',
  1204: 'busy',
  1205: 'deadlock',
  1222: 'locked',
  3906: 'open',
  3960: 'locked',
  4060: 'open',
  6005: 'open',
  8645: 'busy',
  8651: 'busy',
  10928: 'busy',
  10929: 'busy',
  40143: 'busy',
  40197: 'busy',
  40501: 'busy',
  40540: 'busy',
  40613: 'open',
  49918: 'busy',
  49919: 'busy',
  49920: 'busy',
  51000: 'busy',
};

/** The request was sent: whether it was done before the connection broke or the time was over, nobody has said. */
const LOST_CODES: Readonly<Record<string, RetryKind>> = {
  ETIMEOUT: 'timeout',
  ECANCEL: 'timeout',
  ETIMEDOUT: 'connection',
  ECLOSE: 'connection',
  ESOCKET: 'connection',
  ECONNRESET: 'connection',
  ECONNABORTED: 'connection',
  EPIPE: 'connection',
  EHOSTUNREACH: 'connection',
  ENETUNREACH: 'connection',
  ENETRESET: 'connection',
};

/** The request was never sent: its connection was found broken, or a transaction of several requests had ended. */
const UNSENT_CODES: Readonly<Record<string, RetryKind>> = {
  EINVALIDSTATE: 'connection',
  ENOCONN: 'connection',
  EABORT: 'connection',
};

/** The login may not do that, or the log or the disk is full: waiting a second does not help. */
const LASTING_NUMBERS: readonly number[] = [229, 262, 916, 1105, 3908, 9002, 18_456];
/** Nobody is let in: by name, by token, or without encryption. */
const REFUSED_CODES: readonly string[] = ['ELOGIN', 'EFEDAUTH', 'EENCRYPT'];

/** Servers that only speak the protocol have one number for many things, so the words count too. */
const LOCK_WORDS = /lock (?:request time out|timeout)/i;
/** The only error of the pool of connections; it has neither a code nor a name of its own. */
const POOL_WORDS = /^Failed to acquire a connection from the pool: /;

const OVERTAKEN = 51_000;

interface Meaning {
  readonly kind: FaultKind;
  readonly retry: RetryKind;
}

const BUG: Meaning = { kind: 'bug', retry: 'io' };
const LASTING: Meaning = { kind: 'lasting', retry: 'io' };

export function classify(error: unknown): FaultKind {
  return meaningOf(error).kind;
}

/** What kind of fault it was that is tried again. */
export function retryKind(error: unknown): RetryKind {
  return meaningOf(error).retry;
}

/** Whether what was asked may have been committed although the answer is an error. */
export function isOpen(error: unknown): boolean {
  return isFailedRequest(error) && LOST_CODES[marksOf(error).code] !== undefined;
}

/** Whether a transaction ended because what had been read for it had changed (`overtakenIf`). */
export function isOvertaken(error: unknown): boolean {
  return marksOf(error).number === OVERTAKEN;
}

/** Why the database is away, in words that anybody may read: without names of logins, hosts or objects. */
export function whyAway(error: unknown): string {
  const cause = error instanceof DomainError ? error.cause : error;
  const { number, code } = marksOf(cause);
  return `SQL Server ${complaint(meaningOf(cause), code)} (${number === 0 ? code || 'no code' : number})`;
}

function complaint({ kind, retry }: Meaning, code: string): string {
  if (REFUSED_CODES.includes(code)) return 'does not let the service in';
  if (kind === 'bug') return 'answers with an error';
  if (kind === 'lasting') return 'cannot do its work';
  if (retry === 'timeout') return 'does not answer in time';
  return retry === 'connection' ? 'cannot be reached' : 'is busy';
}

function meaningOf(error: unknown): Meaning {
  if (!(error instanceof Error)) return BUG;
  const { number, code } = marksOf(error);
  const byNumber = PASSING_NUMBERS[number] ?? (LOCK_WORDS.test(error.message) ? 'locked' : undefined);
  if (byNumber !== undefined) return { kind: 'passing', retry: byNumber };
  if (LASTING_NUMBERS.includes(number) || REFUSED_CODES.includes(code)) return LASTING;
  if (POOL_WORDS.test(error.message)) return { kind: 'passing', retry: 'busy' };
  if (error.name === 'ConnectionError')
    return { kind: 'passing', retry: code === 'ETIMEOUT' ? 'timeout' : 'connection' };
  const byCode = LOST_CODES[code] ?? UNSENT_CODES[code];
  return byCode === undefined ? BUG : { kind: 'passing', retry: byCode };
}

/** The driver's own class for a request that reached a connection; what failed before is a `ConnectionError`. */
function isFailedRequest(error: unknown): boolean {
  return error instanceof Error && error.name === 'RequestError';
}

function marksOf(error: unknown): { readonly number: number; readonly code: string } {
  if (!(error instanceof Error)) return { number: 0, code: '' };
  const number = 'number' in error && typeof error.number === 'number' ? error.number : 0;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return { number, code };
}
