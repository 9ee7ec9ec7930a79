// Owns what a live event is: something this node has just committed, told without payloads and error texts.
import type { CircuitEvent } from './circuit.ts';
import type { FailureReason } from './failure.ts';
import type { JobState } from './job.ts';
import type { MoveName } from './lifecycle.ts';

/** A job has changed. `state` is null when it is the same as before. */
export interface JobEvent {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly move: MoveName | 'enqueue' | 'claim';
  readonly state: JobState | 'gone' | null;
  /** Why it is dead, else null. */
  readonly reason: FailureReason | null;
}

export interface QueueEvent {
  readonly name: string;
  readonly change: 'configured' | 'removed';
  /** The settings after the change; absent when the queue is gone. */
  readonly isPaused?: boolean;
  readonly isActive?: boolean;
  readonly maxWorkers?: number | null;
}

export interface HandlerEvent {
  readonly type: string;
  readonly change: 'registered' | 'replaced' | 'removed';
}

export interface SettingsEvent {
  readonly names: readonly string[];
}

/** `at` is the database's time of the change, epoch ms. */
export type LiveEvent = { readonly at: number } & (
  | { readonly kind: 'job'; readonly data: JobEvent }
  | { readonly kind: 'queue'; readonly data: QueueEvent }
  | { readonly kind: 'circuit'; readonly data: CircuitEvent }
  | { readonly kind: 'handler'; readonly data: HandlerEvent }
  | { readonly kind: 'settings'; readonly data: SettingsEvent }
);

export interface EventFilter {
  readonly queue?: string | undefined;
  readonly type?: string | undefined;
}

/** A filter leaves only what is about that queue, or that type key. */
export function passes(event: LiveEvent, { queue, type }: EventFilter): boolean {
  return (queue === undefined || queueOf(event) === queue) && (type === undefined || typeOf(event) === type);
}

function queueOf(event: LiveEvent): string | null {
  if (event.kind === 'job') return event.data.queue;
  return event.kind === 'queue' ? event.data.name : null;
}

function typeOf(event: LiveEvent): string | null {
  return event.kind === 'queue' || event.kind === 'settings' ? null : event.data.type;
}
