// Owns the settings: every one that exists, with its default, range and meaning. The documentation and `chokaq config` repeat this table.
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LIMITS } from '../domain/job.ts';
import { DEFAULT_ATTEMPT_POLICY } from '../domain/retry.ts';
import { LOG_LEVELS } from '../log.ts';
import { boolean, choice, decimal, duration, durationOrNone, integer, list, type Setting, text } from './kinds.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const { retry, maxAttempts, timeoutMs } = DEFAULT_ATTEMPT_POLICY;

/** Not one that a resolver would read as an address in another spelling, such as `127.1`. */
const HOST_NAME = /^(?![\d.]+$)(?=.{1,253}$)[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;
const PROXY_GROUPS = ['loopback', 'linklocal', 'uniquelocal'];
const isAddressRange = (value: string) => isIP(value) !== 0 || ipaddr.isValidCIDR(value);

function file<T extends string | null>(env: string, path: T, meaning: string): Setting<string | T> {
  return text({ env, default: path, shape: 'the path of a file', isValid: value => !value.includes('\0'), meaning });
}

/** The key is the property of `Config`; durations are milliseconds there. */
export const SETTINGS = {
  host: text({
    env: 'CHOKAQ_HOST',
    default: '127.0.0.1',
    shape: 'a host name or an address, without brackets',
    isValid: value => isIP(value) !== 0 || HOST_NAME.test(value),
    meaning: 'Address to listen on. Any but a loopback address needs CHOKAQ_ALLOW_ANONYMOUS=true.',
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
  apiKeysFile: file('CHOKAQ_API_KEYS_FILE', null, 'File of API keys; not served yet.'),
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
    meaning: 'Where jobs are kept. Memory is not durable; mssql is not served yet.',
  }),
  sqlitePath: file(
    'CHOKAQ_SQLITE_PATH',
    './data/chokaq.db',
    'The database file of sqlite storage; its folder is made when it does not exist.',
  ),
  mssqlUrl: text({
    env: 'CHOKAQ_MSSQL_URL',
    default: null,
    shape: 'a connection string',
    isValid: () => true,
    isSecret: true,
    meaning: 'Connection string of mssql storage, which is not served yet.',
  }),
  memoryCapacity: integer({
    env: 'CHOKAQ_MEMORY_CAPACITY',
    default: 100_000,
    min: 1,
    max: 10_000_000,
    unit: 'rows',
    meaning: 'Rows that memory storage keeps; beyond them the oldest finished jobs go first, active ones never.',
  }),
  concurrency: integer({
    env: 'CHOKAQ_CONCURRENCY',
    default: 50,
    min: 1,
    max: 10_000,
    unit: 'calls',
    meaning: 'Handler calls in flight at once in this process.',
  }),
  pollIntervalMs: duration({
    env: 'CHOKAQ_POLL_INTERVAL',
    default: SECOND,
    min: 10,
    max: DAY,
    meaning: 'How often an idle process looks for jobs that others stored; its own start at once.',
  }),
  executionTimeoutMs: duration({
    env: 'CHOKAQ_EXECUTION_TIMEOUT',
    default: timeoutMs,
    min: LIMITS.timeoutMinMs,
    max: LIMITS.timeoutMaxMs,
    meaning: 'Longest call of a handler; job, handler and queue may set their own.',
  }),
  fetchedTimeoutMs: duration({
    env: 'CHOKAQ_FETCHED_TIMEOUT',
    default: 10 * MINUTE,
    min: 100,
    max: DAY,
    meaning: 'A claimed but unstarted job older than this goes back to pending.',
  }),
  zombieTimeoutMs: duration({
    env: 'CHOKAQ_ZOMBIE_TIMEOUT',
    default: 10 * MINUTE,
    min: SECOND,
    max: DAY,
    meaning: 'A running job without a heartbeat for this long is taken from its lost node; at least three heartbeats.',
  }),
  recoveryIntervalMs: duration({
    env: 'CHOKAQ_RECOVERY_INTERVAL',
    default: MINUTE,
    min: 100,
    max: DAY,
    meaning: 'How often jobs of lost nodes are looked for.',
  }),
  heartbeatMinMs: duration({
    env: 'CHOKAQ_HEARTBEAT_MIN',
    default: 8 * SECOND,
    min: 10,
    max: HOUR,
    meaning: 'Shortest pause between heartbeats of running jobs.',
  }),
  heartbeatMaxMs: duration({
    env: 'CHOKAQ_HEARTBEAT_MAX',
    default: 12 * SECOND,
    min: 10,
    max: HOUR,
    meaning: 'Longest pause between heartbeats of running jobs.',
  }),
  cancelOnHeartbeatFailure: boolean({
    env: 'CHOKAQ_CANCEL_ON_HEARTBEAT_FAILURE',
    default: false,
    meaning: 'Give running calls up when 10 heartbeats in a row failed.',
  }),
  shutdownGraceMs: duration({
    env: 'CHOKAQ_SHUTDOWN_GRACE',
    default: 20 * SECOND,
    min: 0,
    max: HOUR,
    meaning: 'How long running calls may finish after SIGTERM; add 5s for the container to stop.',
  }),
  shutdownDelayMs: duration({
    env: 'CHOKAQ_SHUTDOWN_DELAY',
    default: 0,
    min: 0,
    max: HOUR,
    meaning: 'How long the service goes on as not ready after SIGTERM, for load balancers to notice.',
  }),
  maxAttempts: integer({
    env: 'CHOKAQ_MAX_ATTEMPTS',
    default: maxAttempts,
    min: 1,
    max: LIMITS.maxAttempts,
    unit: 'attempts',
    meaning: 'Executions of a job in all; job and handler may set their own.',
  }),
  maxJobAgeMs: durationOrNone({
    env: 'CHOKAQ_MAX_JOB_AGE',
    default: retry.maxAgeMs,
    min: SECOND,
    max: LIMITS.delayMs,
    meaning: 'A job is not tried again when it would start later than this after it was first due.',
  }),
  retryBaseMs: duration({
    env: 'CHOKAQ_RETRY_BASE',
    default: retry.baseMs,
    min: 0,
    max: LIMITS.delayMs,
    meaning: 'Wait after the first failed attempt.',
  }),
  retryFactor: decimal({
    env: 'CHOKAQ_RETRY_FACTOR',
    default: retry.factor,
    min: 1,
    max: 100,
    meaning: 'What each further wait is multiplied by.',
  }),
  retryMaxMs: duration({
    env: 'CHOKAQ_RETRY_MAX',
    default: retry.maxMs,
    min: 0,
    max: LIMITS.delayMs,
    meaning: 'Longest wait between attempts.',
  }),
  retryJitterMs: duration({
    env: 'CHOKAQ_RETRY_JITTER',
    default: retry.jitterMs,
    min: 0,
    max: DAY,
    meaning: 'Up to this much is added to each wait at random.',
  }),
  maxPayloadBytes: integer({
    env: 'CHOKAQ_MAX_PAYLOAD_BYTES',
    default: 1_000_000,
    min: 1,
    max: LIMITS.batchBytes,
    unit: 'bytes',
    meaning: 'Largest payload of one job.',
  }),
  requireRegisteredTypes: boolean({
    env: 'CHOKAQ_REQUIRE_REGISTERED_TYPES',
    default: true,
    meaning: 'Refuse jobs whose type has no handler.',
  }),
  handlersFile: file(
    'CHOKAQ_HANDLERS_FILE',
    null,
    'YAML file of handlers that are registered at start; not served yet.',
  ),
  webhookAllow: list({
    env: 'CHOKAQ_WEBHOOK_ALLOW',
    default: [],
    shape: 'addresses, CIDR ranges or host suffixes',
    isValid: value => isAddressRange(value) || HOST_NAME.test(value.replace(/^\*?\.|\.$/g, '')),
    meaning: 'Private addresses and hosts that handlers may have although the service can be reached from elsewhere.',
  }),
  retentionArchiveMs: duration({
    env: 'CHOKAQ_RETENTION_ARCHIVE',
    default: 7 * DAY,
    min: SECOND,
    max: LIMITS.delayMs,
    meaning: 'How long succeeded jobs are kept.',
  }),
  retentionDlqMs: duration({
    env: 'CHOKAQ_RETENTION_DLQ',
    default: 30 * DAY,
    min: SECOND,
    max: LIMITS.delayMs,
    meaning: 'How long dead jobs are kept.',
  }),
  logLevel: choice({
    env: 'CHOKAQ_LOG_LEVEL',
    default: 'info',
    choices: LOG_LEVELS,
    meaning: 'The least important events that are logged.',
  }),
} as const;

/** All effective settings. Durations in milliseconds; what is not set is null. */
export type Config = {
  readonly [Key in keyof typeof SETTINGS]: (typeof SETTINGS)[Key] extends Setting<infer Value> ? Value : never;
};
