// Owns the life of one running service: listening, the signals that end it, and winding down in the right order.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Access } from './access.ts';
import type { Config } from './config.ts';
import type { Engine } from './engine/engine.ts';
import type { Log } from './log.ts';
import type { Delivery } from './ports/delivery.ts';
import type { Store } from './ports/store.ts';
import { flushSpans } from './tracing/traced.ts';

interface ServiceParts {
  readonly config: Config;
  readonly log: Log;
  readonly server: Server;
  readonly engine: Engine;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly access: Access;
  /** Aborted as soon as winding down begins. */
  readonly stopping: AbortController;
}

/** SIGHUP: the terminal was closed. It may come twice, from the shell and from the kernel. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const CLOSING_MS = 2_000;

export class RunningService {
  readonly #parts: ServiceParts;
  #url = '';
  #stopped: Promise<void> | undefined;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** Where it listens, e.g. `http://127.0.0.1:8080`. */
  get url(): string {
    return this.#url;
  }

  /** Listens first, so that a port in use is found out before any work is claimed. */
  async start(): Promise<void> {
    const { config, log, server, engine, store, delivery, access } = this.#parts;
    try {
      this.#url = await listen(server, config.host, config.port);
    } catch (error) {
      await Promise.all([delivery.close(), store.close()]);
      throw error;
    }
    access.watch.start();
    await engine.start();
    log.event('serviceListening', { url: this.#url });
    if (!access.keys.isRequired)
      log.event(access.loopbackOnly ? 'loopbackMode' : 'anonymousMode', { host: config.host });
  }

  /** The first signal winds down and ends the process with 0, the second one ends it at once unless it is SIGHUP. */
  stopOnSignals(): void {
    for (const signal of SIGNALS) process.on(signal, () => this.#onSignal(signal));
  }

  /** Winds down within the configured grace; later calls wait for the first. */
  stop(): Promise<void> {
    this.#stopped ??= this.#windDown();
    return this.#stopped;
  }

  #onSignal(signal: NodeJS.Signals): void {
    const { log } = this.#parts;
    if (this.#stopped && signal === 'SIGHUP') return;
    if (this.#stopped) {
      log.event('shutdownForced', { signal });
      process.exit(1);
    }
    log.event('shutdownStarted', { signal });
    this.stop().then(
      () => process.exit(0),
      error => {
        log.event('shutdownFailed', { err: error });
        process.exit(1);
      },
    );
  }

  async #windDown(): Promise<void> {
    const { config, log, server, engine, store, delivery, access, stopping } = this.#parts;
    stopping.abort();
    await pause(config.shutdownDelayMs);
    await engine.stop(config.shutdownGraceMs);
    await closed(server);
    await Promise.race([access.watch.end(), pause(CLOSING_MS, undefined, { ref: false })]);
    await delivery.close();
    await Promise.race([flushSpans().catch(() => undefined), pause(CLOSING_MS, undefined, { ref: false })]);
    await Promise.race([store.close(), pause(CLOSING_MS, undefined, { ref: false })]);
    log.event('shutdownFinished');
  }
}

/** Why nothing can listen there; the message tells what to do. */
class ListenRefusal extends Error {
  override readonly name = 'ListenRefusal';
  readonly code = 'listen-refused';

  constructor({ message }: Error) {
    super(`${message}. Set CHOKAQ_HOST to an address of this machine and CHOKAQ_PORT to a free port; 0 takes any.`);
  }
}

/** Answers where it listens, also when it does already. */
export function listen(server: Server, host: string, port: number): Promise<string> {
  if (server.listening) return Promise.resolve(urlOf(server));
  return new Promise((resolve, reject) => {
    const refuse = (cause: Error) => reject(new ListenRefusal(cause));
    server.once('error', refuse);
    server.listen({ host, port }, () => {
      server.off('error', refuse);
      resolve(urlOf(server));
    });
  });
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Requests under way may end; connections that keep quiet are closed. */
async function closed(server: Server): Promise<void> {
  const done = new Promise(resolve => server.close(resolve));
  server.closeIdleConnections();
  await Promise.race([done, pause(CLOSING_MS, undefined, { ref: false })]);
  server.closeAllConnections();
}
