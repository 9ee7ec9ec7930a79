// Owns the delivery of jobs to webhooks: the signed POST of one attempt, and how its end reads as an outcome.
import { randomUUID } from 'node:crypto';
import { lookup } from 'node:dns';
import type { Handler } from '../domain/handler.ts';
import type { Outcome } from '../domain/lifecycle.ts';
import type { Call, Delivery, PingAnswer } from '../ports/delivery.ts';
import type { Clock } from '../ports/store.ts';
import { Connections } from './connections.ts';
import { type Ended, Exchange, type ExchangeOptions } from './exchange.ts';
import { callHeaders, fixedHeaders } from './headers.ts';
import { outcomeOf, stopped, unreachable, whyUnanswered } from './outcome.ts';
import { type SigningKeys, signatureHeaders, signingKeys, webhookId } from './sign.ts';
import { type Lookup, TargetGuard, type TargetPolicy } from './target.ts';

const CONNECT_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 10_000;
const PING_BODY = Buffer.from('{}');

export interface WebhookOptions {
  readonly clock: Clock;
  readonly policy: TargetPolicy;
  /** The service's version, for `user-agent`. */
  readonly version: string;
  readonly lookup?: Lookup;
  readonly connectTimeoutMs?: number;
}

/** What is worked out once per handler. */
interface Endpoint {
  readonly refusal: string | null;
  readonly origin: string;
  readonly path: string;
  readonly headers: readonly string[];
  readonly keys: SigningKeys;
}

/** Who follows an exchange while it goes on. */
type Watch = Pick<ExchangeOptions, 'signal' | 'onSent'>;

const UNWATCHED: Watch = { signal: null };

interface Message {
  readonly headers: string[];
  readonly body: Uint8Array;
}

export class WebhookDelivery implements Delivery {
  readonly #clock: Clock;
  readonly #guard: TargetGuard;
  readonly #connections: Connections;
  readonly #userAgent: string;
  readonly #endpoints = new WeakMap<Handler, Endpoint>();

  constructor(options: WebhookOptions) {
    const connectTimeoutMs = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
    this.#clock = options.clock;
    this.#guard = new TargetGuard(options.policy);
    this.#connections = new Connections({ guard: this.#guard, lookup: options.lookup ?? lookup, connectTimeoutMs });
    this.#userAgent = `ChokaQ/${options.version}`;
  }

  async deliver(call: Call): Promise<Outcome> {
    const { job, handler, signal, onSent, startedAt, timeoutMs } = call;
    const endpoint = this.#endpointOf(handler);
    if (endpoint.refusal !== null) return unreachable(endpoint.refusal);
    if (signal.aborted) return stopped(signal.reason, null, null);
    const now = this.#clock.now();
    const headers = [
      ...endpoint.headers,
      ...callHeaders(call),
      ...signatureHeaders(endpoint.keys, webhookId(job), job.payload, now),
    ];
    const leftMs = Math.min(Math.max(startedAt + timeoutMs - now, 0), timeoutMs);
    const ended = await this.#exchange(endpoint, { headers, body: job.payload }, leftMs, { signal, onSent });
    return outcomeOf(ended, call, this.#clock.now());
  }

  async ping(handler: Handler): Promise<PingAnswer> {
    const endpoint = this.#endpointOf(handler);
    if (endpoint.refusal !== null) {
      return { responseStatus: null, responseBody: null, error: endpoint.refusal, durationMs: 0 };
    }
    const begun = performance.now();
    const signature = signatureHeaders(endpoint.keys, `ping_${randomUUID()}`, PING_BODY, this.#clock.now());
    const headers = [...endpoint.headers, 'chokaq-type', 'chokaq.ping', ...signature];
    const ended = await this.#exchange(endpoint, { headers, body: PING_BODY }, PING_TIMEOUT_MS, UNWATCHED);
    return {
      responseStatus: ended.head?.status ?? null,
      responseBody: ended.body,
      error: ended.how === 'answered' ? null : whyUnanswered(ended, PING_TIMEOUT_MS),
      durationMs: Math.round(performance.now() - begun),
    };
  }

  refusal(url: string): string | null {
    return this.#guard.refuseUrl(url);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #endpointOf(handler: Handler): Endpoint {
    const known = this.#endpoints.get(handler);
    if (known) return known;
    const refusal = this.#guard.refuseUrl(handler.url);
    const { origin, pathname, search } = refusal === null ? new URL(handler.url) : new URL('http://refused.invalid');
    const headers = fixedHeaders(handler, this.#userAgent);
    const endpoint = { refusal, origin, path: pathname + search, headers, keys: signingKeys(handler) };
    this.#endpoints.set(handler, endpoint);
    return endpoint;
  }

  #exchange(endpoint: Endpoint, message: Message, timeoutMs: number, watch: Watch): Promise<Ended> {
    const request = { method: 'POST', path: endpoint.path, headers: message.headers, body: message.body };
    const options = { connections: this.#connections, origin: endpoint.origin, request, timeoutMs, ...watch };
    return new Promise(resolve => void new Exchange(options, resolve));
  }
}
