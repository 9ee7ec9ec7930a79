// Owns a store on SQLite: all ports over one database, and when the database may be let go.
import type { NewApiKey } from '../../domain/api-key.ts';
import type { Handler, LastResponse } from '../../domain/handler.ts';
import type { QueueSettings } from '../../domain/queue.ts';
import type { AuditCursor, AuditEntry, AuditFilter, AuditStore, ScopeRefusals } from '../../ports/audit.ts';
import type { CircuitStore } from '../../ports/circuits.ts';
import type { FamilyStore } from '../../ports/families.ts';
import type { KeyStore } from '../../ports/keys.ts';
import type {
  Advance,
  NewOperation,
  NewRejection,
  Operation,
  OperationFailure,
  OperationStore,
  SurveyRequest,
} from '../../ports/operations.ts';
import type { SettingsStore } from '../../ports/settings.ts';
import type { SeriesRange, StatsStore } from '../../ports/stats.ts';
import type { Cursor, HandlerStore, JobFilter, NodeIdentity, NodeStore, QueueStore, Store } from '../../ports/store.ts';
import { Database, type StoreOptions, type Threads } from './database.ts';
import { SqliteJobs } from './jobs.ts';

export type { StoreOptions } from './database.ts';

/** `release` lets go of the threads once this store needs them no more. */
export function storeOver(threads: Threads, options: StoreOptions, release: () => Promise<void>): Store {
  const database = new Database(threads, options);
  return {
    clock: options.clock,
    jobs: new SqliteJobs(database),
    queues: queuesOver(database),
    handlers: handlersOver(database),
    circuits: circuitsOver(database),
    nodes: nodesOver(database),
    keys: keysOver(database),
    audit: auditOver(database),
    settings: settingsOver(database),
    families: familiesOver(database),
    stats: statsOver(database),
    operations: operationsOver(database),
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
    configure: async (name: string, settings: Partial<QueueSettings>, create = false) =>
      (await database.write('configureQueue', { name, settings, create }, ONE_ROW)).body,
    remove: async (name: string) => (await database.write('removeQueue', name, ONE_ROW)).body,
  };
}

function handlersOver(database: Database): HandlerStore {
  return {
    list: async () => (await database.read('listHandlers', undefined)).body,
    put: async (handler: Handler, seen?: number | null) =>
      (await database.write('putHandler', { handler, seen }, ONE_ROW)).body,
    heard: async (responses: Readonly<Record<string, LastResponse>>) =>
      void (await database.write('heardHandlers', responses, { rows: Object.keys(responses).length })),
    remove: async (type: string, force: boolean, rejection?: NewRejection) =>
      (await database.write('removeHandler', { type, force, rejection }, ONE_ROW)).body,
  };
}

function circuitsOver(database: Database): CircuitStore {
  return {
    list: async () => (await database.read('listCircuits', undefined)).body,
    open: async (type: string) => (await database.write('openCircuit', type, ONE_ROW)).body,
    reset: async (type: string) => (await database.write('resetCircuit', type, ONE_ROW)).body,
  };
}

function nodesOver(database: Database): NodeStore {
  return {
    announce: async (node: NodeIdentity) => (await database.write('announceNode', node, ONE_ROW)).body,
    acknowledge: async (id: string, queuesRevision: number) =>
      void (await database.write('acknowledgeQueues', { id, queuesRevision }, ONE_ROW)),
    drain: async (id: string) => void (await database.write('drainNode', id, ONE_ROW)),
    list: async () => (await database.read('listNodes', undefined)).body,
    forget: async (id: string) => void (await database.write('forgetNode', id, ONE_ROW)),
  };
}

function keysOver(database: Database): KeyStore {
  return {
    list: async (unless: number | null) => (await database.read('listKeys', unless)).body,
    create: async (key: NewApiKey) => (await database.write('createKey', key, ONE_ROW)).body,
    revoke: async (id: string, by: string) => (await database.write('revokeKey', { id, by }, ONE_ROW)).body,
    reconcile: async (wanted: readonly NewApiKey[]) =>
      (await database.write('reconcileFileKeys', wanted, { rows: wanted.length + 1 })).body,
    touch: async (ids: readonly string[]) => void (await database.write('touchKeys', ids, { rows: ids.length })),
  };
}

function auditOver(database: Database): AuditStore {
  return {
    record: async (entry: AuditEntry) => void (await database.write('recordAudit', entry, ONE_ROW)),
    refuse: async (refusals: readonly ScopeRefusals[]) =>
      void (await database.write('refuseScopes', refusals, { rows: refusals.length })),
    list: async (filter: AuditFilter, limit: number, after: AuditCursor | null) =>
      (await database.read('listAudit', { filter, limit, after })).body,
  };
}

function settingsOver(database: Database): SettingsStore {
  return {
    read: async () => (await database.read('readSettings', undefined)).body,
    change: async (changes: Readonly<Record<string, string | null>>, by: string, seen: number) =>
      (await database.write('changeSettings', { changes, by, seen }, ONE_ROW)).body,
  };
}

function familiesOver(database: Database): FamilyStore {
  return { top: async (limit: number) => (await database.read('topFamilies', limit)).body };
}

function statsOver(database: Database): StatsStore {
  return {
    read: async () => (await database.read('readStats', undefined)).body,
    series: async (range: SeriesRange) => (await database.read('readSeries', range)).body,
  };
}

function operationsOver(database: Database): OperationStore {
  return {
    secret: async (candidate: string) =>
      (await database.read('readSecret', undefined)).body ??
      (await database.write('makeSecret', candidate, ONE_ROW)).body,
    mark: async () => (await database.read('markDead', undefined)).body,
    survey: async (filter: JobFilter, request: SurveyRequest) =>
      (await database.read('surveyDead', { filter, ...request })).body,
    begin: async (operation: NewOperation) => (await database.write('beginOperation', operation, ONE_ROW)).body,
    get: async (id: string) => (await database.read('getOperation', id)).body,
    unfinished: async (after: Cursor | null) => (await database.read('unfinishedOperations', after)).body,
    take: async (seen: Operation, owner: string) =>
      (await database.write('takeOperation', { seen, owner }, ONE_ROW)).body,
    advance: async (batch: Advance) => (await database.write('advanceOperation', batch, ONE_ROW)).body,
    fail: async (failure: OperationFailure) => (await database.write('failOperation', failure, ONE_ROW)).body,
    cancel: async (id: string) => (await database.write('cancelOperation', id, ONE_ROW)).body,
    release: async (owner: string) => void (await database.write('releaseOperations', owner, ONE_ROW)),
  };
}

const ONE_ROW = { rows: 1 } as const;
