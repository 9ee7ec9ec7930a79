// Owns how a claim that a lost try has made is found again: its jobs would otherwise be held by a node that does not know of them.
import { CLAIMED_COLUMNS, type ClaimedValues } from '../claimed-rows.ts';
import { PROCESSING } from '../rows.ts';
import type { ClaimedAnswer, ClaimInput } from './claim.ts';
import type { Session } from './session.ts';

/** The leases of one claim are its id, a dot, and the place of the job in it. */
const FIND = `
  SELECT ${CLAIMED_COLUMNS.map(column => `jobs.${column}`).join(', ')},
    jobs.lease_id, jobs.status, queues.execution_timeout_ms, coalesce(jobs.circuit_epoch, 0), jobs.payload
  FROM jobs_hot AS jobs INDEXED BY hot_owned LEFT JOIN queues ON queues.name = jobs.queue
  WHERE jobs.status > 0 AND jobs.worker_id = ? AND jobs.lease_id >= ? AND jobs.lease_id < ?`;

export interface FoundClaim {
  readonly jobs: readonly ClaimedAnswer[];
  readonly parts: readonly Uint8Array[];
  /** When it was made. */
  readonly at: number;
}

interface Found {
  readonly place: number;
  readonly at: number | null;
  readonly job: ClaimedAnswer;
  readonly payload: Uint8Array;
}

/** Null when this claim is not tried again, or had taken nothing. */
export function claimedBefore(session: Session, { owner, claimId }: ClaimInput): FoundClaim | null {
  if (!session.replay.isPossible) return null;
  const found = session.rows<unknown[]>(FIND, owner, `${claimId}.`, `${claimId}/`).map(foundFrom);
  if (found.length === 0) return null;
  found.sort((one, two) => one.place - two.place);
  const at = found.find(one => one.at !== null)?.at ?? session.now;
  return { jobs: found.map(({ job }) => job), parts: found.map(({ payload }) => payload), at };
}

/** As `claimedJob` reads it, a start counts on top of the row before the claim. */
function foundFrom(row: unknown[]): Found {
  const [leaseId, status, queueTimeoutMs, circuitEpoch, payload] = row.splice(CLAIMED_COLUMNS.length) as [
    ...[leaseId: string, status: number, queueTimeoutMs: number | null, circuitEpoch: number, payload: Uint8Array],
  ];
  const isStarted = status === PROCESSING;
  const [id, queue, type, attempts, ...rest] = row as unknown as ClaimedValues;
  const values: ClaimedValues = [id, queue, type, isStarted ? attempts - 1 : attempts, ...rest];
  const place = Number(leaseId.slice(leaseId.lastIndexOf('.') + 1));
  const startedAt = values[13];
  return { place, at: startedAt, payload, job: [values, leaseId, isStarted, queueTimeoutMs, circuitEpoch] };
}
