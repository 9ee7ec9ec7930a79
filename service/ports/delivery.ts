// Owns what the service asks of the outside world to run a job: one call to the job's handler.
import type { Handler } from '../domain/handler.ts';
import type { ClaimedJob } from '../domain/job.ts';
import type { Outcome } from '../domain/lifecycle.ts';

/** Why a running call is stopped from our side; passed as the reason of the call's abort signal. */
export type StopReason =
  | { readonly kind: 'cancelled'; readonly by: string }
  | { readonly kind: 'interrupted'; readonly by: 'shutdown' | 'heartbeat' }
  /** The lease was lost: the call is dropped and its outcome is nobody's business. */
  | { readonly kind: 'disowned' };

/**
 * How a call learns that it is stopped: the part of an `AbortSignal` that it uses, so that any of those fits. An
 * `AbortController` per call makes a delivery 15 to 40 % dearer on Node 20 (measured); a plain object does not.
 */
export interface StopSignal {
  readonly aborted: boolean;
  readonly reason: StopReason | undefined;
  addEventListener(type: 'abort', listener: { handleEvent(): void }): void;
  removeEventListener(type: 'abort', listener: { handleEvent(): void }): void;
}

/** One attempt. `job.attempts` counts this one; `startedAt` is the database's time of the committed start, epoch ms. */
export interface Call {
  readonly job: ClaimedJob;
  readonly handler: Handler;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly startedAt: number;
  /** Aborted with a `StopReason`. */
  readonly signal: StopSignal;
  /** The span of this attempt, sent as it is; without one, a child of the job's own trace is sent. */
  readonly trace?: { readonly traceparent: string; readonly tracestate: string | null };
  /** Called when the connection is there and the request is being sent; not called when none is. */
  readonly onSent?: () => void;
}

/** What a signed ping brought back. */
export interface PingAnswer {
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

export interface Delivery {
  /** Calls the handler once and says how the attempt ended; never rejects, whatever the handler does. */
  deliver(call: Call): Promise<Outcome>;
  /** Sends a signed `chokaq.ping` with body `{}` and a limit of 10 s; no job is involved. */
  ping(handler: Handler): Promise<PingAnswer>;
  /** Why this URL may not be called, as a text for its owner, or null when it may (docs/handlers.md, "Addresses"). */
  refusal(url: string): string | null;
  /** Closes idle connections; calls in flight must have ended. */
  close(): Promise<void>;
}
