// Owns how a store is opened: which adapter, with which threads, shared by how many handles, and with or without the right to migrate.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DomainError } from '../domain/errors.ts';
import type { StoredSettings } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';
import { SchemaRefusal } from './migrate.ts';
import type { MssqlTarget } from './mssql/store.ts';
import { withRetries } from './retry.ts';
import { MEMORY } from './sqlite/connection.ts';
import { classify } from './sqlite/faults.ts';
import { peekSettings } from './sqlite/peek.ts';
import { type StoreOptions, storeOver } from './sqlite/store.ts';
import { Thread } from './sqlite/thread.ts';

export { whyAway } from './mssql/faults.ts';
export type { StoreOptions } from './sqlite/store.ts';

interface SqliteTarget {
  readonly kind: 'sqlite';
  readonly path: string;
  /** False: the schema must be there already. */
  readonly migrates?: boolean;
}

/** `capacity`: the most rows over the three job tables; beyond it the oldest ended jobs go. */
export type StoreTarget = SqliteTarget | { readonly kind: 'memory'; readonly capacity?: number } | MssqlTarget;

const DEFAULT_CAPACITY = 100_000;

/** The driver takes as long to load as all the rest of the service: only who uses it pays for it. */
const mssql = () => import('./mssql/store.ts');

/**
 * Rejects with a plain message when the database cannot or must not be used by this service, and with `storage-unavailable`
 * when a database server is away. The clock of `options` is that of stores on this machine; a server has its own.
 */
export async function openStore(target: StoreTarget, options: StoreOptions): Promise<Store> {
  if (target.kind === 'sqlite') return openFile(target, options);
  if (target.kind === 'mssql') return (await mssql()).openMssql(target, { log: options.log, onRetry: options.onRetry });
  return (await openMemory(target.capacity)).store(options);
}

/** Brings the schema up to date and answers the names of the migrations that were applied. */
export async function migrateStore(target: StoreTarget): Promise<readonly string[]> {
  if (target.kind === 'mssql') return (await mssql()).migrateMssql(target);
  if (target.kind === 'memory') return [];
  const { applied, close } = await openThreads({ ...target, migrates: true });
  await close();
  return applied;
}

/** The settings stored in a database that may not be there yet, without changing it. */
export async function peekStore(target: StoreTarget): Promise<StoredSettings | null> {
  if (target.kind === 'mssql') return (await mssql()).peekMssql(target);
  return target.kind === 'sqlite' ? peekSettings(target.path) : null;
}

async function openFile(target: SqliteTarget, options: StoreOptions): Promise<Store> {
  const { writer, reader, path, close } = await openThreads(target);
  options.log?.event('storageOpened', { path });
  return storeOver({ writer, reader }, options, close);
}

async function openThreads({ path: given, migrates = true }: SqliteTarget) {
  const path = resolve(given);
  await makeFolder(dirname(path)).catch(error => {
    throw refusal(path, error);
  });
  const writer = new Thread({ path, mode: 'write', capacity: null, migrates });
  const reader = new Thread({ path, mode: 'read', capacity: null, migrates: false });
  const close = async () => {
    await reader.close();
    await writer.close();
  };
  try {
    const [applied = []] = await Promise.all(
      [writer, reader].map(thread => withRetries({ classify }, () => thread.open())),
    );
    return { writer, reader, path, applied, close };
  } catch (error) {
    await close();
    throw refusalToOpen(path, error);
  }
}

/** Node's recursive `mkdir` never returns under /proc, where a parent exists and still nothing can be made in it. */
async function makeFolder(path: string): Promise<void> {
  if (existsSync(path)) return;
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}

/** At start nobody can "try again in a few seconds": what helps is which file it is, and what is wrong with it. */
function refusalToOpen(path: string, error: unknown): unknown {
  return error instanceof DomainError && error.cause instanceof Error ? refusal(path, error.cause) : error;
}

function refusal(path: string, { message }: Error): SchemaRefusal {
  const advice = 'Set CHOKAQ_SQLITE_PATH to a database of ChokaQ, or to a new file in a folder it may write to.';
  return new SchemaRefusal(`the database file ${path} cannot be used: ${message}. ${advice}`);
}

/** A database that lives as long as its handles do; each handle stands for a node. */
export interface MemoryDatabase {
  store(options: StoreOptions): Store;
}

export async function openMemory(capacity = DEFAULT_CAPACITY): Promise<MemoryDatabase> {
  const thread = new Thread({ path: MEMORY, mode: 'write', capacity, migrates: true });
  await thread.open();
  let handles = 0;
  const store = (options: StoreOptions) => {
    handles += 1;
    return storeOver({ writer: thread, reader: thread }, options, async () => {
      handles -= 1;
      if (handles === 0) await thread.close();
    });
  };
  return { store };
}
