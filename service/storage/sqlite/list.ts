// Owns lists: the streams of a filter merged newest first, a bounded number of rows examined per page.
import type { Cursor, JobFilter, PageRequest } from '../../ports/store.ts';
import type { JobTable } from '../rows.ts';
import { streamsFor } from '../streams.ts';
import { dialectAt } from './dialect.ts';
import { READ_ROW, type RowValues } from './get.ts';
import type { Parcel } from './parcel.ts';
import { Reader } from './reader.ts';
import type { Session } from './session.ts';

/** A page ends early, with a cursor to go on, when its filter has made it look at so many rows. */
const EXAMINED_PER_PAGE = 10_000;
const ROWS_PER_STEP = 1_000;

export interface ListInput {
  readonly filter: JobFilter;
  readonly page: PageRequest;
}

/** With payloads, that of the n-th row is the n-th part of the parcel. */
export interface ListAnswer {
  readonly now: number;
  readonly rows: readonly RowValues[];
  readonly next: Cursor | null;
}

interface Found {
  readonly table: JobTable;
  readonly seq: number;
  readonly cursor: Cursor;
}

export function list(session: Session, { filter, page }: ListInput): Parcel<ListAnswer> {
  const readers = streamsFor(filter, page.order, dialectAt(session.now)).map(stream => {
    const step = stream.residue.length === 0 ? page.limit + 1 : ROWS_PER_STEP;
    return new Reader(session, stream, filter, { after: page.after, step });
  });
  const { found, next } = merge(readers, page.limit);
  const parts: Uint8Array[] = [];
  const rows = found.map(({ table, seq }) => {
    const values = session.row<unknown[]>(READ_ROW[table][page.withPayload ? 'full' : 'lean'], seq) ?? [];
    const payload = values.pop();
    if (page.withPayload) parts.push(payload as Uint8Array);
    return values;
  });
  return { body: { now: session.now, rows, next }, parts };
}

function merge(readers: readonly Reader[], limit: number): { found: readonly Found[]; next: Cursor | null } {
  const found: Found[] = [];
  let last: Cursor | null = null;
  for (let examined = 0; ; examined++) {
    const newest = newestOf(readers);
    if (newest === undefined) return { found, next: null };
    const row = newest.take();
    if (row.matches && found.length === limit) return { found, next: found.at(-1)?.cursor ?? null };
    if (examined >= EXAMINED_PER_PAGE) return { found, next: last };
    last = row.cursor;
    if (row.matches) found.push({ table: newest.table, seq: row.seq, cursor: row.cursor });
  }
}

function newestOf(readers: readonly Reader[]): Reader | undefined {
  let newest: Reader | undefined;
  for (const reader of readers)
    if (reader.head !== undefined && (newest?.head === undefined || isNewer(reader.head.cursor, newest.head.cursor)))
      newest = reader;
  return newest;
}

function isNewer(a: Cursor, b: Cursor): boolean {
  return a.at === b.at ? a.id > b.id : a.at > b.at;
}
