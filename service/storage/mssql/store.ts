// Owns a store on SQL Server: all ports over one database.
import type { Log } from '../../log.ts';
import type { Store } from '../../ports/store.ts';
import type { RetryKind } from '../retry.ts';
import { auditOver } from './audit.ts';
import { check } from './check.ts';
import { circuitsOver } from './circuits.ts';
import { poolFor, schemaFrom } from './connection.ts';
import { familiesOver } from './families.ts';
import { handlersOver } from './handlers.ts';
import { jobsOver } from './jobs.ts';
import { keysOver } from './keys.ts';
import { nodesOver } from './nodes.ts';
import { operationsOver } from './operations.ts';
import { queuesOver } from './queues.ts';
import { migrate } from './schema.ts';
import { ServerClock } from './server-clock.ts';
import { Session } from './session.ts';
import { settingsOver } from './settings.ts';
import { statsOver } from './stats.ts';

export interface MssqlTarget {
  readonly kind: 'mssql';
  /** An ADO connection string. */
  readonly url: string;
  readonly schema: string;
}

export interface MssqlOptions {
  readonly log?: Log | undefined;
  readonly onRetry?: ((verb: string, kind: RetryKind) => void) | undefined;
  /** Only tests bring one, to move the time. */
  readonly clock?: ServerClock;
}

/** Connects, migrates, and answers a store whose clock is the server's. */
export async function openMssql(target: MssqlTarget, options: MssqlOptions = {}): Promise<Store> {
  const schema = schemaFrom(target.schema);
  const pool = await poolFor(target.url).connect();
  const clock = options.clock ?? new ServerClock();
  await migrate(pool, schema);
  return storeOver(new Session(pool, { ...options, clock, schema }), clock);
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
