// Owns list cursors on the wire: opaque texts that hold the last row's ordering instant and id, and nothing else.
import { DomainError } from '../domain/errors.ts';
import type { Cursor, PageRequest } from '../ports/store.ts';

type Order = PageRequest['order'] | 'audited';

const SHAPE = /^(created|failed|audited) (\d{1,15}) ([A-Za-z0-9_:-]{1,50})$/;

export function writeCursor(order: Order, cursor: Cursor | null): string | null {
  return cursor && Buffer.from(`${order} ${cursor.at} ${cursor.id}`).toString('base64url');
}

/** A cursor of another list, or garbage, is refused rather than guessed at. */
export function readCursor(order: Order, text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  const [, of, at, id] = SHAPE.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? [];
  if (of === order && id !== undefined) return { at: Number(at), id };
  throw new DomainError('malformed-request', 'Take the cursor from nextCursor of the page before, for the same list.', [
    { detail: 'is not a cursor of this list', parameter: 'cursor' },
  ]);
}
