// Owns how changes of API keys reach this node, and how counted refusals reach the audit log: once a second, by themselves.
import type { Log } from '../log.ts';
import { Loop } from './loop.ts';

const REST_MS = 1_000;

/** What wants to be refreshed about once a second. */
export interface Refreshed {
  refresh(): Promise<void>;
}

/** Each has a loop of its own: an audit log that cannot be written must not keep a revocation from arriving. */
export class AccessWatch {
  readonly #refreshed: readonly Refreshed[];
  readonly #loops: readonly Loop[];

  constructor(refreshed: Readonly<Record<string, Refreshed>>, log: Log) {
    this.#refreshed = Object.values(refreshed);
    this.#loops = Object.entries(refreshed).map(([name, one]) => new Loop(name, () => step(one), log));
  }

  start(): void {
    for (const loop of this.#loops) loop.start();
  }

  /** What was counted since the last step is written down. */
  async end(): Promise<void> {
    await Promise.all(this.#loops.map(loop => loop.stop()));
    await Promise.allSettled(this.#refreshed.map(one => one.refresh()));
  }
}

async function step(one: Refreshed): Promise<number> {
  await one.refresh();
  return REST_MS;
}
