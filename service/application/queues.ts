// Owns the verbs of queues: list and read.
import { DomainError } from '../domain/errors.ts';
import type { Queue } from '../domain/queue.ts';
import type { QueueStore } from '../ports/store.ts';

export class Queues {
  readonly #store: QueueStore;

  constructor(store: QueueStore) {
    this.#store = store;
  }

  list(): Promise<readonly Queue[]> {
    return this.#store.list();
  }

  async get(name: string): Promise<Queue> {
    const queue = await this.#store.get(name);
    if (queue === null) {
      throw new DomainError('not-found', `There is no queue ${name}. A queue exists from the first job that names it.`);
    }
    return queue;
  }
}
