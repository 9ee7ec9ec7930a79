// Owns heartbeat as SQL Server keeps and answers it: to be written.
import type { HeldLease, StaleJob, StaleRequest } from '../../ports/store.ts';
import type { Session } from './session.ts';

export async function heartbeat(
  _session: Session,
  _owner: string,
  _leaseIds: readonly string[],
): Promise<readonly HeldLease[]> {
  throw new Error('not written yet');
}

export async function stale(_session: Session, _request: StaleRequest): Promise<readonly StaleJob[]> {
  throw new Error('not written yet');
}
