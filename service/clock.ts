// Owns the one clock for stores that run on this machine: its time plus an offset that is 0 in production and that tests move.
import type { Clock } from './ports/store.ts';

export class MachineClock implements Clock {
  #offsetMs = 0;

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Moves this clock forward (or back) by `ms`; only tests do. */
  advance(ms: number): void {
    this.#offsetMs += ms;
  }
}
