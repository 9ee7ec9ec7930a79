// Owns the verbs of the dead-letter queue: list, read, resurrect, and what its jobs died of.
import { DomainError } from '../domain/errors.ts';
import type { Job } from '../domain/job.ts';
import { type JobEdits, resurrect } from '../domain/lifecycle.ts';
import type { ErrorFamily } from '../ports/families.ts';
import type { JobFilter, Page, PageRequest, Store } from '../ports/store.ts';
import { checkRunnable, type EditDraft, readEdits } from './edits.ts';
import { absent, checkFilter, type EnqueueRules, type Wake } from './jobs.ts';
import { readBack } from './read-back.ts';
import type { HandlerRegistry } from './registry.ts';

interface DeadLetterParts {
  readonly store: Pick<Store, 'jobs' | 'families' | 'clock'>;
  readonly registry: HandlerRegistry;
  readonly rules: EnqueueRules;
  readonly wake: Wake;
}

export class DeadLetters {
  readonly #parts: DeadLetterParts;

  constructor(parts: DeadLetterParts) {
    this.#parts = parts;
  }

  list(filter: Omit<JobFilter, 'states'>, page: Omit<PageRequest, 'order' | 'withPayload'>): Promise<Page<Job>> {
    checkFilter(filter);
    return this.#parts.store.jobs.list(
      { ...filter, states: ['dead'] },
      { ...page, order: 'failed', withPayload: false },
    );
  }

  /** With an `owner` (the id of an API key) the jobs of others are as good as absent. */
  async get(id: string, owner: string | null): Promise<Job> {
    const job = await this.#parts.store.jobs.get(id);
    if (job === null || (owner !== null && job.creatorKeyId !== owner)) return absent(id);
    if (job.state === 'dead') return job;
    throw new DomainError('not-found', `Job ${id} is not dead but ${job.state}. Read it at /jobs/${id}.`);
  }

  /** What most dead jobs died of. */
  families(limit: number): Promise<readonly ErrorFamily[]> {
    return this.#parts.store.families.top(limit);
  }

  /** Dead to pending with a fresh budget; answers the job as it is afterwards. */
  async resurrect(id: string, draft: EditDraft, by: string): Promise<Job> {
    const { store, wake } = this.#parts;
    const edits = readEdits(draft, this.#parts.rules, store.clock.now());
    const job = await this.#dead(id);
    await checkRunnable(job, edits, this.#parts);
    await this.#apply(job, edits, by);
    const { due } = edits;
    wake(due && 'inMs' in due ? store.clock.now() + due.inMs : store.clock.now());
    return (await readBack('The job was resurrected', store.jobs.get(id))) ?? absent(id);
  }

  /** A lost race is looked at once more: whoever won it may have left the job dead. */
  async #apply(job: Job, edits: JobEdits, by: string): Promise<void> {
    const first = await this.#attempt(job, edits, by);
    if (first) return;
    const again = await this.#attempt(await this.#dead(job.id), edits, by);
    if (!again) throw notDead(job.id, 'changing at this moment');
  }

  async #attempt(job: Job, edits: JobEdits, by: string): Promise<boolean> {
    const [applied] = await this.#parts.store.jobs.apply([resurrect(job, edits, by)]);
    if (applied?.held === false && applied.why === 'key-taken') {
      const detail = `Another active job holds the idempotency key of job ${job.id}. Resurrect it when that one has finished.`;
      throw new DomainError('key-taken', detail);
    }
    return applied?.held === true;
  }

  async #dead(id: string): Promise<Job> {
    const job = (await this.#parts.store.jobs.get(id)) ?? absent(id);
    if (job.state !== 'dead') throw notDead(id, job.state);
    return job;
  }
}

function notDead(id: string, state: string): DomainError {
  return new DomainError('conflict-state', `Job ${id} is not dead but ${state}: only dead jobs can be resurrected.`);
}
