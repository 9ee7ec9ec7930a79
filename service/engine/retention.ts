// Owns forgetting: finished and dead jobs, buckets and audit rows that are older than their limit go by themselves.
import type { Log } from '../log.ts';
import type { RetentionLimits, Store } from '../ports/store.ts';
import { Loop } from './loop.ts';

const REST_MS = 60_000;
/** A breath between two full batches, so that a large clean-up never holds up the work. */
const BREATH_MS = 100;

export class Retention {
  readonly loop: Loop;
  readonly #store: Store;
  readonly #limits: RetentionLimits;
  readonly #log: Log;

  constructor(store: Store, limits: RetentionLimits, log: Log) {
    this.#store = store;
    this.#limits = limits;
    this.#log = log;
    this.loop = new Loop('retention', () => this.step(), log);
  }

  /** One batch of each kind; answers how long to rest. */
  async step(): Promise<number> {
    const removed = await this.#store.jobs.retain(this.#limits);
    if (removed > 0) this.#log.event('retained', { removed });
    return removed >= this.#limits.batch ? BREATH_MS : REST_MS;
  }
}
