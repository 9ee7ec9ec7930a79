// Owns the following of live events: one stream after another, each from where the last one broke off.
import { durationMs } from './duration.ts';
import { reasonOf, rest } from './patience.ts';
import { ChokaQError } from './problem.ts';
import { type Message, MessageReader } from './server-sent.ts';
import type { CallOptions, Wire } from './wire.ts';

/** A job has changed. `state` is null when it is the same as before, `gone` when the job was deleted. */
export interface JobEvent {
  readonly at: string;
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  /** What was done to it, such as `enqueue`, `claim`, `start`, `succeed`. */
  readonly move: string;
  readonly state: 'scheduled' | 'pending' | 'fetched' | 'processing' | 'succeeded' | 'dead' | 'gone' | null;
  /** Why it is dead, else null. */
  readonly reason: string | null;
}

export interface QueueEvent {
  readonly at: string;
  readonly name: string;
  readonly change: 'configured' | 'removed';
  readonly isPaused?: boolean;
  readonly isActive?: boolean;
  readonly maxWorkers?: number | null;
}

/** What each kind of event tells. */
export interface EventData {
  job: JobEvent;
  queue: QueueEvent;
  circuit: { readonly at: string; readonly type: string; readonly event: string };
  handler: { readonly at: string; readonly type: string; readonly change: 'registered' | 'replaced' | 'removed' };
  settings: { readonly at: string; readonly names: readonly string[] };
  /** Events were missed: read anew what you show. What follows is complete again. */
  reset: { readonly reason: string };
}

/** `lastEventId` resumes behind this event. */
export type ServiceEvent = {
  [Kind in keyof EventData]: { readonly event: Kind; readonly data: EventData[Kind]; readonly lastEventId: string };
}[keyof EventData];

export interface EventOptions extends CallOptions {
  /** Only events about this queue. */
  readonly queue?: string;
  /** Only events about this type key. */
  readonly type?: string;
  /** Resumes behind this event; without it the events from now on come. */
  readonly lastEventId?: string;
  /** How long to try to come back after a stream broke off; that of the client unless given. */
  readonly retryFor?: string | number;
}

/** The service pings each 15 s: a stream that is silent for so long is dead, whatever the network believes. */
const SILENCE_MS = 45_000;
const LONGEST_PAUSE_MS = 15_000;
/** May be over when one comes back. */
const PASSING = [408, 429, 502, 503, 504];

/** Rejects with a `ChokaQError` when the service refuses or stays away, with the signal's reason when it is aborted. */
export async function* follow(wire: Wire, options: EventOptions): AsyncGenerator<ServiceEvent, void, undefined> {
  const { signal, lastEventId } = options;
  const { retryForMs, onRetry } = wire.patience;
  const absence = new Absence(options.retryFor === undefined ? retryForMs : durationMs(options.retryFor, 'retryFor'));
  const reader = new MessageReader(lastEventId);
  for (;;) {
    try {
      for await (const bytes of stream(wire, options, reader.lastEventId)) {
        absence.end();
        for (const message of reader.read(bytes)) yield eventOf(message);
      }
      throw new ChokaQError('the stream of events ended', { code: 'unreachable' });
    } catch (error) {
      signal?.throwIfAborted();
      const pauseMs = absence.pauseMs(error, reader.retryMs);
      if (pauseMs === null) throw error;
      reader.cut();
      onRetry((error as Error).message, pauseMs);
      await rest(pauseMs, signal);
    }
  }
}

/** The pieces of one stream as they come, an empty one first. */
async function* stream(
  wire: Wire,
  { queue, type, signal }: EventOptions,
  lastEventId: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  const end = new AbortController();
  const silence = new Silence(end, wire.patience.timeoutMs);
  try {
    const signals = signal === undefined ? end.signal : AbortSignal.any([signal, end.signal]);
    const reader = await wire.open('/events', { queue, type }, lastEventId, signals);
    for (let bytes: Uint8Array | undefined = new Uint8Array(); bytes; bytes = (await reader.read()).value) {
      silence.within(SILENCE_MS);
      yield bytes;
    }
  } catch (cause) {
    const { reason } = end.signal;
    throw reason ?? (cause instanceof ChokaQError ? cause : unreachable(cause));
  } finally {
    silence.over();
    // Also when whoever iterates has had enough: nothing stays open.
    end.abort();
  }
}

function unreachable(cause: unknown): ChokaQError {
  return new ChokaQError(`the stream of events broke off (${reasonOf(cause)})`, { code: 'unreachable', cause });
}

function eventOf({ event, data, lastEventId }: Message): ServiceEvent {
  return { event, data: JSON.parse(data), lastEventId } as ServiceEvent;
}

/** Ends what has been silent for longer than it may. */
class Silence {
  readonly #end: AbortController;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(end: AbortController, ms: number) {
    this.#end = end;
    this.within(ms);
  }

  within(ms: number): void {
    clearTimeout(this.#timer);
    const fault = new ChokaQError(`nothing came from the service for ${ms} ms`, { code: 'timeout' });
    this.#timer = setTimeout(() => this.#end.abort(fault), ms);
  }

  over(): void {
    clearTimeout(this.#timer);
  }
}

/** How long the service has been away, and when to look again. */
class Absence {
  readonly #longestMs: number;
  #since: number | undefined;
  #looks = 0;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
  }

  end(): void {
    this.#since = undefined;
    this.#looks = 0;
  }

  /** Null when it has been away for too long, or will not change its mind. */
  pauseMs(error: unknown, askedMs: number): number | null {
    if (!(error instanceof ChokaQError) || !mayPass(error)) return null;
    this.#since ??= performance.now();
    const grownMs =
      Math.min(askedMs * 2 ** this.#looks++, Math.max(askedMs, LONGEST_PAUSE_MS)) * (1 + Math.random() / 4);
    const pauseMs = Math.max(grownMs, error.retryAfterMs ?? 0);
    return performance.now() + pauseMs - this.#since > this.#longestMs ? null : pauseMs;
  }
}

function mayPass({ code, status }: ChokaQError): boolean {
  return status === null ? code === 'unreachable' || code === 'timeout' : PASSING.includes(status);
}
