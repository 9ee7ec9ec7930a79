// Owns the named calls about queues, about handlers, and about the circuits of handlers.
import { Listing } from '../listing.ts';
import type { CallOptions, Wire } from '../wire.ts';
import type { Query, Schemas, Told } from './shapes.ts';

export class QueueCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(options: CallOptions = {}): Listing<Schemas['Queue']> {
    return new Listing(() => this.#wire.call(options, api => api.GET('/queues')));
  }

  get(name: string, options: CallOptions = {}): Promise<Schemas['Queue']> {
    return this.#wire.call(options, api => api.GET('/queues/{name}', { params: { path: { name } } }));
  }

  configure(name: string, patch: Schemas['QueuePatch'], options: CallOptions = {}): Promise<Schemas['StoppedQueue']> {
    const nature = { ...options, isSafe: true };
    return this.#wire.call(nature, api => api.PATCH('/queues/{name}', { params: { path: { name } }, body: patch }));
  }

  /** Of an empty queue. */
  remove(name: string, options: CallOptions = {}): Promise<void> {
    return this.#wire.call(options, api => api.DELETE('/queues/{name}', { params: { path: { name } } }));
  }

  /** Resolves once nothing more can start. */
  pause(name: string, options: CallOptions = {}): Promise<Schemas['StoppedQueue']> {
    const nature = { ...options, isSafe: true };
    return this.#wire.call(nature, api => api.POST('/queues/{name}/pause', { params: { path: { name } } }));
  }

  resume(name: string, options: CallOptions = {}): Promise<Schemas['Queue']> {
    const nature = { ...options, isSafe: true };
    return this.#wire.call(nature, api => api.POST('/queues/{name}/resume', { params: { path: { name } } }));
  }
}

export class HandlerCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(options: CallOptions = {}): Listing<Schemas['Handler']> {
    return new Listing(() => this.#wire.call(options, api => api.GET('/handlers') as Told<Schemas['HandlerPage']>));
  }

  get(type: string, options: CallOptions = {}): Promise<Schemas['Handler']> {
    return this.#wire.call(
      options,
      api => api.GET('/handlers/{type}', { params: { path: { type } } }) as Told<Schemas['Handler']>,
    );
  }

  /** Registers or replaces; the secret is in the answer only when this call set it. */
  put(
    type: string,
    handler: Schemas['NewHandler'],
    query: Query<'putHandler'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['RegisteredHandler']> {
    const params = { path: { type }, query };
    return this.#wire.call(
      options,
      api => api.PUT('/handlers/{type}', { params, body: handler }) as Told<Schemas['RegisteredHandler']>,
    );
  }

  /** With `force`, answers the operation that ends what waited for it, when that goes on behind the answer. */
  remove(
    type: string,
    query: Query<'removeHandler'> = {},
    options: CallOptions = {},
  ): Promise<Schemas['Operation'] | undefined> {
    return this.#wire.call(options, api => api.DELETE('/handlers/{type}', { params: { path: { type }, query } }));
  }

  /** Sends a signed ping and tells what came back. */
  test(type: string, options: CallOptions = {}): Promise<Schemas['PingAnswer']> {
    return this.#wire.call(options, api => api.POST('/handlers/{type}/test', { params: { path: { type } } }));
  }
}

export class CircuitCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(options: CallOptions = {}): Listing<Schemas['Circuit']> {
    return new Listing(() => this.#wire.call(options, api => api.GET('/circuits') as Told<Schemas['CircuitPage']>));
  }

  /** Holds it open until it is reset: jobs of the handler wait. */
  open(type: string, options: CallOptions = {}): Promise<Schemas['Circuit']> {
    const nature = { ...options, isSafe: true };
    return this.#wire.call(nature, api => api.POST('/circuits/{type}/open', { params: { path: { type } } }));
  }

  /** Closes it at once. */
  reset(type: string, options: CallOptions = {}): Promise<Schemas['Circuit']> {
    const nature = { ...options, isSafe: true };
    return this.#wire.call(nature, api => api.POST('/circuits/{type}/reset', { params: { path: { type } } }));
  }
}
