// Owns this node's copy of the circuits, which two rows of revisions keep true.
import { type Circuit, circuitPolicy } from '../../domain/circuit.ts';
import type { CircuitPolicy } from '../../domain/handler.ts';
import { CIRCUIT_COLUMNS, circuitFrom } from '../circuit-rows.ts';
import { CircuitSet } from '../circuit-set.ts';
import type { Answer, Session, Values } from './session.ts';

/** The revisions come first: what is read after them is as new as they say, or a guard on them will find that it is not. */
export const READ_CIRCUITS = `
  SELECT (SELECT value FROM chokaq.revisions WHERE name = 'circuits') AS circuits,
    (SELECT value FROM chokaq.revisions WHERE name = 'handlers') AS handlers;
  SELECT ${CIRCUIT_COLUMNS.join(', ')} FROM chokaq.circuits;
  SELECT type, circuit FROM chokaq.handlers;`;

/** Of `overtakenIf`, with the values of `revisionsOf`: a circuit that a claim looks at, or a handler, is not as it was known. */
export const CIRCUITS_MOVED = `EXISTS (SELECT 1 FROM chokaq.revisions
  WHERE (name = 'circuits' AND value <> @circuits_revision) OR (name = 'handlers' AND value <> @handlers_revision))`;

/** Advances the revision by which copies are kept true. */
export const ADVANCE_CIRCUITS = "UPDATE chokaq.revisions SET value = value + 1 WHERE name = 'circuits';";

/** Closed circuits may have failed since: only what claims look at moves the revision. */
export interface KnownCircuits {
  readonly circuits: readonly Circuit[];
  /** Of every registered handler. */
  readonly policies: ReadonlyMap<string, CircuitPolicy>;
  readonly revision: number;
  readonly handlersRevision: number;
}

/** `first` is the place of the first of the sets of `READ_CIRCUITS`. */
export function circuitsFrom(answer: Answer, first = 0): KnownCircuits {
  const revisions = answer.row<{ circuits: number; handlers: number }>(first);
  const policies = answer.rows<{ type: string; circuit: string }>(first + 2);
  return {
    circuits: answer.rows<CircuitRow>(first + 1).map(circuitFromRow),
    policies: new Map(policies.map(({ type, circuit }) => [type, circuitPolicy(JSON.parse(circuit))])),
    revision: revisions?.circuits ?? 0,
    handlersRevision: revisions?.handlers ?? 0,
  };
}

export function circuitSet({ circuits, policies }: KnownCircuits): CircuitSet {
  return new CircuitSet(circuits, policies);
}

export function revisionsOf({ revision, handlersRevision }: KnownCircuits): Values {
  return { circuits_revision: revision, handlers_revision: handlersRevision };
}

/** One per session. It may be old: whoever writes by it guards with `CIRCUITS_MOVED`, and forgets it when overtaken. */
export class CircuitCopy {
  readonly #session: Session;
  #known: KnownCircuits | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** For `decided` only: one try. */
  async known(): Promise<KnownCircuits> {
    if (this.#known === undefined) this.#known = circuitsFrom(await this.#session.readOnce(READ_CIRCUITS));
    return this.#known;
  }

  /** Unless somebody has learned something newer meanwhile. */
  keep(known: KnownCircuits): void {
    if (known.revision > (this.#known?.revision ?? 0)) this.#known = known;
  }

  forget(): void {
    this.#known = undefined;
  }
}

export interface CircuitRow {
  readonly type: string;
  readonly state: string;
  readonly epoch: number;
  readonly failed_at: string;
  readonly open_until: number | null;
  readonly break_time_ms: number | null;
  readonly probe_at: number | null;
  readonly ramp_limit: number | null;
}

export function circuitFromRow(row: CircuitRow): Circuit {
  const { type, state, epoch, failed_at, open_until, break_time_ms, probe_at, ramp_limit } = row;
  return circuitFrom([type, state, epoch, failed_at, open_until, break_time_ms, probe_at, ramp_limit]);
}
