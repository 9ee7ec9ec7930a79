// Owns one request and its answer on a pooled connection: the deadline over both, the bounded read, and cutting it midway.
import type { Dispatcher } from 'undici';
import type { StopSignal } from '../ports/delivery.ts';
import type { Connections } from './connections.ts';
import { storableText } from './storable-text.ts';

/** At most this much of an answer's body is read; then the socket is closed and the status alone counts. */
const READ_BYTES = 64 * 1_024;

/** Enough to fill the kept text even when a character is cut at its end. */
const COLLECT_BYTES = 4_096 + 4;

type AnswerHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

/** How it went. `head` is there once it was read whole; `hasBegun` tells whether a byte of the request may have left. */
export interface Ended {
  /** `answered`: the whole answer, or all that is ever read of it. `broken`: see `error`. */
  readonly how: 'answered' | 'overdue' | 'stopped' | 'broken';
  readonly head: { readonly status: number; readonly headers: AnswerHeaders } | null;
  readonly body: string | null;
  readonly error: Error | null;
  readonly hasBegun: boolean;
}

export interface ExchangeOptions {
  readonly connections: Connections;
  readonly origin: string;
  readonly request: Dispatcher.DispatchOptions;
  /** Covers connecting, sending, the answer's head and its body. */
  readonly timeoutMs: number;
  readonly signal: StopSignal | null;
  readonly onSent?: (() => void) | undefined;
}

export class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (ended: Ended) => void;
  readonly #deadline: NodeJS.Timeout;
  readonly #signal: StopSignal | null;
  readonly #onSent: (() => void) | undefined;
  readonly #collected: Buffer[] = [];
  #collectedBytes = 0;
  #readBytes = 0;
  #head: Ended['head'] = null;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;

  /** Sends the request; `resolve` is called once. */
  constructor(options: ExchangeOptions, resolve: (ended: Ended) => void) {
    const { connections, origin, request, timeoutMs, signal, onSent } = options;
    this.#resolve = resolve;
    this.#signal = signal;
    this.#onSent = onSent;
    this.#deadline = setTimeout(overdue, timeoutMs, this);
    signal?.addEventListener('abort', this);
    connections.dispatch(origin, request, this);
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.cut('stopped');
  }

  /** Closes the socket at once and hands back what was read so far. Without effect when it is over. */
  cut(how: 'stopped' | 'overdue'): void {
    this.#end(how, null);
    this.#controller?.abort(new Error(how));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Over before it was connected, or about to be sent a second time: an attempt is one request at most.
    if (this.#isOver || this.#controller) controller.abort(new Error('not sent'));
    else this.#begin(controller);
  }

  #begin(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#onSent?.();
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: AnswerHeaders): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    if (this.#collectedBytes < COLLECT_BYTES) {
      const part = chunk.subarray(0, COLLECT_BYTES - this.#collectedBytes);
      this.#collected.push(part);
      this.#collectedBytes += part.length;
    }
    if (this.#readBytes < READ_BYTES) return;
    this.#end('answered', null);
    controller.abort(new Error('the answer is longer than is read'));
  }

  onResponseEnd(): void {
    this.#end('answered', null);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end('broken', error);
  }

  #end(how: Ended['how'], error: Error | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#signal?.removeEventListener('abort', this);
    const body = this.#collectedBytes === 0 ? null : storableText(joined(this.#collected));
    this.#resolve({ how, error, body, head: this.#head, hasBegun: this.#controller !== null });
  }
}

function overdue(exchange: Exchange): void {
  exchange.cut('overdue');
}

function joined(parts: readonly Buffer[]): Buffer {
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
}
