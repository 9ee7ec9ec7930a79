// Owns the circuits as the running transaction sees them: a copy that one row of revisions keeps true, written down once.
import {
  admitted,
  type Circuit,
  type CircuitEvent,
  circuitPolicy,
  countedAfter,
  NO_LOAD,
  type RampLoad,
} from '../../domain/circuit.ts';
import { CATCH_ALL, type CircuitPolicy } from '../../domain/handler.ts';
import { CIRCUIT_COLUMNS, type CircuitValues, circuitFrom, circuitValues } from '../circuit-rows.ts';
import { CircuitSet, type EndedClaim, type Said } from '../circuit-set.ts';
import type { Statements } from './statements.ts';

const REVISIONS = `
  SELECT (SELECT value FROM revisions WHERE name = 'circuits'), (SELECT value FROM revisions WHERE name = 'handlers')`;
const ADVANCE = "UPDATE revisions SET value = value + 1 WHERE name = 'circuits'";
const LOAD = `SELECT ${CIRCUIT_COLUMNS.join(', ')} FROM circuits`;
const LOAD_POLICIES = 'SELECT type, circuit FROM handlers';

const STORE = `
  INSERT INTO circuits (${CIRCUIT_COLUMNS.join(', ')}, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (type) DO UPDATE SET state = excluded.state, epoch = excluded.epoch, failed_at = excluded.failed_at,
    open_until = excluded.open_until, break_time_ms = excluded.break_time_ms, probe_at = excluded.probe_at,
    ramp_limit = excluded.ramp_limit, updated_at = excluded.updated_at`;

const FORGET = 'DELETE FROM circuits WHERE type = ?';

/** Over all nodes. Calls from before the break, or that hang, do not count: none of them must hold the ramp up. */
const RAMP = `
  SELECT count(*), min(coalesce(started_at, updated_at)) FROM jobs_hot INDEXED BY hot_owned
  WHERE status > 0 AND circuit_epoch = ? AND coalesce(started_at, updated_at) > ?`;
const RAMP_OF_TYPE = `${RAMP} AND type = ?`;
const RAMP_OF_CATCH_ALL = `${RAMP} AND type NOT IN (SELECT type FROM handlers)`;

/** Circuits that were never moved have no row: a handler that works costs nothing but the look at the revisions. */
export class CircuitCopy {
  readonly #statements: Statements;
  #set = new CircuitSet([], new Map());
  #revision = -1;
  #handlersRevision = -1;
  #isTrusted = false;

  constructor(statements: Statements) {
    this.#statements = statements;
  }

  /** A transaction begins, or handlers have changed: the copy may be old. */
  distrust(): void {
    this.#isTrusted = false;
  }

  /** Forgets what was not written: its transaction was rolled back. */
  discard(): void {
    this.#set.settle();
    this.#revision = -1;
    this.#handlersRevision = -1;
    this.#isTrusted = false;
  }

  /** Writes down what the transaction has changed. */
  flush(now: number): void {
    const changed = this.#set.changed;
    if (changed.length === 0) return;
    for (const circuit of changed) this.#statements.run(STORE, ...circuitValues(circuit), now);
    this.#statements.run(ADVANCE);
    this.#revision += 1;
    this.#set.settle();
  }

  /** The circuit of a handler that is being removed goes with it. */
  remove(type: string): void {
    this.#statements.run(FORGET, type);
    this.#statements.run(ADVANCE);
    this.#isTrusted = false;
  }

  has(handler: string): boolean {
    return this.#fresh().has(handler);
  }

  get(handler: string): Circuit {
    return this.#fresh().get(handler);
  }

  replace(circuit: Circuit): void {
    this.#fresh().replace(circuit);
  }

  /** How many jobs of this handler a claim may take. */
  admitted(handler: string, now: number): number {
    const set = this.#fresh();
    if (!set.hasMoved(handler)) return Number.POSITIVE_INFINITY;
    const circuit = set.get(handler);
    return admitted(circuit, set.policyOf(handler), this.#ramp(circuit, now).inFlight, now);
  }

  /** The handlers of which no job may be claimed now. */
  closedTo(now: number): readonly string[] {
    const set = this.#fresh();
    return set.moved
      .filter(circuit => circuit.state !== 'closed' && admitted(circuit, set.policyOf(circuit.type), 0, now) === 0)
      .map(({ type }) => type);
  }

  claimed(handler: string, now: number): { readonly epoch: number; readonly event: CircuitEvent | null } {
    return this.#fresh().claimed(handler, now);
  }

  mayStart(type: string, epoch: number): boolean {
    return this.#fresh().mayStart(type, epoch);
  }

  observed(job: EndedClaim, said: Said | undefined, now: number): CircuitEvent | null {
    return this.#fresh().observed(job, said, now);
  }

  nextAdmissionAt(now: number): number | null {
    return this.#fresh().nextAdmissionAt(now, circuit => this.#ramp(circuit, now));
  }

  #ramp({ type, epoch, rampLimit }: Circuit, now: number): RampLoad {
    if (rampLimit === null) return NO_LOAD;
    const after = countedAfter(this.#set.policyOf(type), now);
    const [inFlight = 0, oldestAt = null] =
      (type === CATCH_ALL
        ? this.#statements.row<[number, number | null]>(RAMP_OF_CATCH_ALL, epoch, after)
        : this.#statements.row<[number, number | null]>(RAMP_OF_TYPE, epoch, after, type)) ?? [];
    return { inFlight, oldestAt };
  }

  /** Looked at once per transaction, which sees nothing of others after its start. */
  #fresh(): CircuitSet {
    if (this.#isTrusted) return this.#set;
    const [revision = 0, handlersRevision = 0] = this.#statements.row<[number, number]>(REVISIONS) ?? [];
    if (handlersRevision !== this.#handlersRevision) this.#set.govern(this.#policies());
    if (revision !== this.#revision) this.#set = new CircuitSet(this.#stored(), this.#set.policies);
    this.#revision = revision;
    this.#handlersRevision = handlersRevision;
    this.#isTrusted = true;
    return this.#set;
  }

  #stored(): readonly Circuit[] {
    return this.#statements.rows<CircuitValues>(LOAD).map(circuitFrom);
  }

  #policies(): ReadonlyMap<string, CircuitPolicy> {
    const rows = this.#statements.rows<[string, string]>(LOAD_POLICIES);
    return new Map(rows.map(([type, set]) => [type, circuitPolicy(JSON.parse(set))]));
  }
}
