// Owns calls to a running service from the command line: what passes is tried again, until its time is up.
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { formatDuration } from '../domain/duration.ts';
import { parseRetryAfter } from '../domain/retry-after.ts';
import { UsageError } from './failure.ts';

export interface ServiceAddress {
  readonly url: string;
  readonly apiKey: string | undefined;
  /** How long one call is tried again while the service is away or throttles, in ms. */
  readonly retryForMs: number;
}

export interface Answer {
  readonly status: number;
  /** The parsed body, or undefined when it is not JSON. */
  readonly body: unknown;
}

/** The call cannot be made, or not any more. Whether its last try arrived is not known. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
const ANSWER_LIMIT_MS = 120_000;
const PASSING = [408, 429, 500, 502, 503, 504];

type Try = { readonly answer: Answer } | { readonly fault: string; readonly askedMs: number | null };

export class ServiceClient {
  readonly #address: ServiceAddress;
  readonly #onWait: (fault: string) => void;
  readonly #agent = new Agent({ headersTimeout: ANSWER_LIMIT_MS, bodyTimeout: ANSWER_LIMIT_MS });
  readonly #interrupted = new AbortController();

  /** `onWait` hears why a call is about to be tried again. */
  constructor(address: ServiceAddress, onWait: (fault: string) => void) {
    const isUsable = URL.canParse(address.url) && /^https?:$/.test(new URL(address.url).protocol);
    if (!isUsable) throw new UsageError(`--url must be an http or https URL, not ${JSON.stringify(address.url)}`);
    this.#address = address;
    this.#onWait = onWait;
  }

  /** Posts JSON. Only for calls that may safely arrive twice: without an answer nobody knows whether they did. */
  async post(path: string, body: Buffer): Promise<Answer> {
    const deadline = performance.now() + this.#address.retryForMs;
    for (let tries = 0; ; tries++) {
      const tried = await this.#try(path, body);
      if ('answer' in tried) return tried.answer;
      const grownMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (1 + Math.random() / 4);
      const pauseMs = Math.max(grownMs, tried.askedMs ?? 0);
      if (performance.now() + pauseMs > deadline) {
        throw new CallFailed(`${tried.fault}; gave up (--retry-for ${formatDuration(this.#address.retryForMs)})`);
      }
      this.#onWait(tried.fault);
      await pause(pauseMs, undefined, { signal: this.#interrupted.signal }).catch(() => {
        throw new CallFailed('interrupted');
      });
    }
  }

  /** Lets calls under way, and their repetition, fail at once. */
  interrupt(): void {
    this.#interrupted.abort();
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #try(path: string, body: Buffer): Promise<Try> {
    const { url, apiKey } = this.#address;
    try {
      const response = await request(`${url.replace(/\/+$/, '')}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
        body,
        dispatcher: this.#agent,
        signal: this.#interrupted.signal,
      });
      const answer = { status: response.statusCode, body: parsed(await response.body.text()) };
      if (!PASSING.includes(answer.status)) return { answer };
      return { fault: `${url} answered ${answer.status}`, askedMs: askedMs(response.headers['retry-after']) };
    } catch (error) {
      if (this.#interrupted.signal.aborted) throw new CallFailed('interrupted');
      return { fault: `${url} cannot be reached (${reasonOf(error)})`, askedMs: null };
    }
  }
}

function askedMs(retryAfter: string | string[] | undefined): number | null {
  return typeof retryAfter === 'string' ? parseRetryAfter(retryAfter, Date.now()) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Connecting to several addresses of one name fails with one error per address and no message of its own. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return error.message || code || error.name;
}
