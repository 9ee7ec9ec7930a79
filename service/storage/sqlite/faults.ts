// Owns what SQLite's error codes mean for whoever waits: try again, come back later, or a bug.
import type { FaultKind } from '../retry.ts';
import { MEMORY_LOST, THREAD_CLOSED, THREAD_LOST, ThreadFault } from './protocol.ts';

/** Another process holds the lock, or the thread must be started anew. */
const PASSING = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL', 'SQLITE_IOERR', 'SQLITE_CANTOPEN', THREAD_LOST];
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

export function classify(error: unknown): FaultKind {
  if (!(error instanceof ThreadFault) || error.code === null) return 'bug';
  if (isOneOf(PASSING, error.code)) return 'passing';
  return isOneOf(LASTING, error.code) ? 'lasting' : 'bug';
}

/** Codes come with endings: `SQLITE_BUSY_SNAPSHOT` is a `SQLITE_BUSY`. */
function isOneOf(codes: readonly string[], code: string): boolean {
  return codes.some(known => code === known || code.startsWith(`${known}_`));
}
