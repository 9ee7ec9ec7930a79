// Owns check as SQL Server keeps and answers it: to be written.
import type { Session } from './session.ts';

export async function check(_session: Session): Promise<void> {
  throw new Error('not written yet');
}
