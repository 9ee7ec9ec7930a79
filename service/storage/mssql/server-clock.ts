// Owns the clock of a database server as a node knows it: this machine's time, corrected by what the server last said.
import type { Clock } from '../../ports/store.ts';

export class ServerClock implements Clock {
  #offsetMs = 0;
  #skewMs = 0;

  now(): number {
    return Date.now() + this.#offsetMs + this.#skewMs;
  }

  /** Added by the server to its own time; 0 in production, moved by tests. */
  get skewMs(): number {
    return this.#skewMs;
  }

  /**
   * The server has said what time it is (epoch ms, without skew) somewhere between the sending of a request and now. What is
   * known already changes only when it cannot be right: a slow answer does not set the clock back.
   */
  learn(serverNow: number, sentAt: number): void {
    const [least, most] = [serverNow - Date.now(), serverNow - sentAt];
    this.#offsetMs = Math.min(Math.max(this.#offsetMs, least), Math.max(least, most));
  }

  /** Moves the time of the database, as this handle sees it, by `ms`; only tests do. */
  advance(ms: number): void {
    this.#skewMs += ms;
  }
}
