// Owns result claims: which job may run a logical operation now, and the marker of one that has been done.
import { type Admission, admitRun, type ResultClaim, resultClaimMs } from '../../domain/idempotency.ts';
import type { HotRow } from './hot-row.ts';
import type { Session } from './session.ts';

const FIND = 'SELECT state, job_id, expires_at FROM idempotency_claims WHERE idempotency_key = ?';

const QUEUE_LIMIT = 'SELECT zombie_timeout_ms FROM queues WHERE name = ?';

const ENTER = `
  INSERT INTO idempotency_claims (idempotency_key, state, job_id, round, lease_id, claimed_at, life_ms, expires_at)
  VALUES (?, 'in-progress', ?, ?, ?, ?, ?, ?)
  ON CONFLICT (idempotency_key) DO UPDATE SET state = excluded.state, job_id = excluded.job_id, round = excluded.round,
    lease_id = excluded.lease_id, claimed_at = excluded.claimed_at, life_ms = excluded.life_ms, expires_at = excluded.expires_at`;

const RENEW = `
  UPDATE idempotency_claims INDEXED BY claims_lease SET expires_at = ? + life_ms
  WHERE lease_id IS NOT NULL AND lease_id IN (SELECT value FROM json_each(?))`;

/** Written by whoever succeeded, also when its claim had expired meanwhile: the operation is done. */
const COMPLETE = `
  INSERT INTO idempotency_claims (idempotency_key, state, job_id, round, lease_id, claimed_at, life_ms, expires_at)
  VALUES (?, 'completed', ?, ?, NULL, ?, ?, ?)
  ON CONFLICT (idempotency_key) DO UPDATE SET state = excluded.state, job_id = excluded.job_id, round = excluded.round,
    lease_id = NULL, life_ms = excluded.life_ms, expires_at = excluded.expires_at`;

const RELEASE = `
  DELETE FROM idempotency_claims WHERE idempotency_key = ? AND job_id = ? AND state = 'in-progress'`;

/** Takes, or re-enters, the claim of the job's operation, if it may run; jobs without one always may. The queue's own zombie timeout wins. */
export function enterClaim(session: Session, row: HotRow, zombieTimeoutMs: number): Admission {
  const { operation } = row;
  if (operation === null) return { kind: 'run' };
  const admission = admitRun(row.id, find(session, operation.key), session.now);
  if (admission.kind === 'run') {
    const { now } = session;
    const [own = null] = session.row<[number | null]>(QUEUE_LIMIT, row.queue) ?? [];
    const lifeMs = resultClaimMs(own ?? zombieTimeoutMs);
    session.run(ENTER, operation.key, row.id, row.round, row.leaseId, now, lifeMs, now + lifeMs);
  }
  return admission;
}

export function renewClaims(session: Session, leaseIds: string): void {
  session.run(RENEW, session.now, leaseIds);
}

export function completeClaim(session: Session, { operation, id, round }: HotRow): void {
  if (operation === null) return;
  const { now } = session;
  session.run(COMPLETE, operation.key, id, round, now, operation.resultTtlMs, now + operation.resultTtlMs);
}

/** A job that did not succeed leaves its operation to others. */
export function releaseClaim(session: Session, { operation, id }: HotRow): void {
  if (operation !== null) session.run(RELEASE, operation.key, id);
}

function find(session: Session, key: string): ResultClaim | null {
  const found = session.row<[ResultClaim['state'], string, number]>(FIND, key);
  return found === undefined ? null : { state: found[0], jobId: found[1], expiresAt: found[2] };
}
