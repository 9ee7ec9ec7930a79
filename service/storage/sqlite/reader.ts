// Owns the reading of one ordered stream of rows, step by step.
import type { Cursor, JobFilter } from '../../ports/store.ts';
import type { JobTable } from '../rows.ts';
import { boundsOf, type Stream } from '../streams.ts';
import type { Session } from './session.ts';
import { UP_TO, type Value } from './statements.ts';

/** A row that was looked at, whether it matches or not. */
interface Examined {
  readonly seq: number;
  readonly cursor: Cursor;
  readonly matches: boolean;
}

export interface Start {
  readonly after: Cursor | null;
  readonly step: number;
}

/** One stream, read in steps of so many rows. */
export class Reader {
  readonly table: JobTable;
  readonly #session: Session;
  readonly #sql: string;
  readonly #values: readonly Value[];
  readonly #step: number;
  #rows: readonly Examined[];
  #at = 0;

  constructor(session: Session, stream: Stream<number>, filter: JobFilter, start: Start) {
    const { sql, values } = stepOf(stream, filter);
    this.table = stream.table;
    this.#session = session;
    this.#sql = sql;
    this.#values = values;
    this.#step = start.step;
    this.#rows = this.#read(start.after);
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
function stepOf(stream: Stream<number>, filter: JobFilter): { sql: string; values: readonly Value[] } {
  const { table, index, at, residue } = stream;
  const bounds = [...boundsOf(stream, filter), { sql: `${at} <= ? AND (${at} < ? OR id < ?)`, values: [] }];
  const matches = residue.length === 0 ? '1' : `(${residue.map(({ sql }) => sql).join(' AND ')})`;
  return {
    sql: `SELECT seq, ${at}, id, ${matches} FROM jobs_${table} INDEXED BY ${index}
      WHERE ${bounds.map(({ sql }) => sql).join(' AND ')} ORDER BY ${at} DESC, id DESC ${UP_TO}`,
    values: [...residue, ...bounds].flatMap(({ values }) => values),
  };
}
