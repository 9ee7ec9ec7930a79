// Owns the settings that operators have stored for all nodes, and the revision that tells every node of each change.
import type { SettingsStore, StoredSettings } from '../../ports/settings.ts';
import { EXACT } from './counters.ts';
import type { Answer, Session } from './session.ts';

const READ = `
  SELECT value AS revision FROM chokaq.revisions WHERE name = 'settings';
  SELECT name, value, updated_at, updated_by FROM chokaq.settings ORDER BY name;`;

/** `@changes` maps names to texts, or to null where the setting is removed; the names are the service's own, plain ASCII. */
const CHANGE = `
  DECLARE @is_current INT = 0;
  IF EXISTS (SELECT 1 FROM chokaq.revisions WHERE name = 'settings' AND value = @seen)
  BEGIN
    SET @is_current = 1;
    DELETE FROM chokaq.settings WHERE name IN (SELECT name FROM @changes);
    INSERT INTO chokaq.settings (name, value, updated_at, updated_by)
    SELECT name, value, @now, @by FROM @changes WHERE value IS NOT NULL;
    UPDATE chokaq.revisions SET value = value + 1 WHERE name = 'settings';
  END`;

const DECLARE_CHANGES = `DECLARE @changes TABLE (name NVARCHAR(100) ${EXACT} NOT NULL, value NVARCHAR(MAX) NULL);`;

interface SettingRow {
  readonly name: string;
  readonly value: string;
  readonly updated_at: number;
  readonly updated_by: string | null;
}

export function settingsOver(session: Session): SettingsStore {
  return {
    read: async () => settingsFrom(await session.read('readSettings', READ)),
    change: async (changes, by, seen) => {
      const entries = Object.entries(changes);
      const rows = entries.map((_, at) => `(@name${at}, @value${at})`).join(', ');
      const insert = rows === '' ? '' : `INSERT INTO @changes (name, value) VALUES ${rows};`;
      const named = entries.flatMap(([name, value], at) => [
        [`name${at}`, name],
        [`value${at}`, value],
      ]);
      const text = { work: `${DECLARE_CHANGES} ${insert} ${CHANGE}`, answer: 'SELECT @is_current AS is_current;' };
      const answer = await session.write('changeSettings', text, { by, seen, ...Object.fromEntries(named) });
      if (answer.row<{ is_current: number }>()?.is_current !== 1) return null;
      return settingsFrom(await session.read('readSettings', READ));
    },
  };
}

function settingsFrom(answer: Answer): StoredSettings {
  const settings = answer.rows<SettingRow>(1).map(({ name, value, updated_at, updated_by }) => {
    return { name, value, updatedAt: updated_at, updatedBy: updated_by };
  });
  return { settings, revision: answer.row<{ revision: number }>()?.revision ?? 0 };
}
