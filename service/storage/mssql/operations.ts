// Owns operations as SQL Server keeps and answers it: to be written.
import type { OperationStore } from '../../ports/operations.ts';
import type { Session } from './session.ts';

export function operationsOver(_session: Session): OperationStore {
  return null as unknown as OperationStore;
}
