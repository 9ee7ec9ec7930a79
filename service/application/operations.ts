// Owns operations on many jobs: from their beginning, batch by batch, to a true end, on whichever nodes live meanwhile.
import { BULK, type BulkAction, pauseAfterBugMs } from '../domain/bulk.ts';
import { DomainError, isStorageAway } from '../domain/errors.ts';
import type { Log } from '../log.ts';
import type { Operation } from '../ports/operations.ts';
import type { Cursor, Page, Store } from '../ports/store.ts';
import type { Audit } from './audit.ts';
import type { EditRules } from './edits.ts';
import type { Wake } from './jobs.ts';
import { auditedAs, nextBatch } from './operation-batch.ts';
import type { Preview } from './preview-token.ts';
import { askedFilter, type Previews, stale } from './previews.ts';

export interface OperationParts extends EditRules {
  readonly store: Store;
  readonly audit: Pick<Audit, 'record'>;
  readonly previews: Previews;
  readonly wake: Wake;
  readonly log: Log;
  /** This node. */
  readonly owner: string;
  /** Whether the node of that name is known to have ended. */
  readonly isGone: (owner: string) => boolean;
  /** Tells the engine that an operation can be carried on in so many milliseconds. */
  readonly onWork: (inMs: number) => void;
}

export interface Execution {
  readonly token: string;
  readonly action: BulkAction;
  /** The caller knows what it may mean to run jobs again of which nobody knows whether they had their effects. */
  readonly acknowledge: boolean;
}

/** An owner whose operation has not moved for so long is taken to have ended; two owners at once would do no harm. */
const STILL_MS = 60_000;
const LONGEST_ERROR = 500;

export class Operations {
  readonly #parts: OperationParts;
  /** Those that a caller waits for; the loop leaves them alone. */
  readonly #awaited = new Set<string>();
  #isStopping = false;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  /** Begins what was previewed, once over all nodes. */
  async execute({ token, action, acknowledge }: Execution, by: string): Promise<Operation> {
    const { store, previews } = this.#parts;
    const preview = await previews.open(token, action);
    if (preview.needsAcknowledgement && !acknowledge) throw unacknowledged();
    const { id, filter, mark, total, last } = preview;
    return this.carryOut(id, async owner => {
      const begun = await store.operations.begin({ id, action, filter, mark, total, last, by, owner });
      if (begun === null) throw used(preview);
      return begun;
    });
  }

  /**
   * Begins an operation in the name of the owner that `begin` is given. A small one has ended with the answer, unless storage
   * or the node went away: from its beginning on, the answer is where it stands, never a refusal.
   */
  async carryOut<T extends Operation | string>(id: string, begin: (owner: string | null) => Promise<T>): Promise<T> {
    const isFirst = !this.#awaited.has(id);
    this.#awaited.add(id);
    try {
      const begun = await begin(this.#isStopping ? null : this.#parts.owner);
      if (typeof begun === 'string' || begun.total > BULK.atOnce) return begun;
      return (await this.#carryOn(begun)) as T;
    } finally {
      if (isFirst) this.#awaited.delete(id);
      this.#parts.onWork(0);
    }
  }

  async get(id: string): Promise<Operation> {
    const operation = await this.#parts.store.operations.get(id);
    if (operation !== null) return operation;
    throw new DomainError('not-found', `There is no operation ${id}. Finished ones are kept for 30 days.`);
  }

  /** Ends it where it stands: what was moved stays moved, and nothing more is. */
  async cancel(id: string): Promise<Operation> {
    const cancelled = await this.#parts.store.operations.cancel(id);
    if (cancelled === null) throw over(await this.get(id));
    await this.#conclude(cancelled);
    return cancelled;
  }

  /** The rejection of what waited for the handler of this type, when it has not ended. */
  rejectionOf(type: string): Promise<Operation | undefined> {
    return this.#findUnfinished(one => one.action === 'reject' && auditedAs(one).target === type);
  }

  /** One batch of what this node has begun, or of what a node has left behind; answers whether there may be more to do. */
  async step(): Promise<boolean> {
    const operation = await this.#next();
    if (operation === undefined) return false;
    const advanced = await this.#attempt(operation);
    if (advanced !== null && advanced.finishedAt !== null) await this.#conclude(advanced);
    return true;
  }

  /** Hands over to the other nodes what this one has not finished; the batch under way is counted all the same. */
  async release(): Promise<void> {
    this.#isStopping = true;
    await this.#parts.store.operations.release(this.#parts.owner);
  }

  async #next(): Promise<Operation | undefined> {
    const { store, owner, log, onWork } = this.#parts;
    const { own, left, inMs } = await this.#choose();
    if (own !== undefined) return own;
    if (left === undefined) onWork(inMs);
    if (left === undefined || this.#isStopping || !(await store.operations.take(left, owner))) return undefined;
    log.event('operationTaken', { operation: left.id, from: left.owner });
    return left;
  }

  /** The oldest of its own that can be carried on now, the oldest that was left behind, and when the next can be tried again. */
  async #choose(): Promise<{ own?: Operation; left?: Operation; inMs: number }> {
    const now = this.#parts.store.clock.now();
    let inMs = Number.POSITIVE_INFINITY;
    let left: Operation | undefined;
    const own = await this.#findUnfinished(operation => {
      const isOwn = operation.owner === this.#parts.owner;
      if (this.#awaited.has(operation.id) || !(isOwn || this.#isLeft(operation))) return false;
      const waitMs = operation.movedAt + pauseAfterBugMs(operation.failures) - now;
      if (waitMs > 0) inMs = Math.min(inMs, waitMs);
      else if (!isOwn) left ??= operation;
      return isOwn && waitMs <= 0;
    });
    return { ...(own && { own }), ...(left && { left }), inMs };
  }

  async #findUnfinished(isIt: (operation: Operation) => boolean): Promise<Operation | undefined> {
    let after: Cursor | null = null;
    do {
      const page: Page<Operation> = await this.#parts.store.operations.unfinished(after);
      const found = page.items.find(isIt);
      if (found !== undefined) return found;
      after = page.next;
    } while (after !== null);
    return undefined;
  }

  #isLeft({ owner, movedAt }: Operation): boolean {
    return owner === null || this.#parts.isGone(owner) || this.#parts.store.clock.now() - movedAt > STILL_MS;
  }

  /** What cannot be ended now is carried on by the loop, here or elsewhere. */
  async #carryOn(begun: Operation): Promise<Operation> {
    let known = begun;
    try {
      while (known.finishedAt === null && known.failures === 0 && !this.#isStopping) {
        const advanced = await this.#attempt(known);
        known = advanced ?? (await this.get(known.id));
        if (advanced === null) break;
      }
    } catch (err) {
      const { id, action } = begun;
      this.#parts.log.event(isStorageAway(err) ? 'storageFailed' : 'operationRetried', { operation: id, action, err });
    }
    return known;
  }

  /** One batch; a bug in it is counted, so that it is not tried for ever. */
  async #attempt(operation: Operation): Promise<Operation | null> {
    try {
      return await this.#advance(operation);
    } catch (error) {
      if (isStorageAway(error)) throw error;
      return this.#fail(operation, error);
    }
  }

  /** Reads the next jobs, decides about each, moves them, and notes how far it came. */
  async #advance(operation: Operation): Promise<Operation | null> {
    const { store, owner, wake } = this.#parts;
    const { transitions, ...rest } = await nextBatch(operation, this.#parts);
    const applied = await store.jobs.apply(transitions);
    const keyTaken = applied.filter(one => !one.held && one.why === 'key-taken').length;
    if (operation.action === 'resurrect' && applied.some(({ held }) => held)) wake(store.clock.now());
    const advanced = await store.operations.advance({ id: operation.id, owner, keyTaken, ...rest });
    const { id, action, total } = operation;
    if (advanced?.ended)
      this.#parts.log.event('operationFinished', { operation: id, action, affected: advanced.affected, total });
    return advanced;
  }

  async #fail({ id, action, failures }: Operation, err: unknown): Promise<Operation | null> {
    const { store, owner, log } = this.#parts;
    const isLast = failures + 1 >= BULK.tries;
    log.event(isLast ? 'operationFailed' : 'operationRetried', { operation: id, action, err });
    const error = (err instanceof Error ? err.message : String(err)).slice(0, LONGEST_ERROR);
    return store.operations.fail({ id, owner, error, isLast });
  }

  /** Writes down how it ended, unless the answer of the request that began it says so. */
  async #conclude(operation: Operation): Promise<void> {
    const { id, by, filter, affected, ended, error } = operation;
    const why = error === null ? {} : { error };
    await this.#parts.audit.record({
      ...{ actor: by, keyId: null, ...auditedAs(operation), filter: askedFilter(filter), affected },
      ...{ outcome: ended === 'finished' ? 'succeeded' : String(ended), requestId: null },
      details: { operation: id, skipped: skippedBy(operation), ...why },
    });
  }
}

/** How many of the jobs were not taken, and why. What is gone is known at the end. */
export function skippedBy(operation: Operation): Record<'gone' | 'keyTaken' | 'noHandler' | 'schema', number> {
  const { total, affected, keyTaken, noHandler, schema, ended } = operation;
  const gone = ended === 'finished' ? Math.max(0, total - affected - keyTaken - noHandler - schema) : 0;
  return { gone, keyTaken, noHandler, schema };
}

function over({ id, ended }: Operation): DomainError {
  const how = ended === 'cancelled' ? 'was cancelled' : `has ${ended}`;
  return new DomainError('conflict-state', `Operation ${id} ${how} before. What it has moved stays moved.`);
}

function used({ id }: Preview): DomainError {
  return stale(`was executed before, as /operations/${id}`);
}

export function unacknowledged(pointers: readonly string[] = []): DomainError {
  const detail =
    'Some of these jobs died as Zombie or Timeout: they may have had their effects, and running them again may repeat those. Nothing was changed. Check the external systems, then send acknowledge: true as well.';
  const named = pointers.map(pointer => ({ detail: 'died as Zombie or Timeout', pointer }));
  const missing = { detail: 'must be true for jobs that died as Zombie or Timeout', pointer: '#/acknowledge' };
  return new DomainError('acknowledge-required', detail, [missing, ...named]);
}
