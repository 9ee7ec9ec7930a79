// Owns what SQLite's error codes mean for whoever waits: try again, come back later, or a bug.
import type { FaultKind, RetryKind } from '../retry.ts';
import { MEMORY_LOST, THREAD_CLOSED, THREAD_LOST, ThreadFault } from './protocol.ts';

/** Another process holds the lock, or the thread must be started anew. */
const PASSING = {
  SQLITE_BUSY: 'busy',
  SQLITE_LOCKED: 'locked',
  SQLITE_PROTOCOL: 'protocol',
  SQLITE_IOERR: 'io',
  SQLITE_CANTOPEN: 'open',
  [THREAD_LOST]: 'thread',
} as const satisfies Record<string, RetryKind>;
/** No room, no permission to write, or no longer a sound database: waiting a second does not help. */
const LASTING = [
  'SQLITE_FULL',
  'SQLITE_READONLY',
  'SQLITE_CORRUPT',
  'SQLITE_NOTADB',
  'SQLITE_PERM',
  MEMORY_LOST,
  THREAD_CLOSED,
];

/** The commit itself may have been reached. A thread that cannot even open its file never got so far. */
const OPEN = [THREAD_LOST, 'SQLITE_IOERR'];

/** Whether what was asked may have been committed although the answer is an error. */
export function isOpen(error: unknown): boolean {
  return error instanceof ThreadFault && error.code !== null && isOneOf(OPEN, error.code);
}

export function classify(error: unknown): FaultKind {
  if (!(error instanceof ThreadFault) || error.code === null) return 'bug';
  if (isOneOf(Object.keys(PASSING), error.code)) return 'passing';
  return isOneOf(LASTING, error.code) ? 'lasting' : 'bug';
}

/** What kind of fault it was that is tried again. */
export function retryKind(error: unknown): RetryKind {
  const code = error instanceof ThreadFault ? (error.code ?? '') : '';
  const [, kind = 'io'] = Object.entries(PASSING).find(([known]) => isOneOf([known], code)) ?? [];
  return kind;
}

/** Codes come with endings: `SQLITE_BUSY_SNAPSHOT` is a `SQLITE_BUSY`. */
function isOneOf(codes: readonly string[], code: string): boolean {
  return codes.some(known => code === known || code.startsWith(`${known}_`));
}
