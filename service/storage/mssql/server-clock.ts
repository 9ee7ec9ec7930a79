// Owns the clock of a database server as a node knows it: this machine's time, corrected by what the server last said.
import type { Clock } from '../../ports/store.ts';

export class ServerClock implements Clock {
  #offsetMs = 0;
  #skewMs = 0;

  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Added by the server to its own time; 0 in production, moved by tests. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /** The server has just said what time it is, skew included; epoch ms. */
  learn(serverNow: number): void {
    this.#offsetMs = serverNow - Date.now();
  }

  /** Moves the time of the database, as this handle sees it, by `ms`; only tests do. */
  advance(ms: number): void {
    this.#skewMs += ms;
    this.#offsetMs += ms;
  }
}
