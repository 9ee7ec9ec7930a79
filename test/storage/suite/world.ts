// Owns what a store must bring to be put under the law, and the stage on which each statement of it is played.
import { expect } from 'vitest';
import type { ClaimedJob, Job } from '#service/domain/job.js';
import { decide, type Outcome, start, type Transition } from '#service/domain/lifecycle.js';
import type { AttemptPolicy } from '#service/domain/retry.js';
import type { Applied, Claim, ClaimRequest, JobFilter, Store } from '#service/ports/store.js';
import { handlerFor, type JobFields, newJob, PATIENT, TYPE } from '../../fixtures/jobs.ts';

/** A fresh, empty database, and two handles on it that stand for two nodes. */
export interface StoreWorld {
  readonly nodes: readonly [Store, Store];
  /** Moves the database's clock, for both nodes. */
  readonly clock: { advance(ms: number): void };
  /** Closes both handles and removes the database. */
  close(): Promise<void>;
  /** Deletes everything, so that the world can be used for the next statement; absent where opening is cheap. */
  empty?(): Promise<void>;
  /** Opens a third handle on the same database, as a restarted node would; absent where nothing survives. */
  reopen?(): Promise<Store>;
  /** From now on, every write into this table fails, until the returned function is called. */
  breakWrites?(table: string): Promise<() => Promise<void>>;
  /** The sums over all per-second buckets of a queue. */
  buckets?(queue: string): Promise<{ readonly succeeded: number; readonly dead: number }>;
}

export type Law = (title: string, play: (stage: Stage) => Promise<void>, timeoutMs?: number) => void;

const CLAIM: ClaimRequest = { owner: 'node-a', limit: 100, perType: 1_000, perHandler: {}, start: false };

/** The verbs that nearly every statement needs, on node a unless said otherwise. */
export class Stage {
  readonly world: StoreWorld;
  readonly a: Store;
  readonly b: Store;
  #advancedMs = 0;

  constructor(world: StoreWorld) {
    this.world = world;
    [this.a, this.b] = world.nodes;
  }

  advance(ms: number): void {
    this.#advancedMs += ms;
    this.world.clock.advance(ms);
  }

  /** Sets the clock back to where this stage found it. */
  rewind(): void {
    this.advance(-this.#advancedMs);
  }

  async register(...types: readonly string[]): Promise<void> {
    for (const type of types.length === 0 ? [TYPE] : types) await this.a.handlers.put(handlerFor(type));
  }

  async add(...jobs: readonly JobFields[]): Promise<readonly Job[]> {
    const stored = await this.a.jobs.insert(jobs.map(newJob));
    return stored.map(({ job }) => job);
  }

  async addOne(fields: JobFields = {}): Promise<Job> {
    return only(await this.add(fields));
  }

  async claim(request: Partial<ClaimRequest> = {}, node: Store = this.a): Promise<readonly ClaimedJob[]> {
    return (await this.look(request, node)).jobs;
  }

  look(request: Partial<ClaimRequest> = {}, node: Store = this.a): Promise<Claim> {
    return node.jobs.claim({ ...CLAIM, ...request });
  }

  /** A stored job of a registered type that node a has claimed and not started. */
  async fetched(fields: JobFields = {}): Promise<ClaimedJob> {
    await this.register(fields.type ?? TYPE);
    const job = await this.addOne(fields);
    return only((await this.claim()).filter(({ id }) => id === job.id));
  }

  /** The same, started. */
  async running(fields: JobFields = {}): Promise<ClaimedJob> {
    const job = await this.fetched(fields);
    return this.begin(job);
  }

  async begin(job: ClaimedJob, node: Store = this.a): Promise<ClaimedJob> {
    const applied = await this.apply(start(job), node);
    if (!applied.held) throw new Error(`the start of ${job.id} did not hold: ${applied.why}`);
    return { ...job, state: 'processing', attempts: job.attempts + 1, startedAt: applied.at };
  }

  /** Claims until the given job comes, and starts it. */
  async runAgain(id: string, owner = 'node-a'): Promise<ClaimedJob> {
    return this.begin(only((await this.claim({ owner })).filter(job => job.id === id)));
  }

  async apply(transition: Transition, node: Store = this.a): Promise<Applied> {
    return only(await node.jobs.apply([transition]));
  }

  /** Decides by the real rule, without chance, and applies. */
  finish(job: ClaimedJob, outcome: Outcome, policy: AttemptPolicy = PATIENT, node: Store = this.a): Promise<Applied> {
    return this.apply(verdict(node, job, outcome, policy), node);
  }

  async job(id: string, node: Store = this.b): Promise<Job> {
    const job = await node.jobs.get(id);
    if (!job) throw new Error(`there is no job ${id}`);
    return job;
  }

  /** All jobs that match, page by page, as the other node sees them. */
  async all(filter: JobFilter = {}, limit = 200): Promise<readonly Job[]> {
    const jobs: Job[] = [];
    let after: { at: number; id: string } | null = null;
    do {
      const page: Awaited<ReturnType<Store['jobs']['list']>> = await this.b.jobs.list(filter, {
        order: 'created',
        limit,
        after,
        withPayload: false,
      });
      jobs.push(...page.items);
      after = page.next;
    } while (after);
    return jobs;
  }

  /** Puts jobs of several queues and types into the dead-letter queue and gives them back as stored there. */
  async dead(fields: JobFields = {}, outcome?: Outcome): Promise<Job> {
    const job = await this.running(fields);
    expect(await this.finish(job, outcome ?? DEADLY)).toMatchObject({ held: true });
    return this.job(job.id);
  }

  async succeeded(fields: JobFields = {}): Promise<Job> {
    const job = await this.running(fields);
    expect(await this.finish(job, FINE)).toMatchObject({ held: true });
    return this.job(job.id);
  }
}

const DEADLY: Outcome = {
  kind: 'fatal',
  endpointGone: false,
  responseStatus: 400,
  responseBody: 'no',
  error: 'HTTP 400',
};
export const FINE: Outcome = { kind: 'succeeded', responseStatus: 200, responseBody: 'fine', error: null };

export function verdict(node: Store, job: ClaimedJob, outcome: Outcome, policy: AttemptPolicy = PATIENT): Transition {
  return decide(job, outcome, policy, { now: node.clock.now(), random: 0 });
}

export function only<T>(items: readonly T[]): T {
  const [first] = items;
  if (first === undefined || items.length !== 1) throw new Error(`expected exactly one, got ${items.length}`);
  return first;
}

/** How many of these applied transitions held. */
export function heldCount(applied: readonly Applied[]): number {
  return applied.filter(({ held }) => held).length;
}
