// Owns how changes of API keys reach this node, and how counted refusals reach the audit log: once a second, by themselves.
import type { Log } from '../log.ts';
import { Loop } from './loop.ts';

const REST_MS = 1_000;

/** What wants to be refreshed about once a second. */
export interface Refreshed {
  refresh(): Promise<void>;
}

export class AccessWatch {
  readonly loop: Loop;
  readonly #refreshed: readonly Refreshed[];

  constructor(refreshed: readonly Refreshed[], log: Log) {
    this.#refreshed = refreshed;
    this.loop = new Loop('access', () => this.step(), log);
  }

  /** What was counted since the last step is written down. */
  async end(): Promise<void> {
    await this.loop.stop();
    await this.step().catch(() => undefined);
  }

  async step(): Promise<number> {
    await Promise.all(this.#refreshed.map(one => one.refresh()));
    return REST_MS;
  }
}
