// Owns the verbs of producers and readers: enqueue one or many, read, list, and look into a job's history.
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../domain/errors.ts';
import type { Attempt, Job, NewJob } from '../domain/job.ts';
import type { Inserted, JobFilter, Page, PageRequest, Store } from '../ports/store.ts';
import { type JobDraft, type Producer, readDraft } from './draft.ts';
import { Faults } from './faults.ts';
import type { HandlerRegistry } from './registry.ts';

const FIRST_LOOK_MS = 25;
const LOOK_AGAIN_MS = 500;
const CHECKS_END_AFTER_MS = 1_000;

export interface EnqueueRules {
  readonly maxPayloadBytes: number;
  /** A type without a handler is refused. */
  readonly requireRegisteredTypes: boolean;
}

/** Tells the engine that work is due at this instant (epoch ms by the database's clock). */
export type Wake = (dueAt: number) => void;

interface JobParts {
  readonly store: Pick<Store, 'jobs' | 'clock'>;
  readonly registry: HandlerRegistry;
  readonly rules: EnqueueRules;
  readonly wake: Wake;
}

interface WantedJob {
  readonly id: string;
  readonly owner: string | null;
}

export class Jobs {
  readonly #parts: JobParts;

  constructor(parts: JobParts) {
    this.#parts = parts;
  }

  /** Stores one job; the pointers of its faults start at the body itself. */
  async enqueue(draft: JobDraft, producer: Producer): Promise<Inserted> {
    try {
      const [stored] = await this.#store([draft], producer, () => '#');
      if (stored === undefined) throw new Error('the store answered nothing for a job');
      return stored;
    } catch (error) {
      throw error instanceof DomainError ? asSingle(error) : error;
    }
  }

  /** Stores all jobs or none, in one transaction; answers in order. */
  enqueueBatch(drafts: readonly JobDraft[], producer: Producer): Promise<readonly Inserted[]> {
    return this.#store(drafts, producer, index => `#/jobs/${index}`);
  }

  /** With an `owner` (the id of an API key) the jobs of others are as good as absent. */
  async get(id: string, owner: string | null): Promise<Job> {
    const job = await this.#parts.store.jobs.get(id);
    return job && (owner === null || job.creatorKeyId === owner) ? job : absent(id);
  }

  /** Answers when the job has finished, when the time is up, or when `signal` says that nobody waits any more. */
  async waitFor({ id, owner }: WantedJob, waitMs: number, signal: AbortSignal): Promise<Job> {
    const until = performance.now() + waitMs;
    for (let restMs = FIRST_LOOK_MS; ; restMs = Math.min(restMs * 2, LOOK_AGAIN_MS)) {
      const job = await this.get(id, owner);
      const leftMs = until - performance.now();
      const finished = job.state === 'succeeded' || job.state === 'dead';
      if (finished || leftMs <= 0 || signal.aborted) return job;
      await sleep(Math.min(restMs, leftMs), undefined, { signal }).catch(() => undefined);
    }
  }

  list(filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
    checkFilter(filter);
    return this.#parts.store.jobs.list(filter, page);
  }

  async attempts(id: string, owner: string | null): Promise<readonly Attempt[]> {
    if (owner !== null) await this.get(id, owner);
    const attempts = await this.#parts.store.jobs.attempts(id);
    if (attempts.length === 0) await this.get(id, owner);
    return attempts;
  }

  async #store(
    drafts: readonly JobDraft[],
    producer: Producer,
    at: (index: number) => string,
  ): Promise<readonly Inserted[]> {
    const { store, registry, rules, wake } = this.#parts;
    if (rules.requireRegisteredTypes && drafts.some(draft => !registry.find(draft.type.trim())))
      await registry.search();
    const now = store.clock.now();
    const faults = new Faults();
    const { maxPayloadBytes } = rules;
    const jobs = drafts.map((draft, index) =>
      readDraft(draft, { at: at(index), now, maxPayloadBytes, producer, faults }),
    );
    this.#checkHandlers(jobs, at, faults);
    faults.check();
    const stored = store.jobs.insert(jobs);
    // Before the wait: a claim that is asked for now joins the transaction of this insert.
    wake(Math.min(...jobs.map(({ due }) => ('at' in due ? due.at : now + due.inMs))));
    return stored;
  }

  /** One request may not hold up all others with what is slow to check: its share is bounded, whatever its size. */
  #checkHandlers(jobs: readonly NewJob[], at: (index: number) => string, faults: Faults): void {
    const until = performance.now() + CHECKS_END_AFTER_MS;
    for (const [index, job] of jobs.entries()) {
      this.#checkHandler(job, at(index), faults);
      if (performance.now() < until || index === jobs.length - 1) continue;
      const why = `those before it took their schemas ${CHECKS_END_AFTER_MS} ms; send fewer at once`;
      faults.add(`${at(index + 1)}/payload`, `was not checked: ${why}`);
      return;
    }
  }

  #checkHandler(job: NewJob, at: string, faults: Faults): void {
    const { registry, rules } = this.#parts;
    const handler = registry.find(job.type);
    if (handler === undefined) {
      if (rules.requireRegisteredTypes) faults.add(`${at}/type`, `${job.type} has no handler`, 'type-not-registered');
      return;
    }
    if (handler.schema === null || job.payload.length > rules.maxPayloadBytes) return;
    const flaw = registry.flaw(handler, job.payload);
    if (flaw !== null) faults.add(`${at}/payload`, flaw);
  }
}

/** Refuses time ranges that end before they begin; both kinds of list use it. */
export function checkFilter(filter: JobFilter): void {
  const [parameter] = backwardRanges(filter);
  if (parameter === undefined) return;
  const fault = { detail: 'must be later than the start of the range', parameter };
  throw new DomainError('malformed-request', 'Give a range that begins before it ends.', [fault]);
}

/** The names of the ends that come before their beginnings. */
export function backwardRanges(filter: JobFilter): readonly string[] {
  const ranges = [
    ['createdBefore', filter.createdAfter, filter.createdBefore],
    ['failedBefore', filter.failedAfter, filter.failedBefore],
  ] as const;
  return ranges.flatMap(([name, after, before]) =>
    after === undefined || before === undefined || after < before ? [] : [name],
  );
}

export function absent(id: string): never {
  throw new DomainError(
    'not-found',
    `There is no job ${id}. Check the id; finished jobs are deleted after their time of retention.`,
  );
}

/** The store speaks of `#/jobs/0`; whoever posted one job knows no list. */
function asSingle(error: DomainError): DomainError {
  const faults = error.faults.map(fault =>
    fault.pointer === undefined ? fault : { ...fault, pointer: fault.pointer.replace(/^#\/jobs\/0/, '#') },
  );
  return new DomainError(error.code, error.message, faults, error.cause);
}
