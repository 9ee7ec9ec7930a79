// Owns attempts as SQL Server keeps and answers it: to be written.
import type { Attempt } from '../../domain/job.ts';
import type { Session } from './session.ts';

export async function listAttempts(_session: Session, _id: string): Promise<readonly Attempt[]> {
  throw new Error('not written yet');
}
