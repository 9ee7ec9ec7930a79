// Owns a change of one job as data: how an attempt ended, what the row becomes, and what must still be true of it.
import type { Verdict } from './circuit.ts';
import type { FailureReason } from './failure.ts';
import type { AttemptOutcome } from './job.ts';
import type { From, MoveName } from './lifecycle.ts';

/** What the handler's answer, or its absence, left behind; texts are bounded and storable as they are. */
export interface Answer {
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
}

/** How one attempt ended. */
export type Outcome = Answer &
  (
    | { readonly kind: 'succeeded' }
    | { readonly kind: 'retryable' | 'throttled'; readonly askedDelayMs: number | null }
    | { readonly kind: 'fatal'; readonly endpointGone: boolean }
    | { readonly kind: 'timedOut' }
    | { readonly kind: 'cancelled'; readonly by: string }
    | { readonly kind: 'interrupted'; readonly by: 'shutdown' | 'heartbeat' }
    | { readonly kind: 'expired' }
  );

/** What must still be true of the row for a transition to be applied; checked in the same transaction. */
export interface Guard {
  readonly states: readonly From[];
  readonly leaseId?: string;
  /** The heartbeat recovery saw: a beat in between means the owner lives. */
  readonly heartbeatAt?: number | null;
  readonly round?: number;
  readonly version?: number;
  /** The job's queue is neither paused nor inactive. */
  readonly queueRuns?: true;
  /** The circuit of its handler has not opened since the claim. */
  readonly circuitAdmits?: true;
  /** No operator has asked to cancel it meanwhile. */
  readonly notCancelRequested?: true;
}

/** What an operator may change of a job that is not running. Absent = as stored. */
export interface JobEdits {
  readonly payload?: Uint8Array;
  readonly tags?: readonly string[];
  readonly priority?: number;
  readonly due?: { readonly at: number } | { readonly inMs: number };
}

/** The row after the move. `dueInMs` counts from the database's time of applying; null keeps the due time. */
export type Change =
  | { readonly to: 'processing'; readonly zombieTimeoutMs: number }
  | { readonly to: 'pending'; readonly dueInMs: number | null; readonly answer?: Answer }
  | { readonly to: 'succeeded'; readonly outcome: 'succeeded' | 'duplicate'; readonly answer: Answer }
  | { readonly to: 'dead'; readonly reason: FailureReason; readonly answer: Answer; readonly by: string | null }
  | { readonly to: 'resurrected' | 'edited'; readonly edits: JobEdits; readonly by: string | null }
  | { readonly to: 'cancelRequested'; readonly by: string }
  | { readonly to: 'gone' };

/** A change of one job as data: applied if the guard still holds, otherwise not at all. */
export interface Transition {
  readonly move: MoveName;
  readonly jobId: string;
  readonly guard: Guard;
  readonly change: Change;
  /** The row of history this transition leaves, for an attempt that did not simply succeed. */
  readonly attempt?: Answer & { readonly outcome: AttemptOutcome };
  /** The bulk operation that this move belongs to, and is counted in, in the same transaction. */
  readonly operationId?: string;
  /** What the attempt says about the handler that was called, by its type key. Absent: nothing, so a probe's permit is free again. */
  readonly circuit?: { readonly type: string; readonly verdict: Verdict };
}
