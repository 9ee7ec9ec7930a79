// Owns lists: the streams of a filter merged newest first, a bounded number of rows examined per page.
import type { Cursor, JobFilter, PageRequest } from '../../ports/store.ts';
import { type JobTable, READ_ROW, type RowValues } from './get.ts';
import type { Parcel } from './parcel.ts';
import type { Session } from './session.ts';
import { UP_TO, type Value } from './statements.ts';
import { type Stream, streamsFor } from './streams.ts';

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
  const readers = streamsFor(filter, page.order, session.now).map(stream => new Reader(session, stream, filter, page));
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

interface Examined {
  readonly seq: number;
  readonly cursor: Cursor;
  readonly matches: boolean;
}

/** One stream, read in steps; a step that may hold rows that do not match is a large one. */
class Reader {
  readonly table: JobTable;
  readonly #session: Session;
  readonly #sql: string;
  readonly #values: readonly Value[];
  readonly #step: number;
  #rows: readonly Examined[];
  #at = 0;

  constructor(session: Session, stream: Stream, filter: JobFilter, page: PageRequest) {
    const { sql, values } = stepOf(stream, filter);
    this.table = stream.table;
    this.#session = session;
    this.#sql = sql;
    this.#values = values;
    this.#step = stream.residue.length === 0 ? page.limit + 1 : ROWS_PER_STEP;
    this.#rows = this.#read(page.after);
  }

  get head(): Examined | undefined {
    return this.#rows[this.#at];
  }

  take(): Examined {
    const row = this.head;
    if (row === undefined) throw new Error('an exhausted stream was asked for a row');
    this.#at += 1;
    if (this.#at === this.#step) {
      this.#rows = this.#read(row.cursor);
      this.#at = 0;
    }
    return row;
  }

  #read(after: Cursor | null): readonly Examined[] {
    const { at, id } = after ?? { at: Number.MAX_SAFE_INTEGER, id: '' };
    return this.#session
      .rows<[number, number, string, number]>(this.#sql, ...this.#values, at, at, id, this.#step)
      .map(([seq, rowAt, rowId, matches]) => ({ seq, cursor: { at: rowAt, id: rowId }, matches: matches === 1 }));
  }
}

/** Bound in this order: residue, range, the filter's time range, cursor, step. */
function stepOf(stream: Stream, filter: JobFilter): { sql: string; values: readonly Value[] } {
  const { table, index, at, range, residue } = stream;
  const [after, before] =
    at === 'failed_at' ? [filter.failedAfter, filter.failedBefore] : [filter.createdAfter, filter.createdBefore];
  const bounds = [
    ...range,
    ...(after === undefined ? [] : [{ sql: `${at} >= ?`, values: [after] }]),
    ...(before === undefined ? [] : [{ sql: `${at} < ?`, values: [before] }]),
    { sql: `${at} <= ? AND (${at} < ? OR id < ?)`, values: [] },
  ];
  const matches = residue.length === 0 ? '1' : `(${residue.map(({ sql }) => sql).join(' AND ')})`;
  return {
    sql: `SELECT seq, ${at}, id, ${matches} FROM jobs_${table} INDEXED BY ${index}
      WHERE ${bounds.map(({ sql }) => sql).join(' AND ')} ORDER BY ${at} DESC, id DESC ${UP_TO}`,
    values: [...residue, ...bounds].flatMap(({ values }) => values),
  };
}
