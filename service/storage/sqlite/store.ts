// Owns a store on SQLite: all ports over one database, and when the database may be let go.
import type { Handler } from '../../domain/handler.ts';
import type { QueueSettings } from '../../domain/queue.ts';
import type { Log } from '../../log.ts';
import type { Clock, HandlerStore, NodeIdentity, NodeStore, QueueStore, Store } from '../../ports/store.ts';
import { Database, type Threads } from './database.ts';
import { SqliteJobs } from './jobs.ts';

export interface StoreOptions {
  readonly clock: Clock;
  readonly log?: Log | undefined;
}

/** `release` lets go of the threads once this store needs them no more. */
export function storeOver(threads: Threads, { clock, log }: StoreOptions, release: () => Promise<void>): Store {
  const database = new Database(threads, clock, log ?? null);
  return {
    clock,
    jobs: new SqliteJobs(database),
    queues: queuesOver(database),
    handlers: handlersOver(database),
    nodes: nodesOver(database),
    check: async () => void (await database.read('check', undefined)),
    close: async () => {
      await database.idle();
      await release();
    },
  };
}

function queuesOver(database: Database): QueueStore {
  return {
    list: async () => (await database.read('listQueues', undefined)).body,
    get: async (name: string) => (await database.read('getQueue', name)).body,
    configure: async (name: string, settings: Partial<QueueSettings>) =>
      (await database.write('configureQueue', { name, settings }, ONE_ROW)).body,
    remove: async (name: string) => (await database.write('removeQueue', name, ONE_ROW)).body,
  };
}

function handlersOver(database: Database): HandlerStore {
  return {
    list: async () => (await database.read('listHandlers', undefined)).body,
    put: async (handler: Handler) => (await database.write('putHandler', handler, ONE_ROW)).body,
    remove: async (type: string, force: boolean) =>
      (await database.write('removeHandler', { type, force }, ONE_ROW)).body,
  };
}

function nodesOver(database: Database): NodeStore {
  return {
    announce: async (node: NodeIdentity) => void (await database.write('announceNode', node, ONE_ROW)),
    acknowledge: async (id: string, queuesRevision: number) =>
      void (await database.write('acknowledgeQueues', { id, queuesRevision }, ONE_ROW)),
    drain: async (id: string) => void (await database.write('drainNode', id, ONE_ROW)),
    list: async () => (await database.read('listNodes', undefined)).body,
    forget: async (id: string) => void (await database.write('forgetNode', id, ONE_ROW)),
  };
}

const ONE_ROW = { rows: 1 } as const;
