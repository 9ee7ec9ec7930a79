// Owns claim as SQL Server keeps and answers it: to be written.
import type { Claim, ClaimRequest } from '../../ports/store.ts';
import type { Session } from './session.ts';

export async function claim(_session: Session, _request: ClaimRequest): Promise<Claim> {
  throw new Error('not written yet');
}
