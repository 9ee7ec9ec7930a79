// Owns retain as SQL Server keeps and answers it: to be written.
import type { RetentionLimits } from '../../ports/store.ts';
import type { Session } from './session.ts';

export async function retain(_session: Session, _limits: RetentionLimits): Promise<number> {
  throw new Error('not written yet');
}
