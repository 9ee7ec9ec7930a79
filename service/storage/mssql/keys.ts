// Owns keys as SQL Server keeps and answers it: to be written.
import type { KeyStore } from '../../ports/keys.ts';
import type { Session } from './session.ts';

export function keysOver(_session: Session): KeyStore {
  return null as unknown as KeyStore;
}
