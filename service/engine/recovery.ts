// Owns recovery: work whose owner is late or gone goes back to pending (unstarted) or to its verdict (started).
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

  constructor(parts: RecoveryParts) {
    this.#parts = parts;
    this.loop = new Loop('recovery', () => this.step(), parts.log);
  }

  /** One batch; answers 0 while there is more to recover. */
  async step(): Promise<number> {
    const { store, settings, random } = this.#parts;
    const { fetchedTimeoutMs, zombieTimeoutMs } = settings;
    const goneOwners = await this.#goneOwners();
    const stale = await store.jobs.stale({ fetchedTimeoutMs, zombieTimeoutMs, goneOwners, limit: BATCH });
    const recovered = stale.length > 0 ? await this.#recover(stale) : 0;
    if (stale.length === BATCH && recovered > 0) return 0;
    if (stale.length < BATCH) await Promise.all(goneOwners.map(owner => store.nodes.forget(owner)));
    return jittered(settings.recoveryIntervalMs, INTERVAL_JITTER, random());
  }

  async #goneOwners(): Promise<readonly string[]> {
    const nodes = await this.#parts.store.nodes.list();
    return nodes.map(node => node.id).filter(id => id !== this.#parts.owner && isKnownGone(id));
  }

  async #recover(stale: readonly StaleJob[]): Promise<number> {
    const { store, registry, onRecovered } = this.#parts;
    await registry.load();
    const transitions = stale.map(job => this.#verdict(job));
    const applied = await store.jobs.apply(transitions);
    const held = transitions.filter((_, at) => applied[at]?.held);
    this.#report(held);
    if (held.some(({ change }) => change.to === 'pending')) onRecovered();
    return held.length;
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
