// Owns how a service begins to listen: at once when its database is there, else as one that waits for it and says so.
import type { RequestListener, Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createHttpServer } from './api/server.ts';
import { createWaitingApp } from './api/waiting.ts';
import type { Config } from './config.ts';
import { DomainError } from './domain/errors.ts';
import type { Log } from './log.ts';
import { listen } from './running-service.ts';
import { whyAway } from './storage/open.ts';

const TRY_EVERY_MS = 1_000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

export class Front {
  readonly server: Server;
  readonly #log: Log;
  #app: RequestListener;
  #why = '';

  constructor(log: Log) {
    this.#log = log;
    this.#app = createWaitingApp(() => this.#why);
    this.server = createHttpServer((req, res) => this.#app(req, res));
  }

  /** From now on this application answers. */
  open(app: RequestListener): void {
    this.#app = app;
  }

  /** Tries until the database is there; whatever else is wrong rejects, as if nothing had been waited for. */
  async untilThere<T>(place: Pick<Config, 'host' | 'port'>, attempt: () => Promise<T>): Promise<T> {
    for (const signal of SIGNALS) process.on(signal, this.#leave);
    try {
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          await this.#wait(error, place);
        }
      }
    } finally {
      for (const signal of SIGNALS) process.off(signal, this.#leave);
    }
  }

  async #wait(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): Promise<void> {
    if (!(error instanceof DomainError) || error.code !== 'storage-unavailable') throw error;
    const why = whyAway(error);
    const isNew = why !== this.#why;
    this.#why = why;
    const url = await listen(this.server, host, port);
    if (isNew) this.#log.event('storageAwaited', { url, why, err: error });
    await pause(TRY_EVERY_MS);
  }

  /** Nothing was begun that would have to be wound down. */
  readonly #leave = (signal: NodeJS.Signals): void => {
    this.#log.event('shutdownStarted', { signal });
    this.#log.event('shutdownFinished');
    process.exit(0);
  };
}
