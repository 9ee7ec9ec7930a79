// Owns what transitions come to on a picture of their jobs: which hold, in order, and which have to wait for the next round.
import type { CircuitEvent } from '../../domain/circuit.ts';
import { admitRun, resultClaimMs } from '../../domain/idempotency.ts';
import type { Guard, Transition } from '../../domain/lifecycle.ts';
import type { Applied } from '../../ports/store.ts';
import { HOT_STATES, PENDING } from '../rows.ts';
import { type ClaimRow, type EndedRow, type HeldRow, type Picture, tableOf } from './apply-picture.ts';

/** The answer to a transition, once the time of its move is known. */
export type Reply = (at: number) => Applied;

export interface HotMove {
  readonly row: HeldRow;
  readonly transition: Transition;
  /** How long the result claim lives that a start takes; null when it takes none. */
  readonly lifeMs: number | null;
}

export interface EndedMove {
  readonly row: EndedRow;
  readonly transition: Transition;
  /** Of a resurrection with a key: 1 unless another active job holds it. */
  readonly holdsKey: number;
}

/** The circuits as the round sees and changes them. */
export interface RoundCircuits {
  mayStart(type: string, epoch: number): boolean;
  observed(
    job: { readonly type: string; readonly circuitEpoch: number; readonly claimedAt: number },
    said: Transition['circuit'],
    now: number,
  ): CircuitEvent | null;
}

/** What one round makes: each move brings at most four texts, of which a request carries 1 024. */
export const MOVES = 250;

const refused = (why: Extract<Applied, { readonly held: false }>['why']): Reply => {
  return () => ({ held: false, why, cancelRequestedBy: null });
};
const LOST = refused('lost');
const KEY_TAKEN = refused('key-taken');
const QUEUE_STOPPED = refused('queue-stopped');
const CIRCUIT_OPEN = refused('circuit-open');
const NOT_ADMITTED = { duplicate: refused('operation-done'), postpone: refused('operation-held') } as const;

/** A job, a key or a result claim that one transition has moved is for the next round: it would have to be read anew. */
export class Round {
  readonly hot: HotMove[] = [];
  readonly ended: EndedMove[] = [];
  /** How many moves held of each operation. */
  readonly affected = new Map<string, number>();
  readonly picture: Picture;
  readonly #circuits: RoundCircuits;
  readonly #jobs = new Set<string>();
  readonly #keys = new Set<string>();
  readonly #operations = new Set<string>();
  readonly #claims: Map<string, ClaimRow>;

  constructor(picture: Picture, circuits: RoundCircuits) {
    this.picture = picture;
    this.#circuits = circuits;
    this.#claims = new Map(picture.claims);
  }

  /** Null: in the next round. */
  decide(transition: Transition): Reply | null {
    const { jobId, operationId, guard } = transition;
    if (operationId !== undefined && !this.picture.operations.has(operationId)) return LOST;
    const isLater = this.#jobs.has(jobId) || this.hot.length + this.ended.length >= MOVES;
    const isHot = tableOf(guard.states[0]) === 'hot';
    const reply = isLater ? null : isHot ? this.#decideHot(transition) : this.#decideEnded(transition);
    if (reply === null) this.#jobs.add(jobId);
    return reply;
  }

  #decideHot(transition: Transition): Reply | null {
    const { change, guard, jobId } = transition;
    const row = this.picture.hot.get(jobId);
    if (row === undefined) return LOST;
    const refusal = this.#refusalOf(row, guard);
    if (refusal !== null) return refusal;
    if (change.to === 'processing') return this.#start(row, transition, change.zombieTimeoutMs);
    if (isLeaving(change) && row.holds_key === 1 && !changesHands(this.#keys, row.idempotency_key)) return null;
    const operation = operationOf(row);
    if (operation !== null && !this.#endOperation(operation, row, change)) return null;
    this.#hold({ row, transition, lifeMs: null });
    const startedAt = isEnd(change) ? row.started_at : null;
    const event = endsClaim(row, change) ? this.#observed(row, transition) : null;
    const told = event === null ? {} : { circuitEvent: event };
    return at => ({ held: true, at, queue: row.queue, type: row.type, startedAt, ...told });
  }

  /** Takes, or re-enters, the claim of the job's operation, if it may run. */
  #start(row: HeldRow, transition: Transition, zombieTimeoutMs: number): Reply | null {
    const operation = operationOf(row);
    let lifeMs: number | null = null;
    if (operation !== null) {
      const claim = this.#claims.get(operation);
      const admission = admitRun(row.id, claim === undefined ? null : claimFrom(claim), this.picture.now);
      if (admission.kind !== 'run') return NOT_ADMITTED[admission.kind];
      if (this.#operations.has(operation)) return null;
      lifeMs = resultClaimMs(this.picture.queues.get(row.queue)?.zombie_timeout_ms ?? zombieTimeoutMs);
      this.#claim(operation, row, 'in-progress', lifeMs);
    }
    this.#hold({ row, transition, lifeMs });
    const started = { dueAt: row.due_at, tookClaim: operation !== null };
    return at => ({ held: true, at, queue: row.queue, type: row.type, startedAt: null, started });
  }

  /** False: the claim has changed in this round. A job that did not succeed leaves its operation to others. */
  #endOperation(key: string, row: HeldRow, { to, ...change }: Transition['change']): boolean {
    if (to === 'succeeded' && 'outcome' in change && change.outcome === 'succeeded') {
      if (this.#operations.has(key)) return false;
      this.#claim(key, row, 'completed', row.result_ttl_ms ?? 0);
    }
    const claim = this.#claims.get(key);
    if ((to === 'pending' || to === 'dead') && claim?.job_id === row.id && claim.state === 'in-progress')
      this.#claims.delete(key);
    return true;
  }

  #claim(key: string, row: HeldRow, state: ClaimRow['state'], lifeMs: number): void {
    this.#operations.add(key);
    this.#claims.set(key, { idempotency_key: key, state, job_id: row.id, expires_at: this.picture.now + lifeMs });
  }

  #decideEnded(transition: Transition): Reply | null {
    const { change, guard, jobId } = transition;
    const [from] = guard.states;
    const row = (from === 'dead' ? this.picture.dead : this.picture.archived).get(jobId);
    if (row === undefined || guard.leaseId !== undefined) return LOST;
    if (isOther(guard.round, row.round) || isOther(guard.version, row.version)) return LOST;
    let holdsKey = 0;
    if (change.to === 'resurrected' && row.idempotency_key) {
      if (this.#keys.has(row.idempotency_key)) return null;
      const isTaken = this.picture.holders.has(row.idempotency_key);
      if (isTaken && row.holds_key === 1) return KEY_TAKEN;
      this.#keys.add(row.idempotency_key);
      holdsKey = isTaken ? 0 : 1;
    }
    this.#count(transition);
    this.ended.push({ row, transition, holdsKey });
    return at => ({ held: true, at, queue: row.queue, type: row.type, startedAt: null });
  }

  /** Whose the row is comes first: a stranger is told no more than that. */
  #refusalOf(row: HeldRow, guard: Guard): Reply | null {
    if (!guard.states.includes(HOT_STATES[row.status] ?? 'processing')) return LOST;
    if (isOther(guard.leaseId, row.lease_id) || isOther(guard.heartbeatAt, row.heartbeat_at)) return LOST;
    if (isOther(guard.round, row.round) || isOther(guard.version, row.version)) return LOST;
    if (guard.notCancelRequested && row.cancel_requested_by !== null)
      return () => ({ held: false, why: 'cancel-requested', cancelRequestedBy: row.cancel_requested_by });
    const queue = this.picture.queues.get(row.queue);
    if (guard.queueRuns && queue && (queue.is_paused === 1 || queue.is_active === 0)) return QUEUE_STOPPED;
    if (guard.circuitAdmits && !this.#circuits.mayStart(row.type, row.circuit_epoch ?? 0)) return CIRCUIT_OPEN;
    return null;
  }

  #hold(move: HotMove): void {
    this.#count(move.transition);
    this.hot.push(move);
  }

  #count({ jobId, operationId }: Transition): void {
    this.#jobs.add(jobId);
    if (operationId !== undefined) this.affected.set(operationId, (this.affected.get(operationId) ?? 0) + 1);
  }

  #observed(row: HeldRow, { circuit }: Transition): CircuitEvent | null {
    const { type, circuit_epoch: epoch, started_at: startedAt, updated_at: updatedAt } = row;
    const job = { type, circuitEpoch: epoch ?? 0, claimedAt: startedAt ?? updatedAt };
    return this.#circuits.observed(job, circuit, this.picture.now);
  }
}

/** The key of what is to run at most once at a time. */
function operationOf(row: HeldRow): string | null {
  return row.result_ttl_ms === null ? null : row.idempotency_key;
}

function claimFrom({ state, job_id: jobId, expires_at: expiresAt }: ClaimRow) {
  return { state, jobId, expiresAt };
}

/** False when it already does. */
function changesHands(keys: Set<string>, key: string | null): boolean {
  if (key === null) return true;
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}

function isOther<T>(expected: T | undefined, actual: T): boolean {
  return expected !== undefined && expected !== actual;
}

function isLeaving({ to }: Transition['change']): boolean {
  return to === 'succeeded' || to === 'dead';
}

function isEnd({ to }: Transition['change']): boolean {
  return to === 'succeeded' || to === 'dead' || to === 'pending';
}

/** Nobody holds the job any more, so whatever its circuit had admitted it for is over. */
function endsClaim(row: HeldRow, { to }: Transition['change']): boolean {
  return row.status !== PENDING && to !== 'processing' && to !== 'cancelRequested';
}
