// Owns insert as SQL Server keeps and answers it: to be written.
import type { Inserted } from '../../ports/store.ts';
import type { Insertion, SettledAll } from './jobs.ts';
import type { Session } from './session.ts';

export async function insertAll(_session: Session, _batch: readonly Insertion[]): SettledAll<readonly Inserted[]> {
  throw new Error('not written yet');
}
