// Owns settings as SQL Server keeps and answers it: to be written.
import type { SettingsStore } from '../../ports/settings.ts';
import type { Session } from './session.ts';

export function settingsOver(_session: Session): SettingsStore {
  return null as unknown as SettingsStore;
}
