// Owns profiles: which handler takes which contract, what runs around them, and their registration with the service.
import { type AnyContract, type Contract, contractOf, type Received } from '../contract.ts';
import type { components } from '../openapi.gen.ts';
import { validated } from '../schema.ts';
import type { JobContext } from './context.ts';
import { FatalError } from './errors.ts';
import { type FetchHandler, fetchHandler } from './fetch-handler.ts';
import { type NodeHandler, nodeHandler } from './node-handler.ts';

type NewHandler = components['schemas']['NewHandler'];
type RegisteredHandler = components['schemas']['RegisteredHandler'];

/** What it resolves to, if anything, becomes the body of the answer: a text as it is, all else as JSON. */
export type HandlerFunction<Payload> = (job: Payload, ctx: JobContext) => unknown;
/** Runs around each handler; throws or returns as a handler does. */
export type Middleware = (job: unknown, ctx: JobContext, next: () => Promise<unknown>) => unknown;
/** Limits and policies that the service keeps with the handler. */
export type HandlerSettings = Omit<NewHandler, 'url' | 'secret' | 'schema'>;

export interface ReceiverOptions {
  /** `whsec_…`; the new and the old one while it is being changed. */
  readonly secret: string | readonly string[];
  /** Longer bodies are refused before they are read; 16 MB unless given. */
  readonly maxBodyBytes?: number;
  /** Hears what a handler threw, and calls whose signature does not fit. */
  readonly onError?: (error: unknown, ctx: JobContext | null) => void;
}

export interface Registration {
  /** Where the service calls; one URL for all handlers of the profile. */
  readonly url: string;
  /** One secret for all; without it each new handler gets a generated one, which is in the result. */
  readonly secret?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replace a schema although it may refuse payloads that the old one took. */
  readonly force?: boolean;
}

/** The part of the client that a registration needs. */
export interface Registrar {
  readonly handlers: {
    put(type: string, handler: NewHandler, query?: { force?: boolean }): Promise<RegisteredHandler>;
  };
}

interface Entry {
  readonly contract: Contract;
  readonly handler: HandlerFunction<never>;
  readonly settings: HandlerSettings;
}

export class Profile {
  readonly name: string;
  readonly #entries = new Map<string, Entry>();
  readonly #middleware: Middleware[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** All type keys that are handled. */
  get types(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Takes the jobs of a contract, of all its type keys. A key can have one handler. */
  handle<C extends AnyContract>(
    contract: C,
    handler: HandlerFunction<Received<C>>,
    settings: HandlerSettings = {},
  ): this {
    const entry = { contract: contractOf(contract), handler: handler as HandlerFunction<never>, settings };
    const { types } = entry.contract;
    const taken = types.filter((type, at) => this.#entries.has(type) || types.indexOf(type) !== at);
    if (taken.length > 0) throw new Error(`profile ${this.name} already has a handler for ${taken.join(', ')}`);
    for (const type of types) this.#entries.set(type, entry);
    return this;
  }

  /** Runs around the handlers, in the order of registration: the first is outermost. */
  use(middleware: Middleware): this {
    this.#middleware.push(middleware);
    return this;
  }

  /** Upserts all handlers; answers each as registered, with its secret when this set it. */
  async register({ handlers }: Registrar, { url, secret, headers, force }: Registration): Promise<RegisteredHandler[]> {
    const registered: RegisteredHandler[] = [];
    for (const [type, { contract, settings }] of this.#entries) {
      const schema = contract.jsonSchema;
      const own = { ...(secret && { secret }), ...(headers && { headers }), ...(schema !== undefined && { schema }) };
      registered.push(await handlers.put(type, { ...own, ...settings, url } as NewHandler, force ? { force } : {}));
    }
    return registered;
  }

  /** For Hono, Next.js, Bun, Deno, Workers: whatever speaks `Request` and `Response`. */
  fetchHandler(options: ReceiverOptions): FetchHandler {
    return fetchHandler(this, options);
  }

  /** For Express and plain `node:http`. It must come before anything that reads the body. */
  nodeHandler(options: ReceiverOptions): NodeHandler {
    return nodeHandler(this, options);
  }

  handles(type: string): boolean {
    return this.#entries.has(type);
  }

  /** Runs the handler of the type within the middleware; rejects as they do. */
  async dispatch(ctx: JobContext): Promise<unknown> {
    const entry = this.#entries.get(ctx.type);
    if (!entry) throw new Error(`profile ${this.name} has no handler for ${ctx.type}`);
    const job = await payloadOf(entry.contract, ctx);
    const run = this.#middleware.reduceRight<() => Promise<unknown>>(
      (next, middleware) => async () => middleware(job, ctx, next),
      async () => entry.handler(job as never, ctx),
    );
    return run();
  }
}

export function createProfile(name: string): Profile {
  return new Profile(name);
}

/** What cannot be read now cannot be read later either. */
async function payloadOf({ codec, schema }: Contract, { type, text }: JobContext): Promise<unknown> {
  try {
    const value: unknown = JSON.parse(text);
    const payload = codec ? codec.fromJson(value, text) : value;
    if (!schema) return payload;
    const checked = await validated(schema, value, `the payload of ${type}`);
    return codec ? payload : checked;
  } catch (error) {
    throw new FatalError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
