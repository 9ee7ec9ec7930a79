// Owns one claimed job on this node, from its lease to the committed transition: start, deliver, decide, apply.
import type { Handler } from '../domain/handler.ts';
import { postponeMs } from '../domain/idempotency.ts';
import type { ClaimedJob } from '../domain/job.ts';
import {
  decide,
  judged,
  type Outcome,
  postpone,
  reject,
  release,
  skip,
  start,
  type Transition,
} from '../domain/lifecycle.ts';
import { type AttemptPolicy, resolvePolicy } from '../domain/retry.ts';
import type { Log } from '../log.ts';
import type { Delivery, StopReason } from '../ports/delivery.ts';
import type { Applied, Store } from '../ports/store.ts';
import { applyHeld } from './apply.ts';
import type { Registry } from './registry.ts';
import type { EngineSettings } from './settings.ts';
import { Stop } from './stop.ts';

export interface ExecutionParts {
  readonly store: Store;
  readonly delivery: Delivery;
  readonly registry: Registry;
  readonly log: Log;
  /** The service's own limits, behind those of job, handler and queue. */
  readonly policy: AttemptPolicy;
  readonly random: () => number;
  readonly settings: Pick<EngineSettings, 'zombieTimeoutMs'>;
  /** Called when the slot is free again; the final transition is already on its way to the store. */
  readonly onDelivered: (execution: Execution) => void;
  /** Called after a retry was stored, with the wait until it is due. */
  readonly onRetry: (dueInMs: number) => void;
}

const LONGEST_ERROR = 1_000;

type NotHeld = Extract<Applied, { readonly held: false }>;
type Phase = 'claimed' | 'running' | 'settling';

export class Execution {
  readonly job: ClaimedJob;
  /** The type key of the handler that serves the job, `*` for the catch-all. */
  readonly handlerType: string;
  readonly #handler: Handler | undefined;
  readonly #parts: ExecutionParts;
  readonly #stop = new Stop();
  #phase: Phase = 'claimed';
  #holdsSlot = true;
  #isSent = false;
  #sentListeners: (() => void)[] = [];

  constructor(job: ClaimedJob, parts: ExecutionParts) {
    this.job = job;
    this.#parts = parts;
    this.#handler = parts.registry.find(job.type);
    this.handlerType = this.#handler?.type ?? job.type;
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Aborts the call; a call not yet begun is not made. */
  stop(reason: StopReason): void {
    this.#stop.abort(reason);
  }

  /** Resolves when the job has left this node: finalised, rescheduled, given back or lost. */
  async run(): Promise<void> {
    try {
      const job = this.job.state === 'processing' ? this.job : await this.#start();
      if (job !== undefined) await this.#attempt(job);
    } finally {
      this.#sent();
      this.#leaveSlot();
    }
  }

  /** What was started ends, whatever bug it meets: at the latest as what was lost, which recovery would find it to be. */
  async #attempt(job: ClaimedJob): Promise<void> {
    this.#phase = 'running';
    let outcome: Outcome | undefined;
    try {
      outcome = await this.#deliver(job);
      if (!this.#isDisowned()) await this.#end(job, outcome);
    } catch (err) {
      const { log } = this.#parts;
      log.event('executionFailed', { jobId: job.id, err });
      await this.#end(job, lostTo(err, outcome)).catch(error => log.event('jobLeft', { jobId: job.id, err: error }));
    }
  }

  async #end(job: ClaimedJob, outcome: Outcome): Promise<void> {
    this.#phase = 'settling';
    const settled = this.#settle(job, outcome);
    this.#leaveSlot();
    await settled;
  }

  /** Resolves when no call of this job can leave this node any more: its request has, or none will. */
  whenSent(): Promise<void> {
    if (this.#isSent) return Promise.resolve();
    return new Promise(resolve => this.#sentListeners.push(resolve));
  }

  #sent(): void {
    this.#isSent = true;
    for (const listener of this.#sentListeners.splice(0)) listener();
  }

  #isDisowned(): boolean {
    return this.#stop.reason?.kind === 'disowned';
  }

  #leaveSlot(): void {
    if (!this.#holdsSlot) return;
    this.#holdsSlot = false;
    this.#parts.onDelivered(this);
  }

  /** The checks before the start, then the start itself; undefined when no attempt may begin. */
  async #start(): Promise<ClaimedJob | undefined> {
    const flaw = this.#handler && this.#parts.registry.flaw(this.#handler, this.job.payload);
    const stopped = this.#handler === undefined || this.#stop.aborted;
    const transition = flaw
      ? this.#rejection(flaw)
      : stopped
        ? release(this.job)
        : start(this.job, this.#parts.settings.zombieTimeoutMs);
    const applied = await this.#apply(transition);
    if (!applied.held) return this.#notStarted(transition, applied);
    if (transition.move !== 'start') return undefined;
    return { ...this.job, state: 'processing', attempts: this.job.attempts + 1, startedAt: applied.at };
  }

  /** Why it may not start decides where the job goes: nowhere when it is no longer ours. */
  async #notStarted(transition: Transition, { why }: NotHeld): Promise<undefined> {
    const instead = this.#insteadOfStart(why);
    const applied = instead && (await this.#apply(instead));
    if (!applied?.held) this.#lost(instead ?? transition);
    else if (instead?.change.to === 'pending') this.#parts.onRetry(instead.change.dueInMs ?? 0);
    return undefined;
  }

  #insteadOfStart(why: NotHeld['why']): Transition | undefined {
    if (why === 'queue-stopped' || why === 'circuit-open') return release(this.job);
    if (why === 'operation-done') return skip(this.job);
    if (why !== 'operation-held') return undefined;
    const waitingSince = this.job.resurrectedAt ?? this.job.firstDueAt;
    return postpone(this.job, postponeMs(this.#parts.store.clock.now() - waitingSince));
  }

  #rejection(flaw: string): Transition {
    return reject(this.job, `The stored payload breaks the schema of handler ${this.handlerType}: ${flaw}`);
  }

  async #deliver(job: ClaimedJob): Promise<Outcome> {
    const { delivery, log, store } = this.#parts;
    if (this.#handler === undefined) return handlerGone(job.type);
    const { maxAttempts, timeoutMs } = this.#policy();
    log.event('attemptStarted', { jobId: job.id, type: job.type, queue: job.queue, attempt: job.attempts });
    const startedAt = job.startedAt ?? store.clock.now();
    const outcome = await delivery.deliver({
      job,
      handler: this.#handler,
      maxAttempts,
      timeoutMs,
      startedAt,
      signal: this.#stop,
      onSent: () => this.#sent(),
    });
    log.event('attemptFinished', { jobId: job.id, outcome: outcome.kind, status: outcome.responseStatus });
    return outcome;
  }

  /** Applies what the outcome means, again and again while storage is away: its failure is not the handler's. */
  async #settle(job: ClaimedJob, outcome: Outcome): Promise<void> {
    const moment = { now: this.#parts.store.clock.now(), random: this.#parts.random() };
    const decided = decide(job, outcome, this.#policy(), moment);
    const { handlerType } = this;
    const { circuitEpoch } = job;
    const transition = this.#handler ? judged(decided, { handlerType, circuitEpoch }, outcome) : decided;
    const applied = await this.#apply(transition);
    if (applied.held) return this.#announce(transition);
    if (applied.why === 'cancel-requested') {
      const by = applied.cancelRequestedBy ?? 'an operator';
      return this.#settle(job, { ...outcome, kind: 'cancelled', by });
    }
    this.#lost(transition);
  }

  #apply(transition: Transition): Promise<Applied> {
    return applyHeld(this.#parts, transition);
  }

  /** Resolved anew at each decision, so that a changed handler holds for jobs that wait. */
  #policy(): AttemptPolicy {
    const { policy, registry } = this.#parts;
    const handler = registry.find(this.job.type) ?? this.#handler;
    const queue = this.job.queueTimeoutMs === null ? {} : { timeoutMs: this.job.queueTimeoutMs };
    return resolvePolicy(policy, this.job.overrides, handler?.attempts ?? {}, queue);
  }

  #announce({ change }: Transition): void {
    const { id: jobId, type, queue } = this.job;
    if (change.to === 'pending') {
      this.#parts.log.event('jobRetried', { jobId, type, queue, dueInMs: change.dueInMs });
      this.#parts.onRetry(change.dueInMs ?? 0);
    } else if (change.to === 'dead') {
      this.#parts.log.event('jobBuried', { jobId, type, queue, reason: change.reason });
    }
  }

  #lost({ move }: Transition): void {
    this.#parts.log.event('leaseLost', { jobId: this.job.id, leaseId: this.job.leaseId, move });
  }
}

/** The handler may have done its work: nobody is to run it again unasked. */
function lostTo(error: unknown, outcome: Outcome | undefined): Outcome {
  const responseStatus = outcome?.responseStatus ?? null;
  const ended = outcome === undefined ? 'The attempt was broken off' : `The attempt ended as ${outcome.kind}`;
  const reason = error instanceof Error ? error.message : String(error);
  const text = `${ended}, but that could not be stored: ${reason}. Whether it had effects is unknown.`;
  return { kind: 'expired', responseStatus, responseBody: null, error: text.slice(0, LONGEST_ERROR) };
}

function handlerGone(type: string): Outcome {
  const error = `No handler is registered for ${type} any more: register one, or force its removal to end its jobs.`;
  return { kind: 'retryable', askedDelayMs: null, responseStatus: null, responseBody: null, error };
}
