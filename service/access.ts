// Owns how a service comes to know its API keys: those of the file, those of the store, and whether it may do without any.
import { ApiKeys } from './application/api-keys.ts';
import { Audit } from './application/audit.ts';
import { KeyRing } from './application/key-ring.ts';
import { readKeysFile } from './config/keys-file.ts';
import { type Config, ConfigError, exposure, isLoopback } from './config.ts';
import { DomainError } from './domain/errors.ts';
import { AccessWatch } from './engine/access-watch.ts';
import type { Log } from './log.ts';
import { openConfiguredStore } from './opening.ts';
import type { Store } from './ports/store.ts';

interface Foundation {
  readonly config: Config;
  readonly store: Store;
  readonly log: Log;
}

export interface Access {
  readonly keys: KeyRing;
  readonly audit: Audit;
  readonly watch: AccessWatch;
  /** While there are no API keys, only callers on this machine are answered. */
  readonly loopbackOnly: boolean;
  /** Operations that need no key although openapi.yaml names a scope. */
  readonly openOperations: readonly string[];
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** Proxies whose word for the caller's address is taken. */
  readonly trustProxy: string[];
}

/** Throws `ConfigError` when strangers would reach a service without keys, or the file of keys is wrong. */
export async function prepareAccess({ config, store, log }: Foundation): Promise<Access> {
  const audit = new Audit(store.audit, log);
  const { apiKeysFile } = config;
  if (apiKeysFile !== null) await applyFile(apiKeysFile, new ApiKeys(store.keys, audit), log);
  const keys = new KeyRing(store.keys);
  await keys.load();
  const fault = keys.isRequired ? null : exposure(config);
  if (fault !== null) throw new ConfigError([fault]);
  return { keys, audit, watch: new AccessWatch({ keys, audit }, log), ...exposureOf(config) };
}

function exposureOf({ host, allowAnonymous, metricsAccess, corsOrigins, trustProxy }: Config) {
  return {
    loopbackOnly: isLoopback(host) && !allowAnonymous,
    openOperations: metricsAccess === 'open' ? ['getMetrics'] : [],
    corsOrigins,
    trustProxy: [...trustProxy],
  };
}

async function applyFile(path: string, keys: ApiKeys, log: Log): Promise<void> {
  const wanted = readKeysFile(path);
  const { created, changed, revoked, stayRevoked } = await keys.applyFile(wanted).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'validation-failed')
      throw new ConfigError([`CHOKAQ_API_KEYS_FILE: ${path}: ${error.message}`]);
    throw error;
  });
  const counts = { created: created.length, changed: changed.length, revoked: revoked.length };
  log.event('keysFromFile', { path, ...counts });
  for (const { name } of stayRevoked) log.event('keyStaysRevoked', { name, path });
}

/** The verbs on keys without a running service, on the store that the service uses. */
export interface KeyDesk {
  readonly keys: ApiKeys;
  close(): Promise<void>;
}

export async function openKeyDesk(config: Config, log: Log): Promise<KeyDesk> {
  const store = await openConfiguredStore(config, log);
  return { keys: new ApiKeys(store.keys, new Audit(store.audit, log)), close: () => store.close() };
}
