// Owns bulk operations on dead jobs: from the token of a preview, batch by batch, to a true total, on whichever nodes live meanwhile.
import { BULK, type BulkAction } from '../domain/bulk.ts';
import { DomainError } from '../domain/errors.ts';
import type { Job } from '../domain/job.ts';
import { discard, resurrect, type Transition } from '../domain/lifecycle.ts';
import type { Log } from '../log.ts';
import type { Operation } from '../ports/operations.ts';
import type { Cursor, Store } from '../ports/store.ts';
import { type EditRules, obstacle } from './edits.ts';
import type { Wake } from './jobs.ts';
import type { Preview } from './preview-token.ts';
import { askedFilter, type Previews, stale } from './previews.ts';

export interface OperationParts extends EditRules {
  readonly store: Store;
  readonly previews: Previews;
  readonly wake: Wake;
  readonly log: Log;
  /** This node. */
  readonly owner: string;
  /** Whether the node of that name is known to have ended. */
  readonly isGone: (owner: string) => boolean;
  /** Tells the engine that an operation waits to be carried on. */
  readonly onBegun: () => void;
}

export interface Execution {
  readonly token: string;
  readonly action: BulkAction;
  /** The caller knows what it may mean to run jobs again of which nobody knows whether they had their effects. */
  readonly acknowledge: boolean;
}

/** An owner whose operation has not moved for so long is taken to have ended; two owners at once would do no harm. */
const STILL_MS = 60_000;

/** What one batch is about to do. */
interface Batch {
  readonly transitions: readonly Transition[];
  readonly noHandler: number;
  readonly schema: number;
}

export class Operations {
  readonly #parts: OperationParts;
  /** Those that a caller waits for; the loop leaves them alone. */
  readonly #awaited = new Set<string>();
  #isStopping = false;

  constructor(parts: OperationParts) {
    this.#parts = parts;
  }

  /** Begins what was previewed, once over all nodes; a small one has finished with the answer, unless storage or the node went away. */
  async execute({ token, action, acknowledge }: Execution, by: string): Promise<Operation> {
    const { store, previews, owner, onBegun } = this.#parts;
    const preview = await previews.open(token, action);
    if (preview.needsAcknowledgement && !acknowledge) throw unacknowledged();
    const { id, filter, mark, total, last } = preview;
    const isAwaited = total <= BULK.atOnce && !this.#isStopping;
    if (isAwaited) this.#awaited.add(id);
    try {
      const operation = { id, action, filter, mark, total, last, by, owner: this.#isStopping ? null : owner };
      if (!(await store.operations.begin(operation))) throw used(preview);
      if (isAwaited) await this.#finish(await this.get(id));
    } finally {
      this.#awaited.delete(id);
    }
    onBegun();
    return this.get(id);
  }

  async get(id: string): Promise<Operation> {
    const operation = await this.#parts.store.operations.get(id);
    if (operation !== null) return operation;
    throw new DomainError('not-found', `There is no operation ${id}. Finished ones are kept for 30 days.`);
  }

  /** One batch of what this node has begun, or of what a node has left behind; answers whether there may be more to do. */
  async step(): Promise<boolean> {
    const operation = await this.#next();
    if (operation !== undefined) await this.#advance(operation);
    return operation !== undefined;
  }

  /** Hands over to the other nodes what this one has not finished; the batch under way is counted all the same. */
  async release(): Promise<void> {
    this.#isStopping = true;
    await this.#parts.store.operations.release(this.#parts.owner);
  }

  async #next(): Promise<Operation | undefined> {
    const { store, owner, log } = this.#parts;
    const unfinished = (await store.operations.unfinished()).filter(({ id }) => !this.#awaited.has(id));
    const own = unfinished.find(operation => operation.owner === owner);
    if (own !== undefined) return own;
    const left = unfinished.find(operation => this.#isLeft(operation));
    if (left === undefined || this.#isStopping || !(await store.operations.take(left, owner))) return undefined;
    log.event('operationTaken', { operation: left.id, from: left.owner });
    return left;
  }

  #isLeft({ owner, movedAt }: Operation): boolean {
    return owner === null || this.#parts.isGone(owner) || this.#parts.store.clock.now() - movedAt > STILL_MS;
  }

  /** What cannot be finished now is carried on by the loop, here or elsewhere. */
  async #finish(begun: Operation): Promise<void> {
    try {
      let operation: Operation | null = begun;
      while (operation?.finishedAt === null && !this.#isStopping) operation = await this.#advance(operation);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#parts.log.event('storageFailed', { operation: begun.id, err: error });
    }
  }

  /** Reads the next jobs, decides about each, moves them, and notes how far it came. */
  async #advance(operation: Operation): Promise<Operation | null> {
    const { store, owner, wake } = this.#parts;
    const { jobs, position, isFinished } = await this.#read(operation);
    const { transitions, ...skipped } = await this.#decide(operation, jobs);
    const applied = await store.jobs.apply(transitions);
    const keyTaken = applied.filter(one => !one.held && one.why === 'key-taken').length;
    if (operation.action === 'resurrect' && applied.some(({ held }) => held)) wake(store.clock.now());
    const batch = { id: operation.id, owner, position, keyTaken, ...skipped, isFinished };
    const advanced = await store.operations.advance(batch);
    if (advanced !== null && isFinished) await this.#conclude(advanced);
    return advanced;
  }

  async #read({ filter, mark, last, total, position, ...done }: Operation) {
    const left = total - done.affected - done.keyTaken - done.noHandler - done.schema;
    if (last === null || left <= 0) return { jobs: [], position, isFinished: true };
    const { items, next } = await this.#parts.store.jobs.list(
      { ...filter, states: ['dead'], deadUpTo: mark },
      { order: 'failed', limit: Math.min(BULK.batch, left), after: position, withPayload: false },
    );
    const jobs = items.filter(job => !isOlder(job, last));
    const isFinished =
      next === null || jobs.length < items.length || isOlder({ finishedAt: next.at, id: next.id }, last);
    return { jobs, position: next ?? position, isFinished };
  }

  async #decide({ id, action, by }: Operation, jobs: readonly Job[]): Promise<Batch> {
    const { registry } = this.#parts;
    const skipped = { noHandler: 0, schema: 0 };
    const transitions: Transition[] = [];
    if (action === 'resurrect' && jobs.length > 0) await registry.load();
    for (const job of jobs) {
      const obstacle = action === 'resurrect' ? await this.#obstacle(job) : null;
      if (obstacle !== null) skipped[obstacle] += 1;
      const transition = action === 'resurrect' ? resurrect(job, {}, by) : discard(job);
      if (obstacle === null && transition !== null) transitions.push({ ...transition, operationId: id });
    }
    return { transitions, ...skipped };
  }

  /** Payloads may be large: only those that a schema asks about are read, one by one. */
  async #obstacle(job: Job): Promise<'noHandler' | 'schema' | null> {
    const { store, registry } = this.#parts;
    const hasSchema = (registry.find(job.type)?.schema ?? null) !== null;
    const full = hasSchema ? await store.jobs.get(job.id) : null;
    return obstacle(job, full?.payload ?? null, this.#parts);
  }

  async #conclude(operation: Operation): Promise<void> {
    const { id, action, by, filter, affected, total } = operation;
    this.#parts.log.event('operationFinished', { operation: id, action, affected, total });
    if (total <= BULK.atOnce) return;
    await this.#parts.store.audit.record({
      ...{ actor: by, keyId: null, action: `dlq.${action}`, target: id, filter: askedFilter(filter), affected },
      ...{ outcome: 'succeeded', requestId: null, details: { skipped: skippedBy(operation) } },
    });
  }
}

/** How many of the previewed jobs were not taken, and why. What is gone is known at the end. */
export function skippedBy(operation: Operation): Record<'gone' | 'keyTaken' | 'noHandler' | 'schema', number> {
  const { total, affected, keyTaken, noHandler, schema, finishedAt } = operation;
  const gone = finishedAt === null ? 0 : Math.max(0, total - affected - keyTaken - noHandler - schema);
  return { gone, keyTaken, noHandler, schema };
}

function isOlder({ finishedAt, id }: Pick<Job, 'finishedAt' | 'id'>, last: Cursor): boolean {
  const at = finishedAt ?? 0;
  return at === last.at ? id < last.id : at < last.at;
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
