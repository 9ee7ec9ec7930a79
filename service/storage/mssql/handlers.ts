// Owns handlers as SQL Server keeps and answers it: to be written.
import type { HandlerStore } from '../../ports/store.ts';
import type { Session } from './session.ts';

export function handlersOver(_session: Session): HandlerStore {
  return null as unknown as HandlerStore;
}
