// Owns a store on SQL Server: all ports over one database, which is reached and has its schema before anything is asked of it.
import type sql from 'mssql';
import type { Log } from '../../log.ts';
import type { StoredSettings } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import type { RetryKind } from '../retry.ts';
import { auditOver } from './audit.ts';
import { check } from './check.ts';
import { circuitsOver } from './circuits.ts';
import { compressTables } from './compression.ts';
import { type ConnectionTarget, connect, placeOf, schemaFrom } from './connection.ts';
import { familiesOver } from './families.ts';
import { handlersOver } from './handlers.ts';
import { jobsOver } from './jobs.ts';
import { keysOver } from './keys.ts';
import { nodesOver } from './nodes.ts';
import { operationsOver } from './operations.ts';
import { queuesOver } from './queues.ts';
import { hasTable, migrate, requireSchema } from './schema.ts';
import { ServerClock } from './server-clock.ts';
import { Session } from './session.ts';
import { settingsOver } from './settings.ts';
import { statsOver } from './stats.ts';

export interface MssqlTarget extends ConnectionTarget {
  readonly kind: 'mssql';
  readonly schema: string;
  /** False: the schema must be there already. */
  readonly migrates?: boolean;
}

export interface MssqlOptions {
  readonly log?: Log | undefined;
  readonly onRetry?: ((verb: string, kind: RetryKind) => void) | undefined;
  /** Only tests bring one, to move the time. */
  readonly clock?: ServerClock;
}

/** A store whose clock is the server's. One try: whoever opens decides how long to wait for a server that is away. */
export async function openMssql(target: MssqlTarget, options: MssqlOptions = {}): Promise<Store> {
  const schema = schemaFrom(target.schema);
  const pool = await connect(target);
  try {
    if (target.migrates ?? true) await bringUpToDate(pool, schema, options.log);
    else await requireSchema(pool, schema);
  } catch (error) {
    await pool.close();
    throw error;
  }
  options.log?.event('storageOpened', { ...placeOf(target), schema: target.schema });
  const clock = options.clock ?? new ServerClock();
  return storeOver(new Session(pool, { ...options, clock, schema }), clock);
}

/** Brings the schema up to date and answers the names of what was applied. */
export async function migrateMssql(target: MssqlTarget): Promise<readonly string[]> {
  const schema = schemaFrom(target.schema);
  const pool = await connect(target);
  return bringUpToDate(pool, schema).finally(() => pool.close());
}

async function bringUpToDate(pool: sql.ConnectionPool, schema: string, log?: Log): Promise<readonly string[]> {
  const applied = await migrate(pool, schema);
  if (applied.length > 0) await compressTables(pool, schema, log);
  return applied;
}

/** The settings stored in the database, which is not changed; null when it has none yet. */
export async function peekMssql(target: MssqlTarget): Promise<StoredSettings | null> {
  const schema = schemaFrom(target.schema);
  const session = new Session(await connect(target), { clock: new ServerClock(), schema });
  try {
    return (await hasTable(session, 'settings')) ? await settingsOver(session).read() : null;
  } finally {
    await session.close();
  }
}

function storeOver(session: Session, clock: ServerClock): Store {
  const jobs = jobsOver(session);
  return {
    clock,
    jobs,
    queues: queuesOver(session),
    handlers: handlersOver(session),
    circuits: circuitsOver(session),
    nodes: nodesOver(session),
    keys: keysOver(session),
    audit: auditOver(session),
    settings: settingsOver(session),
    families: familiesOver(session),
    stats: statsOver(session),
    operations: operationsOver(session),
    check: () => check(session),
    close: async () => {
      await jobs.idle();
      await session.close();
    },
  };
}
