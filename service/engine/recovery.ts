// Owns recovery: work whose owner is late or gone goes back to pending (unstarted) or to its verdict (started).
import { isStorageAway } from '../domain/errors.ts';
import { decide, reclaim, type Transition } from '../domain/lifecycle.ts';
import { type AttemptPolicy, resolvePolicy } from '../domain/retry.ts';
import type { Log } from '../log.ts';
import type { StaleJob, Store } from '../ports/store.ts';
import { isKnownGone } from './identity.ts';
import { jittered, Loop } from './loop.ts';
import type { Registry } from './registry.ts';
import type { EngineSettings } from './settings.ts';

export interface RecoveryParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly log: Log;
  readonly random: () => number;
  readonly policy: AttemptPolicy;
  readonly owner: string;
  readonly settings: Pick<EngineSettings, 'recoveryIntervalMs' | 'fetchedTimeoutMs' | 'zombieTimeoutMs'>;
  /** Called when jobs went back to pending. */
  readonly onRecovered: () => void;
}

/** Small enough that fresh claims get their turn between two batches. */
const BATCH = 200;
const INTERVAL_JITTER = 0.1;

export class Recovery {
  readonly loop: Loop;
  readonly #parts: RecoveryParts;
  /** Leases whose verdict met a bug in this scan. */
  readonly #failed = new Set<string>();

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    this.loop = new Loop('recovery', () => this.step(), parts.log);
  }

  /** One batch; answers 0 while there is more to recover. What failed is left alone until the scan has reached the end. */
  async step(): Promise<number> {
    const { store, settings, random } = this.#parts;
    const { fetchedTimeoutMs, zombieTimeoutMs } = settings;
    const goneOwners = await this.#goneOwners();
    const limit = BATCH + this.#failed.size;
    const found = await store.jobs.stale({ fetchedTimeoutMs, zombieTimeoutMs, goneOwners, limit });
    const stale = found.filter(job => !this.#failed.has(job.leaseId));
    const recovered = stale.length > 0 ? await this.#recover(stale) : 0;
    if (found.length === limit && recovered > 0) return 0;
    if (found.length < limit) await this.#endScan(goneOwners);
    return jittered(settings.recoveryIntervalMs, INTERVAL_JITTER, random());
  }

  /** A node whose work could not be recovered stays known, so that it is tried again. */
  async #endScan(goneOwners: readonly string[]): Promise<void> {
    const hasFailed = this.#failed.size > 0;
    this.#failed.clear();
    if (!hasFailed) await Promise.all(goneOwners.map(owner => this.#parts.store.nodes.forget(owner)));
  }

  async #goneOwners(): Promise<readonly string[]> {
    const nodes = await this.#parts.store.nodes.list();
    return nodes.map(node => node.id).filter(id => id !== this.#parts.owner && isKnownGone(id));
  }

  async #recover(stale: readonly StaleJob[]): Promise<number> {
    const { registry, onRecovered } = this.#parts;
    await registry.load();
    const held = await this.#bring(stale);
    this.#report(held);
    if (held.some(({ change }) => change.to === 'pending')) onRecovered();
    return held.length;
  }

  /** The verdicts that held. One that meets a bug takes back those beside it: then each is brought alone, and only the guilty one fails. */
  async #bring(stale: readonly StaleJob[]): Promise<readonly Transition[]> {
    try {
      const transitions = stale.map(job => this.#verdict(job));
      const applied = await this.#parts.store.jobs.apply(transitions);
      return transitions.filter((_, at) => applied[at]?.held);
    } catch (err) {
      const [first] = stale;
      if (isStorageAway(err) || first === undefined) throw err;
      if (stale.length === 1) return this.#leave(first, err);
      const held: Transition[] = [];
      for (const job of stale) held.push(...(await this.#bring([job])));
      return held;
    }
  }

  #leave({ id: jobId, leaseId }: StaleJob, err: unknown): readonly Transition[] {
    this.#failed.add(leaseId);
    this.#parts.log.event('recoveryFailed', { jobId, err });
    return [];
  }

  #verdict(job: StaleJob): Transition {
    if (job.state === 'fetched') return reclaim(job);
    const error = `The job had started on node ${job.workerId}, which stopped reporting; whether it had effects is unknown.`;
    const answer = { responseStatus: null, responseBody: null, error };
    const moment = { now: this.#parts.store.clock.now(), random: this.#parts.random() };
    const by = job.cancelRequestedBy;
    return decide(
      job,
      by === null ? { ...answer, kind: 'expired' } : { ...answer, kind: 'cancelled', by },
      this.#policy(job),
      moment,
    );
  }

  #policy(job: StaleJob): AttemptPolicy {
    return resolvePolicy(this.#parts.policy, job.overrides, this.#parts.registry.find(job.type)?.attempts ?? {});
  }

  #report(held: readonly Transition[]): void {
    const fetched = held.filter(({ move }) => move === 'reclaim').length;
    const zombies = held.length - fetched;
    if (fetched > 0) this.#parts.log.event('recoveredFetched', { count: fetched });
    if (zombies > 0) this.#parts.log.event('recoveredZombies', { count: zombies });
  }
}
