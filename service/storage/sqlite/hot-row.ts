// Owns the part of a hot row that moves look at: whose it is, where it counts, and since when.
import { FETCHED, PENDING } from '../rows.ts';
import type { Counted, Place } from './counters.ts';

export const HELD_COLUMNS = `
  seq, queue, type, status, promoted, due_at, lease_id, heartbeat_at, round, version, attempts, started_at, worker_id,
  cancel_requested_by, idempotency_key, holds_key, result_ttl_ms, circuit_epoch, updated_at`;

export interface HotRow extends Counted {
  readonly id: string;
  readonly seq: number;
  readonly status: number;
  readonly isPromoted: boolean;
  readonly leaseId: string | null;
  readonly heartbeatAt: number | null;
  readonly round: number;
  readonly version: number;
  readonly attempts: number;
  readonly startedAt: number | null;
  readonly workerId: string | null;
  readonly cancelRequestedBy: string | null;
  /** The epoch of its handler's circuit when it was last claimed. */
  readonly circuitEpoch: number;
  /** When it was last claimed, or started since; a fetched row changes only by leaving that state. */
  readonly claimedAt: number;
  /** The idempotency key, when this row is the one that holds it. */
  readonly heldKey: string | null;
  /** What is to run at most once at a time, and how long its success is remembered. */
  readonly operation: { readonly key: string; readonly resultTtlMs: number } | null;
}

type Values = readonly [
  seq: number,
  queue: string,
  type: string,
  status: number,
  promoted: number,
  dueAt: number,
  leaseId: string | null,
  heartbeatAt: number | null,
  round: number,
  version: number,
  attempts: number,
  startedAt: number | null,
  workerId: string | null,
  cancelRequestedBy: string | null,
  key: string | null,
  holdsKey: number,
  resultTtlMs: number | null,
  circuitEpoch: number | null,
  updatedAt: number,
];

/** `values` in the order of `HELD_COLUMNS`. */
export function hotRowFrom(id: string, values: readonly unknown[]): HotRow {
  const v = values as Values;
  return {
    id,
    seq: v[0],
    queue: v[1],
    type: v[2],
    status: v[3],
    isPromoted: v[4] === 1,
    dueAt: v[5],
    leaseId: v[6],
    heartbeatAt: v[7],
    round: v[8],
    version: v[9],
    attempts: v[10],
    startedAt: v[11],
    workerId: v[12],
    cancelRequestedBy: v[13],
    circuitEpoch: v[17] ?? 0,
    claimedAt: v[11] ?? v[18],
    heldKey: v[15] === 1 ? v[14] : null,
    operation: v[14] === null || v[16] === null ? null : { key: v[14], resultTtlMs: v[16] },
  };
}

/** Where the row counts. */
export function placeOf(row: HotRow): Place {
  if (row.status === PENDING) return row.isPromoted ? 'pending' : 'scheduled';
  return row.status === FETCHED ? 'fetched' : 'processing';
}

/** Where a pending row counts that is due at `dueAt`. */
export function waitingPlace(dueAt: number, now: number): 'pending' | 'scheduled' {
  return dueAt <= now ? 'pending' : 'scheduled';
}
