// Owns the random walk: verbs in any order over two nodes, every answer foretold by a model, every invariant checked after each step.
import { expect } from 'vitest';
import type { ClaimedJob } from '#service/domain/job.js';
import { cancel, reclaim, release, requestCancel, resurrect, start } from '#service/domain/lifecycle.js';
import type { Applied, Store } from '#service/ports/store.js';
import { EXPIRED, FATAL, move, newJob, PATIENT, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { Random } from '../../fixtures/random.ts';
import { Model, type ModelJob, type ModelState, shown } from './model.ts';
import { recount } from './recount.ts';
import { type Law, only, type Stage, verdict } from './world.ts';

const QUEUES = ['q1', 'q2', 'q3'] as const;
const TYPES = ['t1', 't2', 'unknown'] as const;
const HOUR = 3_600_000;
const GONE = { fetchedTimeoutMs: 100 * HOUR, zombieTimeoutMs: 100 * HOUR, goneOwners: ['node-a'], limit: 1_000 };
const LATER = { ...PATIENT, retry: { ...PATIENT.retry, baseMs: HOUR, maxMs: HOUR } };

export function walkLaw(law: Law): void {
  for (const seed of [11, 12, 13, 14])
    law(
      `C5 · A random walk of 250 verbs over two nodes does what a model foretells (seed ${seed})`,
      async stage => {
        const walk = new Walk(stage, seed);
        await walk.begin();
        for (let step = 0; step < 250; step += 1) await walk.step();
      },
      60_000,
    );
}

class Walk {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #model = new Model();
  readonly #path: string[] = [];
  /** Named twice = twice as likely. */
  readonly #verbs: readonly (readonly [string, () => Promise<void>])[] = [
    ['insert', () => this.#insert()],
    ['insert', () => this.#insert()],
    ['claim', () => this.#claim()],
    ['claim', () => this.#claim()],
    ['start', () => this.#start()],
    ['finish', () => this.#finish()],
    ['release', () => this.#release()],
    ['cancel', () => this.#cancel()],
    ['request cancel', () => this.#requestCancel()],
    ['resurrect', () => this.#resurrect()],
    ['edit', () => this.#edit()],
    ['delete', () => this.#delete()],
    ['advance', () => this.#advance()],
    ['configure', () => this.#configure()],
    ['recover', () => this.#recover()],
    ['use a stale lease', () => this.#useStaleLease()],
  ];

  constructor(stage: Stage, seed: number) {
    this.#stage = stage;
    this.#random = new Random(seed);
  }

  async begin(): Promise<void> {
    await this.#stage.register('t1', 't2');
    this.#model.types.add('t1').add('t2');
  }

  async step(): Promise<void> {
    const [name, run] = this.#random.pick(this.#verbs);
    this.#path.push(name);
    await run();
    await this.#check();
  }

  /** Each job is in exactly one table and in the state of the model, and the counters say what a recount finds. */
  async #check(): Promise<void> {
    const { counters, recounted, jobs } = await recount(this.#node());
    const where = `after ${this.#path.length} steps, the last: ${this.#path.slice(-5).join(', ')}`;
    const now = this.#stage.a.clock.now();
    const foretold = [...this.#model.jobs.values()].map(job => [job.id, shown(job, now)]);
    expect(Object.fromEntries(jobs), where).toEqual(Object.fromEntries(foretold));
    expect(jobs.length, where).toBe(foretold.length);
    expect(counters, where).toEqual(recounted);
  }

  async #insert(): Promise<void> {
    const random = this.#random;
    const key = random.chance(0.5) ? `k${random.between(1, 3)}` : null;
    const due = { inMs: random.chance(0.3) ? random.between(1, 3) * HOUR : 0 };
    const [queue, type] = [random.pick(QUEUES), random.pick(TYPES)];
    const job = newJob({ queue, type, idempotencyKey: key, due, json: `${this.#path.length}` });
    if (this.#model.holderOf(key)) {
      await expect(this.#node().jobs.insert([job])).rejects.toMatchObject({ code: 'idempotency-conflict' });
      return;
    }
    const stored = only(await this.#node().jobs.insert([job]));
    expect(stored.duplicate).toBe(false);
    this.#model.add(stored.job);
    expect(only(await this.#node().jobs.insert([job])).duplicate).toBe(true);
  }

  async #claim(): Promise<void> {
    const owner = this.#random.pick(['node-a', 'node-b']);
    const limit = this.#random.between(1, 5);
    const expected = this.#model.claimable(this.#stage.a.clock.now(), limit);
    const jobs = await this.#stage.claim({ owner, limit, start: this.#random.chance(0.5) }, this.#node());
    expect(jobs).toHaveLength(expected);
    for (const job of jobs) {
      const known = this.#model.get(job.id);
      expect(known).toMatchObject({ state: 'pending', round: job.round });
      expect(this.#model.runs(job.queue) && this.#model.types.has(job.type)).toBe(true);
      expect(job.attempts).toBe(known.attempts + (job.state === 'processing' ? 1 : 0));
      this.#model.claimed(job, owner);
    }
  }

  async #start(): Promise<void> {
    const job = this.#choose('fetched');
    if (!job?.claimed) return;
    const applied = await this.#apply(start(job.claimed));
    if (!this.#model.runs(job.queue)) expect(applied).toMatchObject({ held: false, why: 'queue-stopped' });
    else {
      expect(applied).toMatchObject({ held: true });
      job.state = 'processing';
      job.attempts += 1;
      job.claimed = { ...job.claimed, state: 'processing', attempts: job.attempts };
    }
  }

  async #finish(): Promise<void> {
    const job = this.#choose('processing');
    if (!job?.claimed) return;
    const outcome = this.#random.pick([SUCCEEDED, RETRYABLE, FATAL]);
    const applied = await this.#apply(verdict(this.#stage.a, job.claimed, outcome, LATER));
    if (outcome === RETRYABLE && job.cancelRequestedBy !== null) {
      expect(applied).toEqual({ held: false, why: 'cancel-requested', cancelRequestedBy: job.cancelRequestedBy });
      return;
    }
    const at = timeOf(applied);
    if (outcome === RETRYABLE) this.#model.leave(job, 'pending', { dueAt: at + HOUR });
    else this.#model.leave(job, outcome === SUCCEEDED ? 'succeeded' : 'dead');
  }

  async #release(): Promise<void> {
    const job = this.#choose('fetched');
    if (!job?.claimed) return;
    timeOf(await this.#apply((this.#random.chance(0.5) ? release : reclaim)(job.claimed)));
    this.#model.leave(job, 'pending');
  }

  async #cancel(): Promise<void> {
    const job = this.#choose('pending', 'fetched', 'processing', 'succeeded', 'dead');
    if (!job) return;
    const applied = await this.#apply(cancel(job, 'ann'));
    expect(applied.held).toBe(job.state === 'pending' || job.state === 'fetched');
    if (applied.held) this.#model.leave(job, 'dead');
  }

  async #requestCancel(): Promise<void> {
    const job = this.#choose('pending', 'processing', 'processing', 'dead');
    if (!job) return;
    const applied = await this.#apply(requestCancel(job, 'ann'));
    expect(applied.held).toBe(job.state === 'processing');
    if (applied.held) job.cancelRequestedBy = 'ann';
  }

  async #resurrect(): Promise<void> {
    const job = this.#choose('dead', 'dead', 'succeeded', 'pending');
    if (!job) return;
    const applied = await this.#apply(resurrect(job, {}, 'ops'));
    if (job.state !== 'dead') expect(applied).toMatchObject({ held: false, why: 'lost' });
    else if (this.#model.holderOf(job.key, job.id)) expect(applied).toMatchObject({ held: false, why: 'key-taken' });
    else this.#model.leave(job, 'pending', { round: job.round + 1, attempts: 0, dueAt: timeOf(applied) });
  }

  async #edit(): Promise<void> {
    const job = this.#choose('pending', 'fetched', 'dead', 'processing');
    if (!job) return;
    const { version } = await this.#stage.job(job.id);
    const name = job.state === 'dead' ? 'editDead' : 'edit';
    const edits = { priority: this.#random.between(-5, 5), tags: ['edited'] };
    const applied = await this.#apply(move(name, job, { to: 'edited', edits, by: 'ann' }, { version }));
    expect(applied.held).toBe(job.state !== 'processing');
    if (job.state === 'fetched') this.#model.leave(job, 'pending');
  }

  async #delete(): Promise<void> {
    const job = this.#choose('succeeded', 'dead', 'pending');
    if (!job) return;
    const applied = await this.#apply(move(job.state === 'succeeded' ? 'remove' : 'purge', job, { to: 'gone' }));
    expect(applied.held).toBe(job.state !== 'pending');
    if (applied.held) this.#model.jobs.delete(job.id);
  }

  async #advance(): Promise<void> {
    this.#stage.advance(HOUR + 1_000);
    await this.#claim();
  }

  async #configure(): Promise<void> {
    if (this.#model.queues.size === 0) return;
    const [name, settings] = this.#random.pick([...this.#model.queues]);
    const random = this.#random;
    Object.assign(settings, {
      isPaused: random.chance(0.3),
      isActive: random.chance(0.8),
      maxWorkers: random.chance(0.5) ? random.between(1, 4) : null,
    });
    expect(await this.#node().queues.configure(name, { ...settings })).toMatchObject({ queue: settings });
  }

  async #recover(): Promise<void> {
    const stale = await this.#node().jobs.stale(GONE);
    const foretold = this.#model.in('fetched', 'processing').filter(({ owner }) => owner === 'node-a');
    expect(new Set(stale.map(({ id }) => id))).toEqual(new Set(foretold.map(({ id }) => id)));
    for (const found of stale.slice(0, 2)) {
      const job = this.#model.get(found.id);
      expect(found).toMatchObject({ leaseId: job.leaseId, cancelRequestedBy: job.cancelRequestedBy, state: job.state });
      const expired = { ...found, circuitEpoch: 0, payload: new Uint8Array() };
      timeOf(await this.#apply(found.state === 'fetched' ? reclaim(found) : verdict(this.#stage.a, expired, EXPIRED)));
      this.#model.leave(job, found.state === 'fetched' ? 'pending' : 'dead');
    }
  }

  async #useStaleLease(): Promise<void> {
    const stale = this.#model.claims.filter(({ id, leaseId }) => this.#model.jobs.get(id)?.leaseId !== leaseId);
    if (stale.length === 0) return;
    const job: ClaimedJob = this.#random.pick(stale);
    const outcome = this.#random.pick([SUCCEEDED, RETRYABLE, FATAL, EXPIRED]);
    const moves = [start(job), release(job), reclaim(job), verdict(this.#stage.a, job, outcome, LATER)];
    for (const transition of moves) expect(await this.#apply(transition)).toMatchObject({ held: false, why: 'lost' });
    expect(await this.#node().jobs.heartbeat('node-a', [job.leaseId])).toEqual([]);
  }

  #choose(...states: readonly ModelState[]): ModelJob | undefined {
    const jobs = this.#model.in(...states);
    return jobs.length === 0 ? undefined : this.#random.pick(jobs);
  }

  #apply(transition: Parameters<Stage['apply']>[0]): Promise<Applied> {
    return this.#stage.apply(transition, this.#node());
  }

  #node(): Store {
    return this.#random.chance(0.5) ? this.#stage.a : this.#stage.b;
  }
}

function timeOf(applied: Applied): number {
  if (!applied.held) throw new Error(`a move that the model foretold did not hold: ${applied.why}`);
  return applied.at;
}
