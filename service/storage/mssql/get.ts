// Owns get as SQL Server keeps and answers it: to be written.
import type { Job } from '../../domain/job.ts';
import type { Session } from './session.ts';

export async function get(_session: Session, _id: string): Promise<Job | null> {
  throw new Error('not written yet');
}
