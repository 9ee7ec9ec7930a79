// Owns a look at what is stored in a database file without changing or migrating it, for programs that are not the service.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { StoredSettings } from '../../ports/settings.ts';
import { SchemaRefusal } from '../migrate.ts';
import { kept } from './connection.ts';
import { Session } from './session.ts';
import { readSettings } from './settings.ts';

const HAS_SETTINGS = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'settings'";

/** The settings stored in the file; null when there is no file yet, or no such table in it. */
export function peekSettings(path: string): StoredSettings | null {
  if (!existsSync(path)) return null;
  try {
    return look(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SchemaRefusal(
      `the settings stored in ${path} cannot be read: ${why}. Set CHOKAQ_SQLITE_PATH to a database of ChokaQ that may be read.`,
    );
  }
}

function look(path: string): StoredSettings | null {
  const database = kept(new Database(path, { readonly: true, fileMustExist: true }));
  try {
    const session = new Session(database);
    return session.row(HAS_SETTINGS) === undefined ? null : readSettings(session).body;
  } finally {
    database.close();
  }
}
