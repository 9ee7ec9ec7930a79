// Owns prepared statements: SQL texts are constants, prepared once per connection, run by their text.
import type Database from 'better-sqlite3';
import { kept } from './connection.ts';

export type Value = string | number | Uint8Array | null;
/** With a bare `LIMIT ?` SQLite compiles the statement anew at every run, which costs ten times the run itself. */
export const UP_TO = 'LIMIT CAST(? AS INTEGER)';

type Prepared = Database.Statement<unknown[], unknown>;

export class Statements {
  readonly #database: Database.Database;
  readonly #plain = new Map<string, Prepared>();
  readonly #raw = new Map<string, Prepared>();

  constructor(database: Database.Database) {
    this.#database = database;
  }

  /** Answers how many rows changed. */
  run(sql: string, ...values: readonly Value[]): number {
    return this.#prepared(sql).run(...values).changes;
  }

  /** The first row as an array of its values. */
  row<T extends readonly unknown[]>(sql: string, ...values: readonly Value[]): T | undefined {
    return this.#preparedRaw(sql).get(...values) as T | undefined;
  }

  /** All rows as arrays of their values: half the cost of objects. */
  rows<T extends readonly unknown[]>(sql: string, ...values: readonly Value[]): T[] {
    return this.#preparedRaw(sql).all(...values) as T[];
  }

  /** All rows as objects by column name. */
  records<T extends object>(sql: string, ...values: readonly Value[]): T[] {
    return this.#prepared(sql).all(...values) as T[];
  }

  #prepared(sql: string): Prepared {
    let statement = this.#plain.get(sql);
    if (statement === undefined) {
      statement = kept(this.#database.prepare(sql));
      this.#plain.set(sql, statement);
    }
    return statement;
  }

  #preparedRaw(sql: string): Prepared {
    let statement = this.#raw.get(sql);
    if (statement === undefined) {
      statement = kept(this.#database.prepare(sql)).raw();
      this.#raw.set(sql, statement);
    }
    return statement;
  }
}
