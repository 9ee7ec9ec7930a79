// Owns the circuits as the running transaction sees them: a copy that one row of revisions keeps true, written down once.
import {
  admitted,
  type Circuit,
  type CircuitEvent,
  circuitPolicy,
  claimed,
  countedAfter,
  eventBetween,
  mayStart,
  newCircuit,
  nextAdmissionAt,
  observed,
  type RampLoad,
  type Verdict,
} from '../../domain/circuit.ts';
import { CATCH_ALL, type CircuitPolicy } from '../../domain/handler.ts';
import { CIRCUIT_COLUMNS, type CircuitValues, circuitFrom, circuitValues } from '../circuit-rows.ts';
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

/** Circuits that were never moved have no row and are not in it: a handler that works costs nothing but the look at the revisions. */
export class CircuitCopy {
  readonly #statements: Statements;
  #circuits = new Map<string, Circuit>();
  /** Of every registered handler. */
  #policies = new Map<string, CircuitPolicy>();
  readonly #changed = new Set<string>();
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
    this.#changed.clear();
    this.#revision = -1;
    this.#handlersRevision = -1;
    this.#isTrusted = false;
  }

  /** Writes down what the transaction has changed. */
  flush(now: number): void {
    if (this.#changed.size === 0) return;
    for (const type of this.#changed) this.#statements.run(STORE, ...circuitValues(this.get(type)), now);
    this.#statements.run(ADVANCE);
    this.#revision += 1;
    this.#changed.clear();
  }

  /** The circuit of a handler that is being removed goes with it. */
  remove(type: string): void {
    this.#statements.run(FORGET, type);
    this.#statements.run(ADVANCE);
    this.#isTrusted = false;
  }

  /** Whether a handler is registered under exactly this type key. */
  has(handler: string): boolean {
    this.#refresh();
    return this.#policies.has(handler);
  }

  get(handler: string): Circuit {
    this.#refresh();
    return this.#circuits.get(handler) ?? newCircuit(handler);
  }

  replace(circuit: Circuit): void {
    this.#circuits.set(circuit.type, circuit);
    this.#changed.add(circuit.type);
  }

  /** How many jobs of this handler a claim may take. */
  admitted(handler: string, now: number): number {
    this.#refresh();
    const circuit = this.#circuits.get(handler);
    if (circuit === undefined) return Number.POSITIVE_INFINITY;
    return admitted(circuit, this.#policyOf(handler), this.#ramp(circuit, now).inFlight, now);
  }

  /** The handlers of which no job may be claimed now. */
  closedTo(now: number): readonly string[] {
    this.#refresh();
    const moved = [...this.#circuits.values()].filter(({ state }) => state !== 'closed');
    return moved
      .filter(circuit => admitted(circuit, this.#policyOf(circuit.type), 0, now) === 0)
      .map(({ type }) => type);
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
    return mayStart(this.get(this.#handlerOf(type)), epoch);
  }

  /** A claim of a job has ended; `said` is what its attempt said about the handler that was called, if there was one. */
  observed(
    job: { readonly type: string; readonly circuitEpoch: number; readonly claimedAt: number },
    said: { readonly type: string; readonly verdict: Verdict } | undefined,
    now: number,
  ): CircuitEvent | null {
    this.#refresh();
    const { type, verdict } = said ?? { type: this.#handlerOf(job.type), verdict: 'none' };
    const isBlamed = verdict === 'fault' || verdict === 'gone';
    if (isBlamed ? !this.#policies.has(type) : !this.#circuits.has(type)) return null;
    const before = this.get(type);
    const after = observed(
      before,
      this.#policyOf(type),
      { verdict, epoch: job.circuitEpoch, claimedAt: job.claimedAt },
      now,
    );
    if (after !== before) this.replace(after);
    return eventBetween(before, after);
  }

  /** When the next circuit admits again by itself, or null; what lies behind is no reason to look again. */
  nextAdmissionAt(now: number): number | null {
    this.#refresh();
    let next: number | null = null;
    for (const circuit of this.#circuits.values()) {
      const at = nextAdmissionAt(circuit, this.#policyOf(circuit.type), this.#ramp(circuit, now));
      if (at !== null && at > now && (next === null || at < next)) next = at;
    }
    return next;
  }

  #handlerOf(type: string): string {
    return this.#policies.has(type) ? type : CATCH_ALL;
  }

  #policyOf(handler: string): CircuitPolicy {
    return this.#policies.get(handler) ?? circuitPolicy({});
  }

  #ramp({ type, epoch, rampLimit }: Circuit, now: number): RampLoad {
    if (rampLimit === null) return NO_RAMP;
    const after = countedAfter(this.#policyOf(type), now);
    const [inFlight = 0, oldestAt = null] =
      (type === CATCH_ALL
        ? this.#statements.row<[number, number | null]>(RAMP_OF_CATCH_ALL, epoch, after)
        : this.#statements.row<[number, number | null]>(RAMP_OF_TYPE, epoch, after, type)) ?? [];
    return { inFlight, oldestAt };
  }

  /** Once per transaction, which sees nothing of others after its start. */
  #refresh(): void {
    if (this.#isTrusted) return;
    const [revision = 0, handlersRevision = 0] = this.#statements.row<[number, number]>(REVISIONS) ?? [];
    if (handlersRevision !== this.#handlersRevision) this.#loadPolicies();
    if (revision !== this.#revision) this.#load();
    this.#revision = revision;
    this.#handlersRevision = handlersRevision;
    this.#isTrusted = true;
  }

  #load(): void {
    const rows = this.#statements.rows<CircuitValues>(LOAD);
    this.#circuits = new Map(rows.map(values => [values[0], circuitFrom(values)]));
  }

  #loadPolicies(): void {
    const rows = this.#statements.rows<[string, string]>(LOAD_POLICIES);
    this.#policies = new Map(rows.map(([type, set]) => [type, circuitPolicy(JSON.parse(set))]));
  }
}

const NO_RAMP: RampLoad = { inFlight: 0, oldestAt: null };
const UNMOVED = { epoch: 0, event: null } as const;
