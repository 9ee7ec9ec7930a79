// Owns the connections to handlers: one pool per origin, opened through the target guard, each carrying one call at a time.
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { Lookup, TargetGuard } from './target.ts';

export interface ConnectionOptions {
  readonly guard: TargetGuard;
  readonly lookup: Lookup;
  /** DNS, TCP and TLS together. */
  readonly connectTimeoutMs: number;
}

/** An idle connection lives at most 4 s, or 2 s less than the server's own hint, so that reuse does not race the server's close. */
const IDLE_MS = 4_000;
const HINT_MARGIN_MS = 2_000;

/** A client of undici is one connection: it opens with the first call and again if it was lost before the next. */
interface Connection {
  readonly client: Client;
  isConnected: boolean;
}

export class Connections {
  readonly #pools = new Map<string, Pool>();
  readonly #connect: buildConnector.connector;

  constructor(options: ConnectionOptions) {
    this.#connect = guardedConnector(options);
  }

  /** Sends at once, on an idle connection or a new one: the engine bounds the calls, and a started job never waits in here. */
  dispatch(origin: string, request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    let pool = this.#pools.get(origin);
    if (!pool) {
      pool = new Pool(origin, this.#connect, () => this.#pools.delete(origin));
      this.#pools.set(origin, pool);
    }
    pool.dispatch(request, handler);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map(pool => pool.destroy()));
  }
}

/** undici's own pool looks for a free connection from the first to the last; this one takes the one used last, at any size. */
class Pool {
  readonly #origin: string;
  readonly #connect: buildConnector.connector;
  readonly #onEmpty: () => void;
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];

  constructor(origin: string, connect: buildConnector.connector, onEmpty: () => void) {
    this.#origin = origin;
    this.#connect = connect;
    this.#onEmpty = onEmpty;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const { client } = this.#idle.pop() ?? this.#open();
    client.dispatch(request, handler);
  }

  async destroy(): Promise<void> {
    await Promise.all([...this.#connections].map(({ client }) => client.destroy()));
  }

  #open(): Connection {
    const client = new Client(this.#origin, {
      connect: this.#connect,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      keepAliveTimeoutThreshold: HINT_MARGIN_MS,
    });
    const connection: Connection = { client, isConnected: false };
    this.#connections.add(connection);
    client.on('connect', () => this.#connected(connection));
    client.on('drain', () => this.#released(connection));
    client.on('disconnect', () => this.#disconnected(connection));
    return connection;
  }

  #connected(connection: Connection): void {
    connection.isConnected = true;
  }

  /** Its call is over, however it ended. */
  #released(connection: Connection): void {
    if (connection.isConnected) this.#idle.push(connection);
    else this.#drop(connection);
  }

  /** A connection that is lost while it has a call is either about to be released, or opens again for a call not yet sent. */
  #disconnected(connection: Connection): void {
    connection.isConnected = false;
    const at = this.#idle.indexOf(connection);
    if (at === -1) return;
    this.#idle.splice(at, 1);
    this.#drop(connection);
  }

  #drop(connection: Connection): void {
    if (!this.#connections.delete(connection)) return;
    void connection.client.destroy();
    if (this.#connections.size === 0) this.#onEmpty();
  }
}

function guardedConnector({ guard, lookup, connectTimeoutMs }: ConnectionOptions): buildConnector.connector {
  const options = { timeout: connectTimeoutMs, lookup: guard.guard(lookup), allowH2: false };
  const open = buildConnector(options as buildConnector.BuildOptions);
  return (target, callback) => {
    open(target, (error, socket) => {
      if (error) return callback(error, null);
      // Literals never reach `lookup`; what counts is where the socket ended up, and no byte of the call has been sent yet.
      const refusal = guard.refuseAddress(target.hostname, socket.remoteAddress ?? 'unknown');
      if (refusal === null) return callback(null, socket);
      socket.destroy();
      callback(new Error(refusal), null);
    });
  };
}
