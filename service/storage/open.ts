// Owns how a store is opened: which adapter, with which threads, shared by how many handles.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { DomainError } from '../domain/errors.ts';
import type { Store } from '../ports/store.ts';
import { SchemaRefusal } from './migrate.ts';
import { withRetries } from './retry.ts';
import { MEMORY } from './sqlite/connection.ts';
import { classify } from './sqlite/faults.ts';
import { type StoreOptions, storeOver } from './sqlite/store.ts';
import { Thread } from './sqlite/thread.ts';

export type { StoreOptions } from './sqlite/store.ts';

/** `capacity`: the most rows over the three job tables; beyond it the oldest ended jobs go. */
export type StoreTarget =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'memory'; readonly capacity?: number };

const DEFAULT_CAPACITY = 100_000;

/** Rejects with a plain message when the database cannot or must not be used by this service. */
export async function openStore(target: StoreTarget, options: StoreOptions): Promise<Store> {
  if (target.kind === 'sqlite') return openFile(resolve(target.path), options);
  return (await openMemory(target.capacity)).store(options);
}

async function openFile(path: string, options: StoreOptions): Promise<Store> {
  await makeFolder(dirname(path)).catch(error => {
    throw refusal(path, error);
  });
  const writer = new Thread({ path, mode: 'write', capacity: null });
  const reader = new Thread({ path, mode: 'read', capacity: null });
  const close = async () => {
    await reader.close();
    await writer.close();
  };
  try {
    await Promise.all([writer, reader].map(thread => withRetries({ classify }, () => thread.open())));
  } catch (error) {
    await close();
    throw refusalToOpen(path, error);
  }
  options.log?.event('storageOpened', { path });
  return storeOver({ writer, reader }, options, close);
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
  const thread = new Thread({ path: MEMORY, mode: 'write', capacity });
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
