// Owns what settings must be to one another, each rule with its reason; a single value's own range is in the table.
import ipaddr from 'ipaddr.js';
import { formatDuration } from '../domain/duration.ts';
import { type Queue, shortestZombieTimeoutMs } from '../domain/queue.ts';
import { type Config, SETTINGS } from './settings.ts';

interface Check {
  /** It is asked only when all of these were valid by themselves. */
  readonly about: readonly (keyof Config)[];
  /** What is wrong, as a sentence that begins with the setting to change, or null. */
  find(config: Config): string | null;
}

const CHECKS: readonly Check[] = [
  {
    about: ['storage', 'mssqlUrl'],
    find: ({ storage, mssqlUrl }) =>
      storage === 'mssql' && mssqlUrl === null
        ? 'CHOKAQ_MSSQL_URL: mssql storage needs the connection string of its database, such as Server=host,1433;Database=name;User Id=user;Password=…;Encrypt=true.'
        : null,
  },
  {
    about: ['heartbeatMinMs', 'heartbeatMaxMs'],
    find: ({ heartbeatMinMs: min, heartbeatMaxMs: max }) =>
      min <= max
        ? null
        : `CHOKAQ_HEARTBEAT_MIN: ${formatDuration(min)} is longer than CHOKAQ_HEARTBEAT_MAX (${formatDuration(max)}); each pause is drawn between the two.`,
  },
  {
    about: ['zombieTimeoutMs', 'heartbeatMaxMs'],
    find: ({ zombieTimeoutMs: zombie, heartbeatMaxMs: heartbeat }) =>
      zombie >= shortestZombieTimeoutMs(heartbeat)
        ? null
        : `CHOKAQ_ZOMBIE_TIMEOUT: ${formatDuration(zombie)} is less than three times CHOKAQ_HEARTBEAT_MAX (${formatDuration(heartbeat)}); one late heartbeat would make a running job a zombie.`,
  },
  {
    about: ['retryBaseMs', 'retryMaxMs'],
    find: ({ retryBaseMs: base, retryMaxMs: max }) =>
      base <= max
        ? null
        : `CHOKAQ_RETRY_BASE: ${formatDuration(base)} is longer than CHOKAQ_RETRY_MAX (${formatDuration(max)}), which no wait may pass.`,
  },
];

export interface Contradiction {
  readonly about: readonly (keyof Config)[];
  /** Begins with the setting to change. */
  readonly sentence: string;
}

/** What is wrong with settings that are each valid by themselves; `invalid` names those that are not even that. */
export function contradictions(config: Config, invalid: ReadonlySet<keyof Config>): Contradiction[] {
  const asked = CHECKS.filter(({ about }) => !about.some(key => invalid.has(key)));
  return asked.flatMap(({ about, find }) => {
    const sentence = find(config);
    return sentence === null ? [] : [{ about, sentence }];
  });
}

/** Where a queue's own zombie timeout, set while nodes beat more often, contradicts how this one is configured. */
export function queueFaults(
  queues: readonly Pick<Queue, 'name' | 'zombieTimeoutMs'>[],
  { heartbeatMaxMs }: Config,
): string[] {
  return queues.flatMap(({ name, zombieTimeoutMs: zombie }) =>
    zombie === null || zombie >= shortestZombieTimeoutMs(heartbeatMaxMs)
      ? []
      : `CHOKAQ_HEARTBEAT_MAX: ${formatDuration(heartbeatMaxMs)} is more than a third of the zombieTimeout of queue ${JSON.stringify(name)} (${formatDuration(zombie)}), whose running jobs one late heartbeat would make zombies; set it lower, or give the queue another one before with PATCH /queues/{name}.`,
  );
}

/** Whether only this machine can reach an address or host name. */
export function isLoopback(host: string): boolean {
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback';
  return host.toLowerCase() === 'localhost';
}

/** Why a service without any API key must not listen there, or null when it may. */
export function exposure(config: Config): string | null {
  const { host, storage } = config;
  if (config.allowAnonymous || isLoopback(host)) return null;
  const first =
    storage === 'memory'
      ? 'Name a file of API keys in CHOKAQ_API_KEYS_FILE (docs/access.md), for memory storage keeps none.'
      : `Make the first key, which is printed this once, and start again:\n    ${storagePrefix(config)}node dist/service/cli/main.js keys create admin --scopes all`;
  return [
    `CHOKAQ_HOST: ${host} can be reached from other machines, and without API keys whoever reaches it may do everything.`,
    first,
    'If something else keeps strangers away, start it with',
    `    CHOKAQ_ALLOW_ANONYMOUS=true CHOKAQ_HOST=${host} npm start`,
  ].join('\n');
}

/** So that the command makes its key where the service looks for it. */
function storagePrefix({ storage, sqlitePath }: Config): string {
  return storage === 'sqlite' && sqlitePath !== SETTINGS.sqlitePath.default
    ? `CHOKAQ_SQLITE_PATH=${quoted(sqlitePath)} `
    : '';
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
