// Owns the settings that operators have stored for all nodes, and the revision that tells every node of each change.
import type { StoredSetting, StoredSettings } from '../../ports/settings.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const LIST = 'SELECT name, value, updated_at AS updatedAt, updated_by AS updatedBy FROM settings ORDER BY name';
const REVISION = "SELECT value FROM revisions WHERE name = 'settings'";
const ADVANCE = "UPDATE revisions SET value = value + 1 WHERE name = 'settings'";
const REMOVE = 'DELETE FROM settings WHERE name = ?';

const PUT = `
  INSERT INTO settings (name, value, updated_at, updated_by) VALUES (?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at, updated_by = excluded.updated_by`;

export function readSettings(session: Session): Parcel<StoredSettings> {
  return plain({ settings: session.records<StoredSetting>(LIST), revision: settingsRevision(session) });
}

export interface SettingsInput {
  readonly changes: Readonly<Record<string, string | null>>;
  readonly by: string;
  readonly seen: number;
}

export function changeSettings(session: Session, { changes, by, seen }: SettingsInput): Parcel<StoredSettings | null> {
  if (settingsRevision(session) !== seen) return plain(null);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) session.run(REMOVE, name);
    else session.run(PUT, name, value, session.now, by);
  }
  session.run(ADVANCE);
  return readSettings(session);
}

export function settingsRevision(session: Session): number {
  const [revision = 0] = session.row<[number]>(REVISION) ?? [];
  return revision;
}
