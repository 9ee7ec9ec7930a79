// Owns signs of life: running jobs marked as alive in one request, and the search for those whose owner is late or gone.
import type { HeldLease, StaleJob, StaleRequest } from '../../ports/store.ts';
import { CLAIMED_COLUMNS, type StaleValues, staleJob } from '../claimed-rows.ts';
import { FETCHED, PROCESSING } from '../rows.ts';
import { EXACT } from './counters.ts';
import type { Session } from './session.ts';

/** Every lease is its own claim's, so a lease that still stands in the owner's row is still held. Its result claim lives on with it. */
const BEAT = `
  DECLARE @leases TABLE (lease_id NVARCHAR(100) ${EXACT} NOT NULL);
  INSERT INTO @leases SELECT DISTINCT lease_id FROM OPENJSON(@leases_json) WITH (lease_id NVARCHAR(100) '$.l');
  DECLARE @held TABLE (id NVARCHAR(100) ${EXACT}, lease_id NVARCHAR(100) ${EXACT}, cancel_requested_by NVARCHAR(255) ${EXACT});
  UPDATE chokaq.jobs_hot WITH (ROWLOCK) SET heartbeat_at = @now
  OUTPUT inserted.id, inserted.lease_id, inserted.cancel_requested_by INTO @held
  FROM @leases l WHERE l.lease_id = jobs_hot.lease_id AND jobs_hot.worker_id = @owner AND jobs_hot.status = ${PROCESSING}
    AND jobs_hot.status > 0;
  UPDATE chokaq.idempotency_claims SET expires_at = @now + idempotency_claims.life_ms
  FROM @leases l WHERE l.lease_id = idempotency_claims.lease_id AND idempotency_claims.lease_id IS NOT NULL;`;

const HELD = 'SELECT id, lease_id, cancel_requested_by FROM @held;';

/** A fetched row's updated_at is the time of its claim: every later change takes it out of that state. */
const STALE = `
  DECLARE @gone TABLE (owner NVARCHAR(200) ${EXACT} NOT NULL);
  INSERT INTO @gone SELECT DISTINCT owner FROM OPENJSON(@gone_json) WITH (owner NVARCHAR(200) '$.o');
  SELECT TOP (@limit) ${CLAIMED_COLUMNS.map(column => `j.${column}`).join(', ')}, j.status, j.lease_id, j.worker_id,
    j.heartbeat_at, j.cancel_requested_by, q.execution_timeout_ms
  FROM chokaq.jobs_hot j LEFT JOIN chokaq.queues q ON q.name = j.queue
  WHERE j.status > 0 AND (
    (j.status = ${FETCHED} AND j.updated_at < @now - @fetched_ms)
    OR (j.status = ${PROCESSING} AND j.heartbeat_at < @now - COALESCE(q.zombie_timeout_ms, @zombie_ms))
    OR j.worker_id IN (SELECT owner FROM @gone))
  ORDER BY COALESCE(j.heartbeat_at, j.updated_at)`;

const STALE_COLUMNS = [
  ...CLAIMED_COLUMNS,
  'status',
  'lease_id',
  'worker_id',
  'heartbeat_at',
  'cancel_requested_by',
  'execution_timeout_ms',
] as const;

type StaleRow = Readonly<Record<(typeof STALE_COLUMNS)[number], string | number | null>>;

export async function heartbeat(
  session: Session,
  owner: string,
  leaseIds: readonly string[],
): Promise<readonly HeldLease[]> {
  const leases = JSON.stringify(leaseIds.map(l => ({ l })));
  const answer = await session.write('heartbeat', { work: BEAT, answer: HELD }, { owner, leases_json: leases });
  return answer
    .rows<{ id: string; lease_id: string; cancel_requested_by: string | null }>()
    .map(row => ({ jobId: row.id, leaseId: row.lease_id, cancelRequestedBy: row.cancel_requested_by }));
}

export async function stale(session: Session, request: StaleRequest): Promise<readonly StaleJob[]> {
  const answer = await session.read('stale', STALE, {
    gone_json: JSON.stringify(request.goneOwners.map(o => ({ o }))),
    fetched_ms: request.fetchedTimeoutMs,
    zombie_ms: request.zombieTimeoutMs,
    limit: request.limit,
  });
  return answer
    .rows<StaleRow>()
    .map(row => staleJob(STALE_COLUMNS.map(column => row[column]) as unknown as StaleValues));
}
