// Owns how soon a running call learns that an operator has cancelled it through another node, however seldom this one claims.
import type { Log } from '../log.ts';
import { Loop } from './loop.ts';
import type { Worker } from './worker.ts';

/** A call is to be aborted within 2 s of the wish; the rest is for the look itself. */
export const LOOK_EVERY_MS = 1_500;

export class CancelWatch {
  readonly loop: Loop;
  readonly #worker: Pick<Worker, 'active' | 'sinceLookMs' | 'heed'>;

  constructor({ worker, log }: { worker: Pick<Worker, 'active' | 'sinceLookMs' | 'heed'>; log: Log }) {
    this.#worker = worker;
    this.loop = new Loop('cancel', () => this.step(), log);
  }

  /** Looks unless nothing runs or a claim has just told; answers how long to rest. */
  async step(): Promise<number> {
    const restMs = LOOK_EVERY_MS - this.#worker.sinceLookMs();
    if (restMs > 0) return restMs;
    if (this.#worker.active > 0) await this.#worker.heed();
    return LOOK_EVERY_MS;
  }
}
