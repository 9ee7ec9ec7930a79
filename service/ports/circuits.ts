// Owns what the service asks of its storage about circuits; claims and transitions move them in their own transactions.
import type { Circuit, CircuitEvent } from '../domain/circuit.ts';
import type { CircuitPolicy } from '../domain/handler.ts';

/** One handler's circuit, and what it holds back. */
export interface CircuitStatus {
  readonly circuit: Circuit;
  /** The policy in force: the handler's, completed by the defaults. */
  readonly policy: CircuitPolicy;
  /** Since when it has been open, epoch ms; null unless it is. */
  readonly openedAt: number | null;
  /** Due jobs of the handler's types that nobody has claimed. */
  readonly waiting: number;
  /** Jobs of the handler's types that are claimed or running, over all nodes. */
  readonly inFlight: number;
}

/** `event` is null when it already was as asked. */
export interface CircuitOrdered {
  readonly status: CircuitStatus;
  readonly event: CircuitEvent | null;
}

export interface CircuitStore {
  /** The circuit of every registered handler, by type key; the cost does not depend on how many jobs there are. */
  list(): Promise<readonly CircuitStatus[]>;
  /** Holds it open, for all nodes, until a reset; null when no handler is registered under the key. */
  open(type: string): Promise<CircuitOrdered | null>;
  /** Closes it at once and without a ramp, for all nodes; null when no handler is registered under the key. */
  reset(type: string): Promise<CircuitOrdered | null>;
}
