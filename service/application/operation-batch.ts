// Owns what one batch of an operation does: which jobs come next, what becomes of each, and which are left alone for what reason.
import { BULK, type OperationAction } from '../domain/bulk.ts';
import { CATCH_ALL } from '../domain/handler.ts';
import type { Job } from '../domain/job.ts';
import { discard, reject, resurrect, type Transition } from '../domain/lifecycle.ts';
import type { Operation } from '../ports/operations.ts';
import type { Cursor, Page, PageRequest, Store } from '../ports/store.ts';
import { type EditRules, obstacle } from './edits.ts';

export interface BatchParts extends EditRules {
  readonly store: Pick<Store, 'jobs'>;
}

/** `position` and `isFinished` hold once the transitions have been applied. */
export interface Batch {
  readonly transitions: readonly Transition[];
  readonly noHandler: number;
  readonly schema: number;
  readonly position: Cursor | null;
  readonly isFinished: boolean;
}

interface Taken {
  readonly jobs: readonly Job[];
  readonly position: Cursor | null;
  readonly isFinished: boolean;
}

interface Plan {
  take(operation: Operation, jobs: Store['jobs']): Promise<Taken>;
  /** Whether what becomes of a job depends on the handlers that there are now. */
  readonly asksRegistry: boolean;
  /** What becomes of a job; null = nothing. */
  decide(job: Job, by: string, parts: BatchParts): Promise<Transition | 'noHandler' | 'schema' | null>;
}

const PLANS: Readonly<Record<OperationAction, Plan>> = {
  resurrect: {
    take: takeDead,
    asksRegistry: true,
    decide: async (job, by, parts) => (await obstacleOf(job, parts)) ?? resurrect(job, {}, by),
  },
  purge: { take: takeDead, asksRegistry: false, decide: async job => discard(job) },
  reject: {
    take: takeWaiting,
    asksRegistry: true,
    decide: async (job, _by, { registry }) => (registry.find(job.type) ? null : reject(job, HANDLER_GONE)),
  },
};

const HANDLER_GONE = 'The handler for this job was removed while it waited.';

/** Reads the next jobs and decides about each of them. */
export async function nextBatch(operation: Operation, parts: BatchParts): Promise<Batch> {
  const { take, asksRegistry, decide } = PLANS[operation.action];
  const { jobs, ...place } = await take(operation, parts.store.jobs);
  const skipped = { noHandler: 0, schema: 0 };
  const transitions: Transition[] = [];
  if (asksRegistry && jobs.length > 0) await parts.registry.load();
  for (const job of jobs) {
    const decided = await decide(job, operation.by, parts);
    if (typeof decided === 'string') skipped[decided] += 1;
    else if (decided !== null) transitions.push({ ...decided, operationId: operation.id });
  }
  return { transitions, ...skipped, ...place };
}

/** The dead jobs of the preview that come next, newest failure first. */
async function takeDead({ filter, mark, last, total, position, ...done }: Operation, jobs: Store['jobs']) {
  const left = total - done.affected - done.keyTaken - done.noHandler - done.schema;
  if (last === null || left <= 0) return { jobs: [], position, isFinished: true };
  const page = pageAfter(position, 'failed', Math.min(BULK.batch, left));
  const { items, next }: Page<Job> = await jobs.list({ ...filter, states: ['dead'], deadUpTo: mark }, page);
  const within = items.filter(job => !isOlder(job, last));
  const isFinished =
    next === null || within.length < items.length || isOlder({ finishedAt: next.at, id: next.id }, last);
  return { jobs: within, position: next ?? position, isFinished };
}

/** What waited when the handler went; running jobs finish. */
async function takeWaiting({ filter, position }: Operation, jobs: Store['jobs']): Promise<Taken> {
  const page = pageAfter(position, 'created', BULK.batch);
  const { items, next } = await jobs.list({ ...filter, states: ['scheduled', 'pending', 'fetched'] }, page);
  return { jobs: items, position: next ?? position, isFinished: next === null };
}

function pageAfter(after: Cursor | null, order: PageRequest['order'], limit: number): PageRequest {
  return { order, limit, after, withPayload: false };
}

/** Payloads may be large: only those that a schema asks about are read, one by one. */
async function obstacleOf(job: Job, parts: BatchParts): Promise<'noHandler' | 'schema' | null> {
  const { store, registry } = parts;
  const hasSchema = (registry.find(job.type)?.schema ?? null) !== null;
  const full = hasSchema ? await store.jobs.get(job.id) : null;
  return obstacle(job, full?.payload ?? null, parts);
}

function isOlder({ finishedAt, id }: Pick<Job, 'finishedAt' | 'id'>, last: Cursor): boolean {
  const at = finishedAt ?? 0;
  return at === last.at ? id < last.id : at < last.at;
}

/** Where an operation is found in the audit log: under the name of the request that began it. */
export function auditedAs({ id, action, filter }: Operation): { readonly action: string; readonly target: string } {
  if (action !== 'reject') return { action: `dlq.${action}`, target: id };
  return { action: 'handler.remove', target: filter.type ?? CATCH_ALL };
}
