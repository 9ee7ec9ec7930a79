// Owns queues as SQL Server keeps and answers it: to be written.
import type { QueueStore } from '../../ports/store.ts';
import type { Session } from './session.ts';

export function queuesOver(_session: Session): QueueStore {
  return null as unknown as QueueStore;
}
