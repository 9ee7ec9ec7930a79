// Owns which store the configuration means: the service and the commands that work without it open the same one.
import { MachineClock } from './clock.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { StoredSettings } from './ports/settings.ts';
import type { Store } from './ports/store.ts';
import { migrateStore, openStore, peekStore, type StoreOptions, type StoreTarget } from './storage/open.ts';

export function openConfiguredStore(config: Config, log: Log, onRetry?: StoreOptions['onRetry']): Promise<Store> {
  return openStore(targetOf(config), { clock: new MachineClock(), log, onRetry });
}

/** Whatever the settings say about migrating at the start: who calls this has asked for it. */
export function migrateConfigured(config: Config): Promise<readonly string[]> {
  return migrateStore(targetOf(config));
}

/** What is stored for all nodes, without opening the database as a service would; null when there is none yet. */
export async function peekConfigured(config: Config): Promise<StoredSettings | null> {
  return peekStore(targetOf(config));
}

function targetOf(config: Config): StoreTarget {
  const { storage, autoMigrate: migrates } = config;
  if (storage === 'memory') return { kind: 'memory', capacity: config.memoryCapacity };
  if (storage === 'sqlite') return { kind: 'sqlite', path: config.sqlitePath, migrates };
  const { mssqlUrl: url, mssqlSchema: schema, mssqlPoolSize: poolSize } = config;
  if (url === null) throw new Error('the configuration was not checked: mssql storage without a connection string');
  return { kind: 'mssql', url, schema, poolSize, migrates };
}
