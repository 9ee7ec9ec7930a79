// Owns the note of when each handler last answered, and how: kept on this node, written down at most once a minute a handler.
import type { LastResponse } from '../domain/handler.ts';
import type { Log } from '../log.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { Store } from '../ports/store.ts';
import { Loop } from './loop.ts';

const LOOK_EVERY_MS = 1_000;
const WRITE_EVERY_MS = 60_000;

interface Parts {
  readonly store: Pick<Store, 'handlers' | 'clock'>;
  readonly log: Log;
}

export class LastResponses {
  readonly loop: Loop;
  readonly #store: Parts['store'];
  readonly #heard = new Map<string, LastResponse>();
  readonly #writtenAt = new Map<string, number>();

  constructor({ store, log }: Parts) {
    this.#store = store;
    this.loop = new Loop('responses', () => this.step(), log);
  }

  /** The same delivery, whose answers are noted. */
  of(delivery: Delivery): Delivery {
    return {
      deliver: async call => {
        const outcome = await delivery.deliver(call);
        const { responseStatus: status } = outcome;
        if (status !== null) this.#heard.set(call.handler.type, { status, at: this.#store.clock.now() });
        return outcome;
      },
      ping: handler => delivery.ping(handler),
      refusal: url => delivery.refusal(url),
      close: () => delivery.close(),
    };
  }

  async step(): Promise<number> {
    const now = performance.now();
    await this.#write(type => now - (this.#writtenAt.get(type) ?? Number.NEGATIVE_INFINITY) >= WRITE_EVERY_MS, now);
    return LOOK_EVERY_MS;
  }

  /** Writes down what is left. */
  async end(): Promise<void> {
    await this.loop.stop();
    await this.#write(() => true, performance.now());
  }

  /** Only a note: it is lost rather than tried again. */
  async #write(isDue: (type: string) => boolean, now: number): Promise<void> {
    const due = [...this.#heard].filter(([type]) => isDue(type));
    if (due.length === 0) return;
    for (const [type] of due) {
      this.#heard.delete(type);
      this.#writtenAt.set(type, now);
    }
    await this.#store.handlers.heard(Object.fromEntries(due)).catch(() => undefined);
  }
}
