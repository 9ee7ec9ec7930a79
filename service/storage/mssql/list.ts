// Owns list as SQL Server keeps and answers it: to be written.
import type { Job } from '../../domain/job.ts';
import type { JobFilter, Page, PageRequest } from '../../ports/store.ts';
import type { Session } from './session.ts';

export async function list(_session: Session, _filter: JobFilter, _page: PageRequest): Promise<Page<Job>> {
  throw new Error('not written yet');
}
