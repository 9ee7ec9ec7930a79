// Owns group commit: concurrent writes wait here and go to the database together, in order, in one transaction.
import { DomainError } from '../domain/errors.ts';

/** One write. Its size bounds the batch that takes it. */
export interface Write {
  readonly rows: number;
  readonly bytes: number;
}

/** What became of one operation of a committed batch; a refused one has written nothing and left the others alone. */
export type Settled<Result> = { readonly result: Result } | { readonly refusal: DomainError };

/**
 * Runs the operations in order in one transaction and answers what became of each once they are durable.
 * A rejection means that nothing of the batch was kept.
 */
export type Commit<Operation extends Write, Result> = (
  batch: readonly Operation[],
) => Promise<readonly Settled<Result>[]>;

export interface BatchLimits {
  readonly operations: number;
  readonly rows: number;
  readonly bytes: number;
}

const LIMITS: BatchLimits = { operations: 1_000, rows: 5_000, bytes: 16_000_000 };

interface Waiter<Operation, Result> {
  readonly operation: Operation;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * At most one batch is being written; the next forms meanwhile. There are no timers: an idle queue writes in the same turn
 * of the event loop, so what one turn submits (an enqueue and the claim that it wakes) shares one transaction.
 */
export class WriteQueue<Operation extends Write, Result> {
  readonly #commit: Commit<Operation, Result>;
  readonly #limits: BatchLimits;
  #waiting: Waiter<Operation, Result>[] = [];
  #isBusy = false;
  #idleWaiters: (() => void)[] = [];

  constructor(commit: Commit<Operation, Result>, limits: BatchLimits = LIMITS) {
    this.#commit = commit;
    this.#limits = limits;
  }

  submit(operation: Operation): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ operation, resolve, reject });
      if (this.#isBusy) return;
      this.#isBusy = true;
      setImmediate(() => this.#writeOn());
    });
  }

  /** Resolves when nothing waits and nothing is being written. */
  idle(): Promise<void> {
    if (!this.#isBusy) return Promise.resolve();
    return new Promise(resolve => this.#idleWaiters.push(resolve));
  }

  /** After a batch its waiters get a turn, so that what they submit at once joins the next one. */
  async #writeOn(): Promise<void> {
    await this.#write(this.#takeBatch());
    if (this.#waiting.length > 0) {
      setImmediate(() => this.#writeOn());
      return;
    }
    this.#isBusy = false;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  #takeBatch(): Waiter<Operation, Result>[] {
    let rows = 0;
    let bytes = 0;
    let size = 0;
    for (const { operation } of this.#waiting) {
      rows += operation.rows;
      bytes += operation.bytes;
      const isFull = size >= this.#limits.operations || rows > this.#limits.rows || bytes > this.#limits.bytes;
      if (isFull && size > 0) break;
      size += 1;
    }
    return this.#waiting.splice(0, size);
  }

  async #write(batch: readonly Waiter<Operation, Result>[]): Promise<void> {
    try {
      settle(batch, await this.#commit(batch.map(waiter => waiter.operation)));
    } catch (error) {
      const isStorageAway = error instanceof DomainError && error.code === 'storage-unavailable';
      if (batch.length > 1 && !isStorageAway) return this.#writeEachAlone(batch);
      for (const waiter of batch) waiter.reject(error);
    }
  }

  /** One of them broke the batch, which was rolled back whole: alone, only the guilty one fails. */
  async #writeEachAlone(batch: readonly Waiter<Operation, Result>[]): Promise<void> {
    for (const waiter of batch) await this.#write([waiter]);
  }
}

function settle<Operation, Result>(
  batch: readonly Waiter<Operation, Result>[],
  settled: readonly Settled<Result>[],
): void {
  for (const [at, waiter] of batch.entries()) {
    const end = settled[at];
    if (end === undefined) waiter.reject(new Error('the adapter lost the answer to a write'));
    else if ('refusal' in end) waiter.reject(end.refusal);
    else waiter.resolve(end.result);
  }
}
