// Owns the connections to handlers: one undici pool per origin, opened through the target guard, dropped when unused.
import { buildConnector, Pool } from 'undici';
import type { Lookup, TargetGuard } from './target.ts';

export interface ConnectionOptions {
  readonly guard: TargetGuard;
  readonly lookup: Lookup;
  /** DNS, TCP and TLS together. */
  readonly connectTimeoutMs: number;
}

/** An idle connection lives 4 s, or 2 s less than the server's own hint, so that reuse does not race the server's close. */
const IDLE_MS = 4_000;
const HINT_MARGIN_MS = 2_000;

export class Connections {
  readonly #pools = new Map<string, Pool>();
  readonly #connect: buildConnector.connector;

  constructor({ guard, lookup, connectTimeoutMs }: ConnectionOptions) {
    const open = buildConnector({
      timeout: connectTimeoutMs,
      lookup: guard.guard(lookup),
      allowH2: false,
    } as buildConnector.BuildOptions);
    this.#connect = (target, callback) => {
      open(target, (error, socket) => {
        if (error) return callback(error, null);
        // Literals never reach `lookup`; what counts is where the socket ended up, and nothing of the call has been sent yet.
        const refusal = guard.refuseAddress(target.hostname, socket.remoteAddress ?? 'unknown');
        if (refusal === null) return callback(null, socket);
        socket.destroy();
        callback(new Error(refusal), null);
      });
    };
  }

  /** No bound on connections: the engine bounds the calls, and a started job must never wait in here. */
  poolOf(origin: string): Pool {
    const known = this.#pools.get(origin);
    if (known) return known;
    const pool = new Pool(origin, {
      connect: this.#connect,
      connections: null,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: HINT_MARGIN_MS,
    });
    this.#pools.set(origin, pool);
    pool.on('disconnect', () => setImmediate(() => this.#dropUnused(origin, pool)));
    return pool;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map(pool => pool.destroy()));
  }

  #dropUnused(origin: string, pool: Pool): void {
    const { connected, size } = pool.stats;
    if (connected > 0 || size > 0 || this.#pools.get(origin) !== pool) return;
    this.#pools.delete(origin);
    void pool.close();
  }
}
