// Owns the one way to the service: openapi-fetch under our patience, with refusals thrown and bodies sent as they are.
import createClient, { type Client } from 'openapi-fetch';
import { durationMs } from './duration.ts';
import { RawJson } from './json-text.ts';
import type { paths } from './openapi.gen.ts';
import { type Fetch, type Patience, patiently } from './patience.ts';
import { ChokaQError, refusal } from './problem.ts';

export interface ClientOptions {
  /** Where the service listens, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** `ck_…`; sent as `Authorization: Bearer`. */
  readonly apiKey?: string | undefined;
  /** Limit of one try: a duration or ms; 30 s unless given. */
  readonly timeout?: string | number;
  /** How long a call is tried again while the service is away or throttles; 30 s unless given, 0 = never. */
  readonly retryFor?: string | number;
  /** Hears why a call is about to be tried again. */
  readonly onRetry?: (reason: string, pauseMs: number) => void;
  readonly fetch?: Fetch;
  /** Sent with each call. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface WaitOptions extends CallOptions {
  /** How long to wait at most; 5 min unless given. */
  readonly timeout?: string | number;
}

/** How a call differs from what its method says. */
export interface CallNature extends CallOptions {
  /** May arrive twice although it is a POST or PATCH. */
  readonly isSafe?: boolean;
  readonly timeoutMs?: number;
  /** Hears how many tries before the answered one may have arrived too. */
  readonly onLost?: (tries: number) => void;
}

export type Api = Client<paths, `${string}/${string}`>;

export type Incoming = ReadableStreamDefaultReader<Uint8Array>;

const STREAM = 'text/event-stream';
const SAFE_METHODS = ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'];

export class Wire {
  readonly #options: ClientOptions;
  readonly patience: Patience;
  /** For callers of any route: safe by method alone. */
  readonly api: Api;

  constructor(options: ClientOptions) {
    const isUsable = URL.canParse(options.url) && /^https?:$/.test(new URL(options.url).protocol);
    if (!isUsable) throw new TypeError(`url must be an http or https URL, not ${JSON.stringify(options.url)}`);
    this.#options = options;
    this.patience = {
      fetch: options.fetch ?? (request => globalThis.fetch(request)),
      timeoutMs: durationMs(options.timeout ?? '30s', 'timeout'),
      retryForMs: durationMs(options.retryFor ?? '30s', 'retryFor'),
      onRetry: options.onRetry ?? (() => undefined),
    };
    this.api = this.#client({});
  }

  /** Makes one call through a client of its own nature, and answers its data. */
  async call<Data>(
    nature: CallNature,
    make: (api: Api) => Promise<{ data?: Data; response: Response }>,
  ): Promise<Data> {
    const { data } = await make(this.#client(nature));
    return data as Data;
  }

  /** Refusals are thrown where the answer comes in, so that what a call resolves to is always its data. */
  #client(nature: CallNature): Api {
    return createClient<paths, `${string}/${string}`>({
      baseUrl: this.#options.url,
      headers: this.#headers(),
      pathSerializer: pathOf,
      bodySerializer: (body: unknown) => (body instanceof RawJson ? body.text : JSON.stringify(body)),
      fetch: request => this.#send(request, nature),
    });
  }

  /** Opens an answer that is read as it comes, and goes on for as long as the signal lets it. */
  async open(path: string, query: object, lastEventId: string, signal: AbortSignal): Promise<Incoming> {
    const url = new URL(this.#options.url.replace(/\/+$/, '') + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    const accept = { accept: STREAM, ...(lastEventId !== '' && { 'last-event-id': lastEventId }) };
    const request = new Request(url, { headers: { ...this.#headers(), ...accept }, signal });
    const response = await this.patience.fetch(request);
    if (!response.ok) throw refusal(response, parsed(await response.text()), `GET ${path}`);
    if (response.body !== null && response.headers.get('content-type')?.startsWith(STREAM))
      return response.body.getReader();
    throw new ChokaQError(`GET ${path} was answered with what is no stream of events. Check the url.`, {
      code: 'not-chokaq',
    });
  }

  #headers(): Record<string, string> {
    const { apiKey, headers } = this.#options;
    return { ...headers, ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
  }

  async #send(given: Request, { isSafe, timeoutMs, onLost, signal }: CallNature): Promise<Response> {
    const request = signal === undefined ? given : new Request(given, { signal });
    const patience = timeoutMs === undefined ? this.patience : { ...this.patience, timeoutMs };
    const tried = await patiently(request, patience, isSafe ?? SAFE_METHODS.includes(request.method));
    const { response, text, lost } = tried;
    if (lost > 0) onLost?.(lost);
    // The lost answer of an earlier try was the one that said "deleted".
    const isGone = request.method === 'DELETE' && response.status === 404 && lost > 0;
    if (isGone) return new Response(null, { status: 204 });
    const call = `${request.method} ${new URL(request.url).pathname}`;
    if (!response.ok) throw refusal(response, parsed(text), call);
    if (expectsJson(response, text)) parsedAnswer(text, call);
    const isEmpty = text === '' || response.status === 204;
    return new Response(isEmpty ? null : text, { status: isEmpty ? 204 : response.status, headers: kept(response) });
  }
}

/** Members of the path. `.` and `..` would be taken out of a URL in any spelling; the service has no such names. */
function pathOf(path: string, members: Record<string, unknown>): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = String(members[name]);
    if (value === '' || value === '.' || value === '..') {
      throw new TypeError(`${name} must not be ${JSON.stringify(value)}: nothing can have that name`);
    }
    return encodeURIComponent(value);
  });
}

function kept(response: Response): Headers {
  const headers = new Headers(response.headers);
  for (const name of ['content-length', 'content-encoding', 'transfer-encoding']) headers.delete(name);
  return headers;
}

function expectsJson(response: Response, text: string): boolean {
  const type = response.headers.get('content-type') ?? '';
  return text !== '' && (type === '' || /[/+]json\b/.test(type));
}

function parsedAnswer(text: string, call: string): void {
  if (parsed(text) !== text) return;
  throw new ChokaQError(`${call} was answered with what is no JSON. Check the url.`, { code: 'not-chokaq' });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
