// Owns the smallest thing that behaves like a store: jobs in a map, against which random walks are checked.
import type { ClaimedJob, Job } from '#service/domain/job.js';

export type ModelState = 'pending' | 'fetched' | 'processing' | 'succeeded' | 'dead';

export interface ModelJob {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly key: string | null;
  state: ModelState;
  dueAt: number;
  round: number;
  attempts: number;
  leaseId: string | null;
  owner: string | null;
  cancelRequestedBy: string | null;
  /** The job as it was last claimed. */
  claimed: ClaimedJob | null;
}

export interface ModelQueue {
  isPaused: boolean;
  isActive: boolean;
  maxWorkers: number | null;
}

const ACTIVE: readonly ModelState[] = ['pending', 'fetched', 'processing'];

export class Model {
  readonly jobs = new Map<string, ModelJob>();
  readonly queues = new Map<string, ModelQueue>();
  readonly types = new Set<string>();
  /** Every claim ever made; all but the current one of each job are stale. */
  readonly claims: ClaimedJob[] = [];

  add(job: Job): void {
    const { id, queue, type, dueAt, idempotencyKey: key } = job;
    const fresh = { state: 'pending', round: 1, attempts: 0, leaseId: null, owner: null, claimed: null } as const;
    this.jobs.set(id, { id, queue, type, key, dueAt, ...fresh, cancelRequestedBy: null });
    if (!this.queues.has(queue)) this.queues.set(queue, { isPaused: false, isActive: true, maxWorkers: null });
  }

  in(...states: readonly ModelState[]): ModelJob[] {
    return [...this.jobs.values()].filter(({ state }) => states.includes(state));
  }

  holderOf(key: string | null, except?: string): ModelJob | undefined {
    return this.in(...ACTIVE).find(job => key !== null && job.key === key && job.id !== except);
  }

  runs(queue: string): boolean {
    const settings = this.queues.get(queue);
    return settings?.isActive === true && !settings.isPaused;
  }

  /** How many jobs a claim of `limit` must bring, whichever they are. */
  claimable(now: number, limit: number): number {
    let sum = 0;
    for (const [queue, { maxWorkers }] of this.queues) {
      if (!this.runs(queue)) continue;
      const due = this.in('pending').filter(job => job.queue === queue && this.types.has(job.type) && job.dueAt <= now);
      const busy = this.in('fetched', 'processing').filter(job => job.queue === queue).length;
      sum += Math.min(due.length, Math.max(0, (maxWorkers ?? Number.POSITIVE_INFINITY) - busy));
    }
    return Math.min(sum, limit);
  }

  claimed(job: ClaimedJob, owner: string): void {
    const model = this.get(job.id);
    Object.assign(model, { state: job.state, attempts: job.attempts, leaseId: job.leaseId, owner, claimed: job });
    this.claims.push(job);
  }

  leave(job: ModelJob, state: ModelState, change: Partial<ModelJob> = {}): void {
    Object.assign(job, { state, leaseId: null, owner: null, claimed: null, cancelRequestedBy: null, ...change });
  }

  get(id: string): ModelJob {
    const job = this.jobs.get(id);
    if (!job) throw new Error(`the model knows no job ${id}`);
    return job;
  }
}

/** The state a caller is shown. */
export function shown({ state, dueAt }: ModelJob, now: number): string {
  return state === 'pending' && dueAt > now ? 'scheduled' : state;
}
