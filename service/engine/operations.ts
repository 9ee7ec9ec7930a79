// Owns the carrying on of bulk operations: this node's own, and those that other nodes have left behind.
import type { Log } from '../log.ts';
import { jittered, Loop } from './loop.ts';

/** What the loop asks of the operations themselves. */
export interface OperationSteps {
  /** One batch; answers whether there may be more to do at once. */
  step(): Promise<boolean>;
  /** Hands over what this node has not finished. */
  release(): Promise<void>;
}

export interface OperationLoopParts {
  readonly operations: OperationSteps;
  readonly settings: { readonly recoveryIntervalMs: number };
  readonly random: () => number;
  readonly log: Log;
}

const INTERVAL_JITTER = 0.1;

export class OperationLoop {
  readonly loop: Loop;
  readonly #parts: OperationLoopParts;

  constructor(parts: OperationLoopParts) {
    this.#parts = parts;
    this.loop = new Loop('operations', () => this.step(), parts.log);
  }

  async step(): Promise<number> {
    const { operations, settings, random } = this.#parts;
    const more = await operations.step();
    return more ? 0 : jittered(settings.recoveryIntervalMs, INTERVAL_JITTER, random());
  }

  /** Ends the batch under way and leaves the rest to other nodes. */
  async stop(): Promise<void> {
    await this.loop.stop();
    await this.#parts.operations.release().catch(() => undefined);
  }
}
