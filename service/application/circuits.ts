// Owns the verbs of circuits: list, hold open, reset.
import { isForced, recentFailures } from '../domain/circuit.ts';
import { DomainError } from '../domain/errors.ts';
import type { CircuitOrdered, CircuitStatus } from '../ports/circuits.ts';
import type { Store } from '../ports/store.ts';
import type { Wake } from './jobs.ts';

interface CircuitParts {
  readonly store: Pick<Store, 'circuits' | 'clock'>;
  readonly wake: Wake;
}

/** A circuit as it stands now. */
export interface SeenCircuit extends CircuitStatus {
  readonly isForced: boolean;
  /** Within the window. */
  readonly failures: number;
}

export class Circuits {
  readonly #parts: CircuitParts;

  constructor(parts: CircuitParts) {
    this.#parts = parts;
  }

  /** That of every handler, by type key. */
  async list(): Promise<readonly SeenCircuit[]> {
    return (await this.#parts.store.circuits.list()).map(status => this.#seen(status));
  }

  /** Holds it open, on all nodes, until a reset. */
  async open(type: string): Promise<SeenCircuit> {
    return this.#ordered(type, await this.#parts.store.circuits.open(type));
  }

  /** Closes it at once, on all nodes; what waited here starts now. */
  async reset(type: string): Promise<SeenCircuit> {
    const { store, wake } = this.#parts;
    const seen = this.#ordered(type, await store.circuits.reset(type));
    wake(store.clock.now());
    return seen;
  }

  #ordered(type: string, ordered: CircuitOrdered | null): SeenCircuit {
    if (ordered !== null) return this.#seen(ordered.status);
    const hint = 'Types without a handler of their own share the circuit of the handler *. GET /circuits lists all.';
    throw new DomainError('not-found', `No handler is registered for ${type}, so it has no circuit. ${hint}`);
  }

  #seen(status: CircuitStatus): SeenCircuit {
    const { circuit, policy } = status;
    const failures = recentFailures(circuit, policy, this.#parts.store.clock.now());
    return { ...status, isForced: isForced(circuit), failures };
  }
}
