// Owns one database at work: every read and every write transaction is one request, so that no stalled node ever holds a lock.
import { randomUUID } from 'node:crypto';
import sql from 'mssql';
import type { Log } from '../../log.ts';
import { type RetryKind, withRetries } from '../retry.ts';
import { CircuitCopy } from './circuit-copy.ts';
import { classify, isOpen, isOvertaken, retryKind } from './faults.ts';
import type { ServerClock } from './server-clock.ts';

/** An absent byte string: the server does not convert an untyped NULL to VARBINARY. */
export const NO_BYTES = Symbol('no bytes');
export type Value = string | number | Uint8Array | null | typeof NO_BYTES;
export type Values = Readonly<Record<string, Value>>;

/** The result sets of a request, by position; BIGINT comes as a number. */
export class Answer {
  readonly #sets: readonly (readonly object[])[];
  /** The database's time of the request, epoch ms. */
  readonly now: number;

  constructor(sets: readonly (readonly object[])[], now: number) {
    this.#sets = sets;
    this.now = now;
  }

  /** Columns are named as in the statement; what is missing there is a bug of the statement. */
  rows<T extends object>(set = 0): readonly T[] {
    return (this.#sets[set] ?? []) as readonly T[];
  }

  row<T extends object>(set = 0): T | undefined {
    return this.rows<T>(set)[0];
  }
}

export interface WriteText {
  /** Declarations before the transaction, for what `when` and `answer` share with it. */
  readonly before?: string;
  /** When this condition does not hold, there is no transaction, and no turn is taken: only `before` and `answer` run. */
  readonly when?: string;
  /** Statements inside the transaction. `@now` is the time of the transaction, epoch ms. */
  readonly work: string;
  /** SELECTs after the commit, from table variables that `work` has filled: sending rows must not keep a lock. */
  readonly answer?: string;
}

export interface SessionOptions {
  readonly clock: ServerClock;
  /** In brackets. */
  readonly schema: string;
  readonly log?: Log | undefined;
  readonly onRetry?: ((verb: string, kind: RetryKind) => void) | undefined;
}

/** Below the driver's 15 s, so that a statement that waits for a lock ends on the server before its request is given up. */
const LOCK_TIMEOUT_MS = 10_000;
/** How often a decision that others have overtaken is made anew before the call counts as failed. */
const DECISIONS = 50;

const SETTINGS = `SET NOCOUNT OFF; SET XACT_ABORT ON; SET LOCK_TIMEOUT ${LOCK_TIMEOUT_MS}; SET TRANSACTION ISOLATION LEVEL READ COMMITTED;`;
const SERVER_TIME = "DATEDIFF_BIG(MILLISECOND, '1970-01-01', SYSUTCDATETIME()) + @skew;";
const NOW = `DECLARE @now BIGINT = ${SERVER_TIME}`;

export class Session {
  readonly #pool: sql.ConnectionPool;
  readonly #options: SessionOptions;
  readonly #texts = new Map<string, string>();
  readonly circuits = new CircuitCopy(this);
  /** Tells the writes of this session from those of all others. */
  readonly writer = randomUUID();
  /** Requests sent so far. */
  roundTrips = 0;

  constructor(pool: sql.ConnectionPool, options: SessionOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Statements that change nothing, each on a view of its own. `@now` is the database's time. */
  read(verb: string, text: string, values: Values = {}): Promise<Answer> {
    return this.retried(verb, () =>
      this.#ask(text, values, whole => `${SETTINGS} ${NOW} ${whole}; SELECT @now AS now;`),
    );
  }

  /** One write transaction, which no other of the service runs beside: it begins by taking the turn. */
  write(verb: string, text: WriteText, values: Values = {}): Promise<Answer> {
    return this.retried(verb, () => this.writeOnce(text, values));
  }

  /**
   * Runs `decide`, which reads and then calls `writeOnce` with a guard (`OVERTAKEN_IF`) on what it has read, until nothing
   * it had read was changed by others in between.
   */
  decided<T>(verb: string, decide: () => Promise<T>): Promise<T> {
    return this.retried(verb, async () => {
      for (let left = DECISIONS; ; left--) {
        try {
          return await decide();
        } catch (error) {
          if (!isOvertaken(error) || left === 1) throw error;
        }
      }
    });
  }

  /** For `decided` only: one try. */
  writeOnce(text: WriteText, values: Values = {}): Promise<Answer> {
    const { work, answer = '', before = '', when = '' } = text;
    return this.#ask([work, answer, before, when].join('\u0000'), values, whole =>
      transaction(...(whole.split('\u0000') as [string, string, string, string])),
    );
  }

  /** For `decided` only: one try. */
  readOnce(text: string, values: Values = {}): Promise<Answer> {
    return this.#ask(text, values, whole => `${SETTINGS} ${NOW} ${whole}; SELECT @now AS now;`);
  }

  retried<T>(verb: string, attempt: () => Promise<T>): Promise<T> {
    const { log, onRetry } = this.#options;
    const onFault = (err: unknown, again: boolean) => {
      log?.event(again ? 'storageRetried' : 'storageFailed', { verbs: [verb], err });
      if (again) onRetry?.(verb, retryKind(err));
    };
    return withRetries({ classify, isOpen, onFault }, attempt);
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #ask(text: string, values: Values, wrap: (text: string) => string): Promise<Answer> {
    const { clock } = this.#options;
    const { skewMs } = clock;
    const request = this.#pool.request().input('skew', sql.BigInt, skewMs);
    for (const [name, value] of Object.entries(values)) request.input(name, ...typed(value));
    this.roundTrips += 1;
    const sentAt = Date.now();
    const { recordsets } = await request.query<object>(this.#inSchema(text, wrap));
    const sets = (recordsets as sql.IRecordSet<object>[]).map(withNumbers);
    const last = sets.pop()?.[0] as { readonly now: number } | undefined;
    if (last === undefined) throw new Error('a request ended without telling the time');
    clock.learn(last.now - skewMs, sentAt);
    return new Answer(sets, last.now);
  }

  #inSchema(text: string, wrap: (text: string) => string): string {
    let whole = this.#texts.get(text);
    if (whole === undefined) {
      whole = wrap(text).replaceAll(/\bchokaq\./g, `${this.#options.schema}.`);
      if (this.#texts.size < 1_000) this.#texts.set(text, whole);
    }
    return whole;
  }
}

/** Ends the transaction as overtaken when the condition holds: what had been read has changed since. */
export function overtakenIf(condition: string): string {
  return `IF ${condition} THROW 51000, 'overtaken', 1;`;
}

function transaction(work: string, answer: string, before: string, when: string): string {
  const isConditional = when !== '';
  return `${SETTINGS} ${before}
    ${isConditional ? `${NOW} IF ${when} BEGIN` : ''}
    BEGIN TRY
      BEGIN TRANSACTION;
      UPDATE chokaq.revisions SET value = value + 1 WHERE name = 'turn';
      ${isConditional ? `SET @now = ${SERVER_TIME}` : NOW}
      ${work}
      COMMIT;
    END TRY
    BEGIN CATCH
      IF @@TRANCOUNT > 0 ROLLBACK;
      THROW;
    END CATCH
    ${isConditional ? 'END' : ''}
    ${answer}
    SELECT @now AS now;`;
}

/** Short texts are not sent as MAX, which would keep the server from seeking by them. */
const SHORT = 4_000;

function typed(value: Value): [sql.ISqlType | (() => sql.ISqlType), unknown] {
  if (value === NO_BYTES) return [sql.VarBinary(sql.MAX), null];
  if (typeof value === 'number') return [sql.BigInt, value];
  if (value === null) return [sql.NVarChar(SHORT), null];
  if (typeof value === 'string') return [sql.NVarChar(value.length <= SHORT ? SHORT : sql.MAX), value];
  return [sql.VarBinary(sql.MAX), Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
}

/** The driver gives BIGINT as text; no instant, duration or count here is beyond what a number holds. */
function withNumbers(set: sql.IRecordSet<object>): readonly object[] {
  const names = Object.values(set.columns)
    .filter(({ type }) => type === sql.BigInt)
    .map(({ name }) => name);
  if (names.length === 0) return set;
  return set.map(row => {
    const numbers = names.map(name => [name, numberOf((row as Record<string, unknown>)[name])]);
    return { ...row, ...Object.fromEntries(numbers) };
  });
}

function numberOf(value: unknown): number | null {
  return value === null ? null : Number(value);
}
