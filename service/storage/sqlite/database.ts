// Owns the way to one SQLite database: writes through the queue to the writer thread, reads beside them to the reader thread.
import type { Log } from '../../log.ts';
import type { Clock } from '../../ports/store.ts';
import { type RetryKind, withRetries } from '../retry.ts';
import { type Settled, type Write, WriteQueue } from '../write-queue.ts';
import { classify, isOpen, retryKind } from './faults.ts';
import { NO_PARTS, type Parcel } from './parcel.ts';
import type { Answered, Asked, Thread } from './thread.ts';
import type { AnswerOf, InputOf, Reads, Writes } from './verbs.ts';

interface Operation extends Write, Asked {}

export interface Load {
  readonly rows: number;
  readonly parts?: readonly Uint8Array[];
}

export interface StoreOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Told of every verb that is tried again. */
  readonly onRetry?: ((verb: string, kind: RetryKind) => void) | undefined;
  /** Instead of the time between two tries. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

export interface Threads {
  readonly writer: Thread;
  /** May be the writer itself: a memory database has only one connection. */
  readonly reader: Thread;
}

/** One handle. Handles on the same threads see the same database and stand for nodes of their own. */
export class Database {
  readonly #threads: Threads;
  readonly #options: StoreOptions;
  readonly #queue = new WriteQueue<Operation, Parcel<unknown>>(batch => this.#commit(batch));

  constructor(threads: Threads, options: StoreOptions) {
    this.#threads = threads;
    this.#options = options;
  }

  async write<V extends keyof Writes>(verb: V, input: InputOf<Writes[V]>, load: Load): Promise<AnswerOf<Writes[V]>> {
    const { rows, parts = NO_PARTS } = load;
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    return (await this.#queue.submit({ verb, input, parts, rows, bytes })) as AnswerOf<Writes[V]>;
  }

  async read<V extends keyof Reads>(verb: V, input: InputOf<Reads[V]>): Promise<AnswerOf<Reads[V]>> {
    const [answered] = await this.#ask(this.#threads.reader, [{ verb, input, parts: NO_PARTS }]);
    return resultOf(answered) as AnswerOf<Reads[V]>;
  }

  /** Resolves when all writes submitted so far have been answered. */
  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #commit(batch: readonly Operation[]): Promise<readonly Settled<Parcel<unknown>>[]> {
    const answered = await this.#ask(this.#threads.writer, batch);
    return answered.map(one => ('refusal' in one ? one : { result: one.parcel }));
  }

  #ask(thread: Thread, calls: readonly Asked[]): Promise<readonly Answered[]> {
    const onFault = (error: unknown, again: boolean) => this.#report(calls, error, again);
    const { wait } = this.#options;
    const tried: number[] = [];
    return withRetries({ classify, isOpen, onFault, ...(wait && { wait }) }, async () => {
      const now = this.#options.clock.now();
      try {
        return await thread.ask(now, calls, tried);
      } catch (error) {
        if (isOpen(error)) tried.push(now);
        throw error;
      }
    });
  }

  #report(calls: readonly Asked[], err: unknown, again: boolean): void {
    const { log, onRetry } = this.#options;
    const verbs = [...new Set(calls.map(({ verb }) => verb))];
    log?.event(again ? 'storageRetried' : 'storageFailed', { verbs, err });
    if (again) for (const verb of verbs) onRetry?.(verb, retryKind(err));
  }
}

function resultOf(answered: Answered | undefined): Parcel<unknown> {
  if (answered === undefined) throw new Error('the adapter lost the answer to a read');
  if ('refusal' in answered) throw answered.refusal;
  return answered.parcel;
}
