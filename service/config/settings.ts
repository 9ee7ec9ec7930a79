// Owns the settings: every one that exists, with its default, range and meaning. The documentation and `chokaq config` repeat this table.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { boolean, choice, file, integer, list, type Setting, text } from './kinds.ts';
import { WORK_SETTINGS } from './work-settings.ts';

/** Not one that a resolver would read as an address in another spelling, such as `127.1`. */
const HOST_NAME = /^(?![\d.]+$)(?=.{1,253}$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;
const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal'];
const NAMES_SERVER = /(?:^|;)\s*(?:server|data source|address|addr|network address)\s*=\s*[^;\s]/i;
const isAddressRange = (value: string) => isIP(value) !== 0 || ipaddr.isValidCIDR(value);

/** Written as a browser sends it: no path, no slash at the end, no default port, and never `*`. */
const isOrigin = (value: string) => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value;

/** The key is the property of `Config`; durations are milliseconds there. */
export const SETTINGS = {
  host: text({
    env: 'CHOKAQ_HOST',
    default: '127.0.0.1',
    shape: 'a host name or an address, without brackets',
    isValid: value => isIP(value) !== 0 || HOST_NAME.test(value),
    meaning: 'Address to listen on. Any but a loopback address needs an API key, or CHOKAQ_ALLOW_ANONYMOUS=true.',
  }),
  port: integer({
    env: 'CHOKAQ_PORT',
    default: 8080,
    min: 0,
    max: 65_535,
    unit: 'port',
    meaning: 'Port to listen on; 0 takes any free one, which the start line prints.',
  }),
  allowAnonymous: boolean({
    env: 'CHOKAQ_ALLOW_ANONYMOUS',
    default: false,
    meaning: 'Let everybody who reaches the service do everything while no API key exists.',
  }),
  apiKeysFile: file('CHOKAQ_API_KEYS_FILE', null, 'YAML file of API keys, read at start.'),
  metricsAccess: choice({
    env: 'CHOKAQ_METRICS_ACCESS',
    default: 'key',
    choices: ['key', 'open'],
    meaning: 'Whether /metrics needs a key with the scope read once keys exist, or is open to everybody.',
  }),
  corsOrigins: list({
    env: 'CHOKAQ_CORS_ORIGINS',
    default: [],
    shape: 'origins such as https://app.example.com',
    isValid: isOrigin,
    meaning: 'Origins whose pages may call the API from a browser; none unless given.',
  }),
  trustProxy: list({
    env: 'CHOKAQ_TRUST_PROXY',
    default: [],
    shape: `addresses, CIDR ranges or ${PROXY_GROUPS.join(', ')}`,
    isValid: value => PROXY_GROUPS.includes(value) || isAddressRange(value),
    meaning: 'Reverse proxies whose X-Forwarded-* headers are believed.',
  }),
  storage: choice({
    env: 'CHOKAQ_STORAGE',
    default: 'sqlite',
    choices: ['sqlite', 'memory', 'mssql'],
    meaning:
      'Where jobs are kept: a file, nowhere (memory is not durable), or SQL Server, which several nodes can share.',
  }),
  sqlitePath: file(
    'CHOKAQ_SQLITE_PATH',
    './data/chokaq.db',
    'The database file of sqlite storage; its folder is made when it does not exist.',
  ),
  mssqlUrl: text({
    env: 'CHOKAQ_MSSQL_URL',
    default: null,
    shape: 'a connection string such as Server=host,1433;Database=name;User Id=user;Password=…;Encrypt=true',
    isValid: value => NAMES_SERVER.test(value),
    isSecret: true,
    meaning: 'Connection string of mssql storage.',
  }),
  mssqlSchema: text({
    env: 'CHOKAQ_MSSQL_SCHEMA',
    default: 'chokaq',
    shape: 'a name of 1 to 64 letters, digits and _ that does not begin with a digit',
    isValid: value => /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(value),
    meaning: 'The schema that holds the tables of mssql storage; each service of its own needs one.',
  }),
  mssqlPoolSize: integer({
    env: 'CHOKAQ_MSSQL_POOL_SIZE',
    default: 10,
    min: 2,
    max: 500,
    unit: 'connections',
    meaning: 'Connections that this process opens to SQL Server at most.',
  }),
  autoMigrate: boolean({
    env: 'CHOKAQ_AUTO_MIGRATE',
    default: true,
    meaning:
      'Bring the schema of the database up to date at start. If false, a start only looks, and `chokaq migrate` does it.',
  }),
  memoryCapacity: integer({
    env: 'CHOKAQ_MEMORY_CAPACITY',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    unit: 'rows',
    meaning: 'Rows that memory storage keeps; beyond them the oldest finished jobs go first, active ones never.',
  }),
  ...WORK_SETTINGS,
  handlersFile: file('CHOKAQ_HANDLERS_FILE', null, 'YAML file of handlers that are registered at start.'),
  webhookAllow: list({
    env: 'CHOKAQ_WEBHOOK_ALLOW',
    default: [],
    shape: 'addresses, CIDR ranges or host suffixes',
    isValid: value => isAddressRange(value) || HOST_NAME.test(value.replace(/^\*?\.|\.$/g, '')),
    meaning: 'Private addresses and hosts that handlers may have although the service can be reached from elsewhere.',
  }),
} as const;

/** All effective settings. Durations in milliseconds; what is not set is null. */
export type Config = {
  readonly [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key] extends Setting<infer Value> ? Value : never;
};
