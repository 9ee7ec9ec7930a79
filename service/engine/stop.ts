// Owns the switch that stops one call from our side.
import type { StopReason, StopSignal } from '../ports/delivery.ts';

type Listener = { handleEvent(): void };

/** Thrown at most once; the first reason stays. An `AbortController` would do the same at many times the price. */
export class Stop implements StopSignal {
  #reason: StopReason | undefined;
  #listener: Listener | undefined;

  get aborted(): boolean {
    return this.#reason !== undefined;
  }

  get reason(): StopReason | undefined {
    return this.#reason;
  }

  /** One call listens at a time. */
  addEventListener(_type: 'abort', listener: Listener): void {
    this.#listener = listener;
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    if (this.#listener === listener) this.#listener = undefined;
  }

  abort(reason: StopReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listener?.handleEvent();
  }
}
