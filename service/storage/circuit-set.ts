// Owns all circuits as one transaction sees them, with what it makes of them by the rules of the domain, for every SQL adapter.
import {
  type Circuit,
  type CircuitEvent,
  circuitPolicy,
  claimed,
  eventBetween,
  mayStart,
  newCircuit,
  nextAdmissionAt,
  observed,
  type RampLoad,
  type Verdict,
} from '../domain/circuit.ts';
import { CATCH_ALL, type CircuitPolicy } from '../domain/handler.ts';

/** A job whose claim has ended. */
export interface EndedClaim {
  readonly type: string;
  readonly circuitEpoch: number;
  readonly claimedAt: number;
}

/** What an attempt said about the handler that was called. */
export interface Said {
  readonly type: string;
  readonly verdict: Verdict;
}

/** Circuits that were never moved are not stored: a handler that works costs nothing. */
export class CircuitSet {
  readonly #circuits: Map<string, Circuit>;
  #policies: ReadonlyMap<string, CircuitPolicy>;
  readonly #changed = new Set<string>();

  /** `policies` has every registered handler. */
  constructor(stored: Iterable<Circuit>, policies: ReadonlyMap<string, CircuitPolicy>) {
    this.#circuits = new Map(Array.from(stored, circuit => [circuit.type, circuit]));
    this.#policies = policies;
  }

  get policies(): ReadonlyMap<string, CircuitPolicy> {
    return this.#policies;
  }

  /** Handlers have changed; what was replaced stays so. */
  govern(policies: ReadonlyMap<string, CircuitPolicy>): void {
    this.#policies = policies;
  }

  /** Those that this set has replaced. */
  get changed(): readonly Circuit[] {
    return Array.from(this.#changed, type => this.get(type));
  }

  /** What was changed is stored now. */
  settle(): void {
    this.#changed.clear();
  }

  /** Those that have ever moved. */
  get moved(): readonly Circuit[] {
    return [...this.#circuits.values()];
  }

  /** Whether a handler is registered under exactly this type key. */
  has(handler: string): boolean {
    return this.#policies.has(handler);
  }

  handlerOf(type: string): string {
    return this.#policies.has(type) ? type : CATCH_ALL;
  }

  policyOf(handler: string): CircuitPolicy {
    return this.#policies.get(handler) ?? circuitPolicy({});
  }

  get(handler: string): Circuit {
    return this.#circuits.get(handler) ?? newCircuit(handler);
  }

  hasMoved(handler: string): boolean {
    return this.#circuits.has(handler);
  }

  replace(circuit: Circuit): void {
    this.#circuits.set(circuit.type, circuit);
    this.#changed.add(circuit.type);
  }

  /** Jobs of this handler are being claimed; answers their epoch, and the event when they are the probe. */
  claimed(handler: string, now: number): { readonly epoch: number; readonly event: CircuitEvent | null } {
    const circuit = this.#circuits.get(handler);
    if (circuit === undefined) return UNMOVED;
    const after = claimed(circuit, now);
    if (after !== circuit) this.replace(after);
    return { epoch: after.epoch, event: eventBetween(circuit, after) };
  }

  /** Whether a job of this type that was claimed in `epoch` may still start. */
  mayStart(type: string, epoch: number): boolean {
    return mayStart(this.get(this.handlerOf(type)), epoch);
  }

  /** A claim of a job has ended; `said` is absent when its handler was not called. */
  observed(job: EndedClaim, said: Said | undefined, now: number): CircuitEvent | null {
    const { type, verdict } = said ?? { type: this.handlerOf(job.type), verdict: 'none' };
    const isBlamed = verdict === 'fault' || verdict === 'gone';
    if (isBlamed ? !this.has(type) : !this.hasMoved(type)) return null;
    const before = this.get(type);
    const result = { verdict, epoch: job.circuitEpoch, claimedAt: job.claimedAt };
    const after = observed(before, this.policyOf(type), result, now);
    if (after !== before) this.replace(after);
    return eventBetween(before, after);
  }

  /** When the next circuit admits again by itself, or null; what lies behind is no reason to look again. */
  nextAdmissionAt(now: number, rampOf: (circuit: Circuit) => RampLoad): number | null {
    let next: number | null = null;
    for (const circuit of this.#circuits.values()) {
      const at = nextAdmissionAt(circuit, this.policyOf(circuit.type), rampOf(circuit));
      if (at !== null && at > now && (next === null || at < next)) next = at;
    }
    return next;
  }
}

const UNMOVED = { epoch: 0, event: null } as const;
