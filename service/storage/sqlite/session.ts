// Owns one connection at work: the transaction around a batch, its counters, and the time that holds for it.
import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { DomainError } from '../../domain/errors.ts';
import { CircuitCopy } from './circuit-copy.ts';
import { Counters } from './counters.ts';
import { Replay } from './replay.ts';
import { Statements } from './statements.ts';

/** It recognises nothing, so it can be shared. */
const FIRST_TRY = new Replay([]);

/** All verbs of the adapter run on a session. */
export class Session extends Statements {
  readonly counters = new Counters();
  readonly circuits = new CircuitCopy(this);
  /** The most rows the three job tables may hold, or null; only memory mode has one. */
  readonly capacity: number | null;
  readonly #database: Database.Database;
  readonly #file: string;
  #now = 0;
  #replay = FIRST_TRY;

  constructor(database: Database.Database, capacity: number | null = null) {
    super(database);
    this.#database = database;
    this.#file = fileOf(database);
    this.capacity = capacity;
  }

  /** Whether the file that was opened is still where it was: SQLite would go on writing into one that was deleted. */
  get isInPlace(): boolean {
    return this.#file === fileOf(this.#database);
  }

  /** The database's time for everything in the running transaction, epoch ms. */
  get now(): number {
    return this.#now;
  }

  /** What the running transaction knows of earlier tries of itself. */
  get replay(): Replay {
    return this.#replay;
  }

  /**
   * Runs `work` in a transaction that holds the write lock from its start; any error leaves nothing behind. `tried` are the
   * times of earlier tries that may have been committed.
   */
  write<T>(now: number, work: () => T, tried: readonly number[] = []): T {
    this.#now = now;
    this.#replay = tried.length === 0 ? FIRST_TRY : new Replay(tried);
    this.run('BEGIN IMMEDIATE');
    this.circuits.distrust();
    try {
      const result = work();
      this.flush();
      this.circuits.flush(now);
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.counters.discard();
      this.circuits.discard();
      if (this.#database.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  /** Runs `work` on one unmoving view of the database. */
  read<T>(now: number, work: () => T): T {
    this.#now = now;
    this.run('BEGIN');
    try {
      return work();
    } finally {
      if (this.#database.inTransaction) this.run('COMMIT');
    }
  }

  /** Runs `work` so that its refusal takes back what it has written, and only that. */
  refusable<T>(work: () => T): T {
    this.flush();
    this.run('SAVEPOINT refusable');
    try {
      const result = work();
      this.run('RELEASE refusable');
      return result;
    } catch (error) {
      if (error instanceof DomainError) this.#takeBack();
      throw error;
    }
  }

  /** Writes the counters down, so that what follows reads them as they are. */
  flush(): void {
    this.counters.flush(this, this.#now);
  }

  close(): void {
    this.#database.close();
  }

  #takeBack(): void {
    this.run('ROLLBACK TO refusable');
    this.run('RELEASE refusable');
    this.counters.discard();
  }
}

function fileOf({ memory, name }: Database.Database): string {
  if (memory) return name;
  const found = statSync(name, { throwIfNoEntry: false });
  return found === undefined ? 'gone' : `${found.dev}/${found.ino}`;
}
