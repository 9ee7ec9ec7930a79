// Owns what a transaction that is tried again knows of its earlier tries: one of them may have been committed, and only its answer lost.

/** Its rule: what is found as the call would have left it, changed at the time of such a try, was done by the call itself. */
export class Replay {
  readonly #tried: ReadonlySet<number>;
  readonly #recognised = new Set<string>();

  /** The times of the tries of which nobody knows whether they were committed; empty for nearly all transactions. */
  constructor(tried: readonly number[]) {
    this.#tried = new Set(tried);
  }

  get times(): readonly number[] {
    return [...this.#tried];
  }

  get isPossible(): boolean {
    return this.#tried.size > 0;
  }

  /** Whether a row that was changed at this time may have been changed by this transaction. */
  isOwn(at: number | null): boolean {
    return at !== null && this.#tried.has(at);
  }

  /** Whether nothing else of this transaction has been recognised in that job: two calls do not both make one move. */
  isFirstOf(jobId: string): boolean {
    if (this.#recognised.has(jobId)) return false;
    this.#recognised.add(jobId);
    return true;
  }
}
