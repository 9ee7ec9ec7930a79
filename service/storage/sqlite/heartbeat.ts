// Owns signs of life: running jobs marked as alive in one statement, and the search for those whose owner is late or gone.
import type { HeldLease, StaleRequest } from '../../ports/store.ts';
import { CLAIMED_COLUMNS, type StaleValues } from '../claimed-rows.ts';
import { FETCHED, PROCESSING } from '../rows.ts';
import { type Parcel, plain } from './parcel.ts';
import { renewClaims } from './result-claims.ts';
import type { Session } from './session.ts';
import { UP_TO } from './statements.ts';

/** Every lease is its own claim's, so a lease that still stands in the owner's row is still held. */
const BEAT = `
  UPDATE jobs_hot INDEXED BY hot_owned SET heartbeat_at = ?
  WHERE worker_id = ? AND status > 0 AND status = ${PROCESSING} AND lease_id IN (SELECT value FROM json_each(?))
  RETURNING id, lease_id, cancel_requested_by`;

/** A fetched row's updated_at is the time of its claim: every later change takes it out of that state. */
const STALE = `
  SELECT ${CLAIMED_COLUMNS.map(column => `jobs.${column}`).join(', ')},
    status, lease_id, worker_id, heartbeat_at, cancel_requested_by, queues.execution_timeout_ms
  FROM jobs_hot AS jobs INDEXED BY hot_owned
  LEFT JOIN queues ON queues.name = jobs.queue
  WHERE jobs.status > 0 AND (
    (status = ${FETCHED} AND jobs.updated_at < ?)
    OR (status = ${PROCESSING} AND heartbeat_at < ? - coalesce(queues.zombie_timeout_ms, ?))
    OR worker_id IN (SELECT value FROM json_each(?)))
  ORDER BY coalesce(heartbeat_at, jobs.updated_at) ${UP_TO}`;

export interface HeartbeatInput {
  readonly owner: string;
  readonly leaseIds: readonly string[];
}

export function heartbeat(session: Session, { owner, leaseIds }: HeartbeatInput): Parcel<readonly HeldLease[]> {
  const leases = JSON.stringify(leaseIds);
  const held = session.rows<[string, string, string | null]>(BEAT, session.now, owner, leases);
  renewClaims(session, leases);
  return plain(held.map(([jobId, leaseId, cancelRequestedBy]) => ({ jobId, leaseId, cancelRequestedBy })));
}

export function stale(session: Session, request: StaleRequest): Parcel<readonly StaleValues[]> {
  const { fetchedTimeoutMs, zombieTimeoutMs, goneOwners, limit } = request;
  const { now } = session;
  const gone = JSON.stringify(goneOwners);
  return plain(session.rows<StaleValues>(STALE, now - fetchedTimeoutMs, now, zombieTimeoutMs, gone, limit));
}
