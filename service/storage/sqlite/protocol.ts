// Owns what the two sides of a storage thread say to each other.
import { DomainError, type Fault, type RefusalCode } from '../../domain/errors.ts';
import type { Block } from './parcel.ts';

/** How a thread starts. A reader never writes and expects a migrated database. */
export interface ThreadStart {
  readonly path: string;
  readonly mode: 'write' | 'read';
  readonly capacity: number | null;
  /** Whether a writer brings the schema up to date, or only looks whether it is. */
  readonly migrates: boolean;
}

/** One verb with its input; `parts` says how many byte strings of the message's block are its own. */
export interface Call {
  readonly verb: string;
  readonly input: unknown;
  readonly parts: number;
}

export interface Request {
  readonly id: number;
  /** The database's time for everything this request does, epoch ms. */
  readonly now: number;
  /** The times of earlier tries of the same calls of which nobody knows whether they were committed. */
  readonly tried: readonly number[];
  readonly calls: readonly Call[];
  readonly block: Block;
}

export type Answer = { readonly body: unknown; readonly parts: number } | { readonly refusal: SentRefusal };

export type Response =
  | { readonly id: number; readonly answers: readonly Answer[]; readonly block: Block }
  | { readonly id: number; readonly fault: SentFault };

/** The first thing a thread says: it has opened its database, or why it could not. */
export type Greeting = { readonly applied: readonly string[] } | { readonly fault: SentFault };

export const CLOSE = 'close';

/** The thread went away with the request: it may have been committed or not. */
export const THREAD_LOST = 'THREAD_LOST';
/** Nothing may be asked any more. */
export const THREAD_CLOSED = 'THREAD_CLOSED';
/** A memory database went away with its thread, for good. */
export const MEMORY_LOST = 'MEMORY_LOST';

/** Errors lose their class and code on the way, so they are sent as what they are made of. */
export interface SentFault {
  readonly name: string;
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
}

export interface SentRefusal {
  readonly code: RefusalCode;
  readonly detail: string;
  readonly faults: readonly Fault[];
}

export function sendFault(error: unknown): SentFault {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), code: null, stack: null };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  return { name: error.name, message: error.message, code, stack: error.stack ?? null };
}

/** An error that arose in a storage thread; `code` is SQLite's where it has one. */
export class ThreadFault extends Error {
  override readonly name = 'ThreadFault';
  readonly code: string | null;

  constructor({ message, code, stack }: SentFault) {
    super(message);
    this.code = code;
    if (stack !== null) this.stack = stack;
  }
}

export function sendRefusal({ code, message, faults }: DomainError): SentRefusal {
  return { code, detail: message, faults };
}

export function receiveRefusal({ code, detail, faults }: SentRefusal): DomainError {
  return new DomainError(code, detail, faults);
}
