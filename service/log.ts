// Owns the log: one table of what can be said, with stable numbers and levels, and the writer of JSON lines (readable on a terminal).
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import pretty from 'pino-pretty';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface LogEvent {
  /** Stable for ever: alerts and dashboards refer to it. Never reused. */
  readonly id: number;
  readonly level: Exclude<LogLevel, 'silent'>;
  /** `{field}` stands for the value of that field. */
  readonly text: string;
}

/** 1000 service and engine, 2000 executions, 2100 transitions, 3000 enqueue, 4000 recovery, 5000 storage, 6000 operators. */
export const EVENTS = {
  serviceStarting: { id: 1000, level: 'info', text: 'ChokaQ {version} is starting on {storage} storage' },
  serviceListening: { id: 1001, level: 'info', text: 'listening on {url}' },
  memoryMode: {
    id: 1002,
    level: 'warn',
    text: 'memory storage is not durable: every job is lost when this process ends',
  },
  anonymousMode: { id: 1003, level: 'warn', text: 'no API key exists: whoever reaches {host} may do everything' },
  loopbackMode: {
    id: 1004,
    level: 'info',
    text: 'no API key exists: only callers on this machine are answered, under the names localhost, 127.0.0.1 and [::1]',
  },
  shutdownStarted: { id: 1010, level: 'info', text: 'shutting down after {signal}' },
  shutdownFinished: { id: 1011, level: 'info', text: 'shut down' },
  shutdownFailed: { id: 1013, level: 'error', text: 'could not shut down in order' },
  shutdownForced: { id: 1012, level: 'error', text: 'second {signal}: leaving at once' },
  claimLoopRestarted: { id: 1021, level: 'error', text: 'the claim loop hung and was started afresh' },
  loopFailed: { id: 1022, level: 'error', text: 'a step of the {loop} loop failed and is tried again' },
  heartbeatFailed: { id: 1030, level: 'warn', text: 'a heartbeat failed' },
  circuitOpened: {
    id: 1050,
    level: 'warn',
    text: 'the circuit of {type} opened: its jobs wait until the handler has had its break',
  },
  circuitHalfOpened: { id: 1051, level: 'info', text: 'the circuit of {type} lets one job through to try the handler' },
  circuitClosed: { id: 1052, level: 'info', text: 'the circuit of {type} closed: its jobs run again' },
  circuitForced: {
    id: 1053,
    level: 'warn',
    text: 'the circuit of {type} was forced open: its jobs wait until a reset',
  },
  circuitReset: { id: 1054, level: 'info', text: 'the circuit of {type} was reset: its jobs run again' },
  auditFailed: {
    id: 1041,
    level: 'error',
    text: '{action} of {target} by {actor} could not be written to the audit log',
  },
  requestFailed: { id: 1040, level: 'error', text: 'a request met a bug in the service: {method} {path}' },

  attemptStarted: { id: 2000, level: 'debug', text: 'attempt started' },
  attemptFinished: { id: 2001, level: 'debug', text: 'attempt finished: {outcome}' },
  executionFailed: { id: 2002, level: 'error', text: 'an execution met a bug in the service' },
  moveRetried: { id: 2003, level: 'error', text: 'the move {move} of job {jobId} met a bug and is tried again' },
  jobLeft: {
    id: 2004,
    level: 'error',
    text: 'job {jobId} could not be ended: recovery ends it once its heartbeat is too old',
  },

  jobRetried: { id: 2100, level: 'info', text: 'job {jobId} is tried again later' },
  jobBuried: { id: 2101, level: 'warn', text: 'job {jobId} is dead: {reason}' },
  leaseLost: { id: 2102, level: 'warn', text: 'job {jobId} is no longer ours: nothing was changed' },

  jobEnqueued: { id: 3000, level: 'debug', text: 'job {jobId} was enqueued' },

  recoveredFetched: { id: 4000, level: 'info', text: '{count} claimed but unstarted jobs went back to pending' },
  recoveredZombies: { id: 4001, level: 'warn', text: '{count} started jobs of lost nodes were recovered' },

  recoveryFailed: {
    id: 4002,
    level: 'error',
    text: 'job {jobId} of a lost node met a bug while it was recovered; it is tried again with the next scan',
  },

  storageOpened: { id: 5000, level: 'info', text: 'storage opened' },
  storageRetried: { id: 5001, level: 'warn', text: 'storage failed in a way that may pass: the work is tried again' },
  storageFailed: { id: 5002, level: 'error', text: 'storage is away' },
  tablesUncompressed: {
    id: 5004,
    level: 'info',
    text: 'this server does not compress the table {table}: everything works, and takes more room',
  },
  storageAwaited: {
    id: 5005,
    level: 'warn',
    text: 'listening on {url}, but the database is away, and nothing is done until it answers: {why}',
  },
  retained: { id: 5003, level: 'info', text: '{removed} rows passed their retention and were removed' },

  settingsChanged: { id: 6020, level: 'info', text: 'stored settings of revision {revision} hold on this node' },
  settingsRefused: {
    id: 6021,
    level: 'error',
    text: 'stored settings cannot hold on this node, which goes on with those it had: {faults}',
  },
  settingsUnknown: { id: 6022, level: 'warn', text: 'this version knows no setting {names}, which is stored' },

  keysFromFile: {
    id: 6010,
    level: 'info',
    text: 'API keys of {path}: {created} new, {changed} changed, {revoked} revoked',
  },
  keyStaysRevoked: {
    id: 6011,
    level: 'warn',
    text: 'the API key {name} is in {path} but was revoked with `chokaq keys revoke`; only a new secret brings it back',
  },
  handlerRegistered: { id: 6000, level: 'info', text: 'handler registered for {type}' },
  handlerRemoved: { id: 6001, level: 'info', text: 'handler of {type} removed' },
  handlersFromFile: {
    id: 6003,
    level: 'info',
    text: 'handlers of {path}: {created} new, {changed} changed, {removed} removed',
  },
  handlerReleased: {
    id: 6004,
    level: 'warn',
    text: 'the handler of {type} is no longer in {path}, but jobs depend on it: it stays until somebody removes it',
  },
  operationFinished: { id: 6030, level: 'info', text: 'bulk {action} finished: {affected} of {total} jobs' },
  operationTaken: { id: 6031, level: 'warn', text: 'operation {operation} of another node is carried on here' },
  operationRetried: { id: 6032, level: 'error', text: 'a batch of operation {operation} met a bug and is tried again' },
  operationFailed: {
    id: 6033,
    level: 'error',
    text: 'operation {operation} has failed: the same batch met a bug at each try',
  },
  jobResurrected: { id: 6002, level: 'debug', text: 'job {jobId} was resurrected' },
} as const satisfies Record<string, LogEvent>;

export type EventName = keyof typeof EVENTS;

/** What an event is about. `err` is the error behind it. Payloads and secrets never go in; what is named like one is left out. */
export type LogFields = Readonly<Record<string, unknown>>;

export interface Log {
  event(name: EventName, fields?: LogFields): void;
}

/** A log whose least level can change. */
export interface AdjustableLog extends Log {
  setLevel(level: LogLevel): void;
}

const NEVER_LOGGED = ['payload', 'secret', 'apiKey', 'authorization', 'headers', 'body'];
const LONGEST_CAUSE_CHAIN = 5;

/** JSON lines on stdout, or readable ones when stdout is a terminal; `stream` takes the place of stdout. */
export function createLog(level: LogLevel, stream: DestinationStream = standardOutput()): AdjustableLog {
  const logger = pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: { err: describeError },
      redact: { paths: NEVER_LOGGED, remove: true },
    },
    stream,
  );
  return new PinoLog(logger);
}

class PinoLog implements AdjustableLog {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  setLevel(level: LogLevel): void {
    this.#logger.level = level;
  }

  event(name: EventName, fields: LogFields = {}): void {
    const { id, level, text } = EVENTS[name];
    if (!this.#logger.isLevelEnabled(level)) return;
    this.#logger[level]({ eventId: id, event: name, ...fields }, filled(text, fields));
  }
}

function filled(text: string, fields: LogFields): string {
  return text.replace(/\{(\w+)\}/g, (_, field: string) => String(fields[field] ?? 'unknown'));
}

/** Only what is known to be harmless: an error's other properties may hold what it was called with. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error))
    return { message: typeof error === 'string' ? error : `threw ${typeof error}, not an error` };
  const messages: string[] = [];
  let cause: unknown = error;
  for (let depth = 0; cause instanceof Error && depth < LONGEST_CAUSE_CHAIN; depth++) {
    messages.push(cause.message);
    cause = cause.cause;
  }
  const code = 'code' in error ? error.code : undefined;
  return { type: error.name, code, message: messages.join(': '), stack: error.stack };
}

function standardOutput(): DestinationStream {
  if (process.stdout.isTTY)
    return pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname,event' });
  return pino.destination({ dest: 1, sync: true });
}
