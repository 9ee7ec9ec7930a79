// Owns nodes as SQL Server keeps and answers it: to be written.
import type { NodeStore } from '../../ports/nodes.ts';
import type { Session } from './session.ts';

export function nodesOver(_session: Session): NodeStore {
  return null as unknown as NodeStore;
}
