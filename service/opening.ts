// Owns which store the configuration means: the service and the commands that work without it open the same one.
import { MachineClock } from './clock.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { Store } from './ports/store.ts';
import { openStore, type StoreOptions, type StoreTarget } from './storage/open.ts';

export function openConfiguredStore(config: Config, log: Log, onRetry?: StoreOptions['onRetry']): Promise<Store> {
  return openStore(targetOf(config), { clock: new MachineClock(), log, onRetry });
}

function targetOf({ storage, sqlitePath, memoryCapacity }: Config): StoreTarget {
  return storage === 'memory' ? { kind: 'memory', capacity: memoryCapacity } : { kind: 'sqlite', path: sqlitePath };
}
