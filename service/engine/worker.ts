// Owns the claim loop of a node: exactly as many jobs as there are free slots, each run to its committed end.
import { roomForHandler, shareOfOneType } from '../domain/capacity.ts';
import type { ClaimedJob } from '../domain/job.ts';
import type { StopReason } from '../ports/delivery.ts';
import type { Claim } from '../ports/store.ts';
import { logCircuit } from './circuit-log.ts';
import { Execution, type ExecutionParts } from './execution.ts';
import { jittered, Loop } from './loop.ts';
import { type EngineSettings, refresh, type StoredCopy } from './settings.ts';

export interface WorkerParts extends Omit<ExecutionParts, 'onDelivered' | 'onRetry'> {
  readonly owner: string;
  readonly settings: Pick<EngineSettings, 'concurrency' | 'pollIntervalMs' | 'zombieTimeoutMs'>;
  readonly stored: StoredCopy;
}

const POLL_JITTER = 0.1;

export class Worker {
  readonly loop: Loop;
  readonly #parts: WorkerParts;
  readonly #execution: ExecutionParts;
  /** Everything this node holds a lease of, until its last transition is committed. */
  readonly #held = new Map<string, Execution>();
  readonly #slotsByHandler = new Map<string, number>();
  #slots = 0;
  /** Slots that claims under way may fill: one that was given up for hanging may still be answered. */
  #asked = 0;
  #queuesRevision = -1;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#execution = {
      ...parts,
      onDelivered: execution => this.#freeSlot(execution),
      onRetry: dueInMs => this.wake(dueInMs),
    };
    this.loop = new Loop('claim', () => this.step(), parts.log);
  }

  /** Jobs in flight on this node. */
  get active(): number {
    return this.#slots;
  }

  get capacity(): number {
    return this.#parts.settings.concurrency;
  }

  activeByQueue(): ReadonlyMap<string, number> {
    const active = new Map<string, number>();
    for (const { job, phase } of this.#held.values()) {
      if (phase === 'running') active.set(job.queue, (active.get(job.queue) ?? 0) + 1);
    }
    return active;
  }

  /** Everything held, also what is only waiting for its last transition to be stored. */
  get held(): ReadonlyMap<string, Execution> {
    return this.#held;
  }

  /** Work has become, or will become, due in `inMs`: claim at once, in the same transaction as what is being written. */
  wake(inMs = 0): void {
    if (this.#free() > 0) this.loop.nudge(inMs);
  }

  /** Something has changed that this node should know at once, whether it has free slots or not. */
  look(): void {
    this.loop.nudge();
  }

  stopAll(reason: StopReason): void {
    for (const execution of this.#held.values()) execution.stop(reason);
  }

  /** How long ago the last look for wishes to cancel began that was answered, in ms. */
  sinceLookMs(): number {
    return performance.now() - this.#lookedAt;
  }

  /** Looks for wishes to cancel, and for what else is better not left until the next claim; claims nothing itself. */
  async heed(): Promise<void> {
    const { store, owner } = this.#parts;
    const at = performance.now();
    const claim = await store.jobs.claim({ owner, limit: 0, perType: 0, perHandler: {}, start: true });
    this.#stopCancelled(claim, at);
    // A claim under way may have started jobs that are not known here yet, so only a claim may acknowledge.
    if (claim.queuesRevision > this.#queuesRevision) this.look();
  }

  /** One claim; answers how long to rest. */
  async step(): Promise<number> {
    const limit = Math.max(0, this.#free() - this.#asked);
    this.#asked += limit;
    try {
      return await this.#claim(limit);
    } finally {
      this.#asked -= limit;
    }
  }

  async #claim(limit: number): Promise<number> {
    const { store, registry, owner, stored } = this.#parts;
    const perType = shareOfOneType(limit);
    const at = performance.now();
    const claim = await store.jobs.claim({ owner, limit, perType, perHandler: this.#rooms(limit), start: true });
    if (claim.handlersRevision > registry.revision) await this.#reload();
    for (const event of claim.circuitEvents) logCircuit(this.#parts.log, event);
    for (const job of claim.jobs) this.#begin(job);
    if (claim.settingsRevision > stored.revision) refresh(this.#parts);
    if (claim.queuesRevision > this.#queuesRevision) this.#acknowledge(claim.queuesRevision);
    this.#stopCancelled(claim, at);
    return this.#restAfter(claim, limit, perType);
  }

  #stopCancelled({ cancelRequests }: Claim, lookedAt: number): void {
    this.#lookedAt = Math.max(this.#lookedAt, lookedAt);
    for (const { leaseId, by } of cancelRequests) this.#held.get(leaseId)?.stop({ kind: 'cancelled', by });
  }

  #free(): number {
    return this.#parts.settings.concurrency - this.#slots;
  }

  #rooms(free: number): Record<string, number> {
    const rooms: Record<string, number> = {};
    for (const [type, held] of this.#slotsByHandler) rooms[type] = this.#room(type, free, held);
    for (const type of this.#parts.registry.limited) rooms[type] ??= this.#room(type, free, 0);
    return rooms;
  }

  #room(type: string, free: number, held: number): number {
    const concurrency = this.#parts.registry.find(type)?.concurrency ?? null;
    return roomForHandler(this.#parts.settings.concurrency, free, held, concurrency);
  }

  /** A claim has already started its jobs: they run with the handlers known, rather than being lost with an error. */
  async #reload(): Promise<void> {
    try {
      await this.#parts.registry.load();
    } catch (error) {
      this.#parts.log.event('storageFailed', { reading: 'handlers', err: error });
    }
  }

  /** Queues may have been paused: says so once all that was started under the old settings has been sent. */
  #acknowledge(queuesRevision: number): void {
    const { store, owner, log } = this.#parts;
    this.#queuesRevision = queuesRevision;
    Promise.all([...this.#held.values()].map(execution => execution.whenSent()))
      .then(() => store.nodes.acknowledge(owner, queuesRevision))
      .catch(error => log.event('storageFailed', { writing: 'acknowledgement', err: error }));
  }

  #begin(job: ClaimedJob): void {
    const execution = new Execution(job, this.#execution);
    this.#held.set(job.leaseId, execution);
    this.#slots += 1;
    this.#slotsByHandler.set(execution.handlerType, (this.#slotsByHandler.get(execution.handlerType) ?? 0) + 1);
    execution
      .run()
      .catch(error => this.#parts.log.event('executionFailed', { jobId: job.id, err: error }))
      .finally(() => this.#held.delete(job.leaseId));
  }

  #freeSlot({ handlerType }: Execution): void {
    this.#slots -= 1;
    const left = (this.#slotsByHandler.get(handlerType) ?? 0) - 1;
    if (left > 0) this.#slotsByHandler.set(handlerType, left);
    else this.#slotsByHandler.delete(handlerType);
    this.loop.nudge();
  }

  #restAfter(claim: Claim, limit: number, perType: number): number {
    const { settings, random, store } = this.#parts;
    const restMs = jittered(settings.pollIntervalMs, POLL_JITTER, random());
    if (limit === 0) return restMs;
    if (claim.jobs.length === limit || tookWholeShare(claim.jobs, perType)) return 0;
    return claim.nextDueAt === null ? restMs : Math.min(restMs, Math.max(0, claim.nextDueAt - store.clock.now()));
  }
}

/** Some type reached its share, so more of it may be ready. */
function tookWholeShare(jobs: readonly ClaimedJob[], perType: number): boolean {
  const counts = new Map<string, number>();
  for (const { type } of jobs) {
    const count = (counts.get(type) ?? 0) + 1;
    if (count >= perType) return true;
    counts.set(type, count);
  }
  return false;
}
