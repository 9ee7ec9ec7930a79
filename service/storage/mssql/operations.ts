// Owns operations as SQL Server keeps and answers it: to be written.
import type { Operation, OperationStore } from '../../ports/operations.ts';
import type { Session } from './session.ts';

export function operationsOver(_session: Session): OperationStore {
  return null as unknown as OperationStore;
}

export async function getOperation(_session: Session, _id: string): Promise<Operation | null> {
  throw new Error('not written yet');
}
