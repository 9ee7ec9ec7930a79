// Owns apply as SQL Server keeps and answers it: to be written.
import type { Applied } from '../../ports/store.ts';
import type { Application, SettledAll } from './jobs.ts';
import type { Session } from './session.ts';

export async function applyAll(_session: Session, _batch: readonly Application[]): SettledAll<readonly Applied[]> {
  throw new Error('not written yet');
}
