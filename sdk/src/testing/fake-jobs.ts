// Owns the jobs of the fake service: what an enqueue does with those that are there, and what operators do with them.
import { FakeRefusal } from './fake-answer.ts';
import { type FakeEdits, FakeJob, type Posted } from './fake-job.ts';

export interface Enqueued {
  readonly job: FakeJob;
  readonly duplicate: boolean;
}

const FILTERS = ['state', 'queue', 'type'] as const;

export class FakeJobs {
  readonly all: FakeJob[] = [];
  /** Until when the success of an operation is remembered, by its key. */
  readonly #done = new Map<string, number>();

  /** Newest first, as lists are. */
  matching(query: URLSearchParams): FakeJob[] {
    const [tag, reason, search] = ['tag', 'reason', 'search'].map(name => query.get(name));
    return this.all
      .filter(job => FILTERS.every(name => !query.has(name) || job[name] === query.get(name)))
      .filter(
        job => (tag === null || job.tags.includes(tag ?? '')) && (reason === null || job.failureReason === reason),
      )
      .filter(
        job =>
          search === null || [job.id, job.type, job.lastError, ...job.tags].some(text => text?.includes(search ?? '')),
      )
      .sort(newestFirst(job => job.createdAt));
  }

  get(id: string): FakeJob {
    return this.all.find(job => job.id === id) ?? refuse(404, 'not-found', `There is no job ${id}.`);
  }

  /** A job that `id` or an active idempotency key makes the same is not stored again. */
  enqueue(posted: Posted, payloadText: string, maxAttempts: number, now: number): Enqueued {
    const job = new FakeJob(posted, payloadText, maxAttempts, now);
    const isVain = job.resultTtl !== null && job.idempotencyKey === null;
    if (isVain)
      refuse(422, 'validation-failed', 'resultTtl needs an idempotencyKey, under which success is remembered.');
    const same = this.all.find(({ id }) => id === job.id);
    if (same && !isSame(same, job))
      throw new FakeRefusal(409, 'id-conflict', `Job ${same.id} exists with other content.`);
    const holder = same ?? (posted.onConflict === 'wait' ? undefined : this.#holder(job));
    if (holder === undefined) {
      this.all.push(job);
      return { job, duplicate: false };
    }
    return { job: this.#meet(holder, job), duplicate: true };
  }

  dead(id: string): FakeJob {
    const job = this.get(id);
    return job.state === 'dead' ? job : refuse(404, 'not-found', `Job ${id} is not dead but ${job.state}.`);
  }

  cancel(id: string): FakeJob {
    const job = this.get(id);
    if (!job.isActive) refuse(409, 'conflict-state', `Job ${id} is ${job.state} and cannot be cancelled any more.`);
    job.cancel();
    return job;
  }

  edit(id: string, etag: string | null, edits: FakeEdits & { readonly dueAt?: string }): FakeJob {
    const job = this.get(id);
    if (etag === null) refuse(428, 'precondition-required', 'Send the ETag of the job in If-Match.');
    if (etag !== job.etag) refuse(412, 'precondition-failed', `Job ${id} has changed since it was read.`);
    const isEditable = job.state !== 'succeeded' && job.state !== 'processing';
    if (!isEditable) refuse(409, 'conflict-state', `Job ${id} is ${job.state} and cannot be edited.`);
    job.edit(edits, edits.dueAt === undefined ? job.dueAt : new Date(edits.dueAt).toISOString());
    return job;
  }

  resurrect(id: string, edits: FakeEdits): FakeJob {
    const job = this.get(id);
    if (job.state !== 'dead') refuse(409, 'conflict-state', `Job ${id} is not dead but ${job.state}.`);
    if (this.#holder(job)) refuse(409, 'key-taken', `Another active job holds the idempotency key of job ${id}.`);
    job.resurrect(edits);
    return job;
  }

  discard(id: string, state: 'succeeded' | 'dead'): void {
    const job = this.get(id);
    if (job.state !== state)
      refuse(409, 'conflict-state', `Job ${id} is ${job.state}: only ${state} ones can be deleted here.`);
    this.all.splice(this.all.indexOf(job), 1);
  }

  /** Whether the operation of the job has been done, by another job, and is remembered. */
  isDone({ idempotencyKey, resultTtl }: FakeJob): boolean {
    return resultTtl !== null && idempotencyKey !== null && (this.#done.get(idempotencyKey) ?? 0) > Date.now();
  }

  remember({ idempotencyKey }: FakeJob, ttlMs: number): void {
    if (idempotencyKey !== null) this.#done.set(idempotencyKey, Date.now() + ttlMs);
  }

  #holder({ idempotencyKey }: FakeJob): FakeJob | undefined {
    return this.all.find(job => idempotencyKey !== null && job.idempotencyKey === idempotencyKey && job.isActive);
  }

  /** The job that is the answer. */
  #meet(holder: FakeJob, job: FakeJob): FakeJob {
    const { onConflict } = job.posted;
    if (isSame(holder, job) || onConflict === 'keep') return holder;
    const isPlaced = holder.queue === job.queue && holder.type === job.type;
    if (onConflict !== 'replace' || !isPlaced) {
      return refuse(
        422,
        'idempotency-conflict',
        `The active job ${holder.id} holds this idempotency key with other content.`,
      );
    }
    if (holder.state === 'processing') return refuse(409, 'conflict-state', `Job ${holder.id} has been claimed.`);
    holder.edit({ payload: job.payload, priority: job.priority }, job.dueAt);
    holder.payloadText = job.payloadText;
    return holder;
  }
}

/** Of the same instant, the greater id first. */
export function newestFirst(at: (job: FakeJob) => string): (one: FakeJob, other: FakeJob) => number {
  const place = (job: FakeJob) => `${at(job)} ${job.id}`;
  return (one, other) => (place(one) > place(other) ? -1 : 1);
}

function isSame(one: FakeJob, other: FakeJob): boolean {
  return one.queue === other.queue && one.type === other.type && one.payloadText === other.payloadText;
}

function refuse(status: number, code: string, detail: string): never {
  throw new FakeRefusal(status, code, detail);
}
