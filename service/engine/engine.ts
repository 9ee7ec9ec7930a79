// Owns the verbs that time has on one node: starts its loops, watches the claim loop, and winds everything down in order.
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../log.ts';
import type { Store } from '../ports/store.ts';
import type { CancelWatch } from './cancel-watch.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { LastResponses } from './last-responses.ts';
import type { OperationLoop } from './operations.ts';
import type { Recovery } from './recovery.ts';
import type { Retention } from './retention.ts';
import type { Worker } from './worker.ts';

export interface EngineParts {
  readonly store: Store;
  readonly worker: Worker;
  readonly cancelWatch: CancelWatch;
  readonly heartbeat: Heartbeat;
  readonly responses: Pick<LastResponses, 'loop' | 'end'>;
  readonly recovery: Recovery;
  readonly retention: Retention;
  readonly operations: OperationLoop;
  readonly owner: string;
  readonly log: Log;
  /** Instead of `CLAIM_SILENCE_MS`. */
  readonly claimSilenceMs?: number;
}

/** A node without a claim that succeeded for longer than this is not ready; a claim that hangs for so long is given up. */
export const CLAIM_SILENCE_MS = 30_000;
/** What is left for storing the last transitions once the grace is over. */
export const FINALISING_MS = 5_000;
const WATCH_EVERY_MS = 1_000;

export class Engine {
  readonly #parts: EngineParts;
  #watch: NodeJS.Timeout | undefined;

  constructor(parts: EngineParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const { heartbeat, recovery, worker, cancelWatch, responses, retention, operations } = this.#parts;
    await heartbeat.step();
    for (const { loop } of [heartbeat, recovery, worker, cancelWatch, responses, retention, operations]) loop.start();
    const everyMs = Math.min(WATCH_EVERY_MS, this.#silenceMs);
    this.#watch = setInterval(() => this.#watchClaims(), everyMs).unref();
  }

  /** What keeps this node from being ready, by the name of the check; the store is checked elsewhere. */
  faults(): Record<string, string> {
    const { worker, heartbeat } = this.#parts;
    const faults: Record<string, string> = {};
    const silentMs = Math.round(worker.loop.overdueMs());
    if (silentMs > this.#silenceMs) faults.claimLoop = `no claim has succeeded for ${silentMs} ms`;
    if (heartbeat.isDegraded) faults.heartbeat = 'heartbeats cannot be stored; running jobs may be taken for lost';
    return faults;
  }

  /** What keeps this node from doing more than it does, or null: a busy node is a healthy one. */
  strain(): string | null {
    const { active, capacity } = this.#parts.worker;
    return active < capacity ? null : `all ${capacity} calls that this node may make are in flight`;
  }

  /** Stops claiming, lets running calls end within `graceMs`, books what still runs, and leaves: on time, whatever storage does. */
  async stop(graceMs: number): Promise<void> {
    const { worker, recovery, retention, operations, store, owner } = this.#parts;
    clearInterval(this.#watch);
    store.nodes.drain(owner).catch(() => undefined);
    const graceEndsAt = performance.now() + graceMs;
    const loops = [worker.loop, recovery.loop, retention.loop, operations];
    const stopped = Promise.all(loops.map(loop => loop.stop()));
    await Promise.race([stopped, pause(graceMs, undefined, { ref: false })]);
    for (const execution of worker.held.values()) {
      if (execution.phase === 'claimed') execution.stop({ kind: 'interrupted', by: 'shutdown' });
    }
    await until(() => worker.held.size === 0, graceEndsAt);
    worker.stopAll({ kind: 'interrupted', by: 'shutdown' });
    const endsAt = performance.now() + FINALISING_MS;
    await until(() => worker.held.size === 0, endsAt);
    await Promise.race([this.#leave(), pause(Math.max(0, endsAt - performance.now()), undefined, { ref: false })]);
  }

  /** A node that still holds work stays announced, so that recovery looks for it. */
  async #leave(): Promise<void> {
    const { heartbeat, worker, cancelWatch, responses, store, owner } = this.#parts;
    await Promise.all([heartbeat.loop.stop(), cancelWatch.loop.stop(), responses.end()]);
    if (worker.held.size === 0) await store.nodes.forget(owner).catch(() => undefined);
  }

  get #silenceMs(): number {
    return this.#parts.claimSilenceMs ?? CLAIM_SILENCE_MS;
  }

  #watchClaims(): void {
    const { worker, log } = this.#parts;
    if (worker.loop.stepMs() <= this.#silenceMs) return;
    log.event('claimLoopRestarted', { silentMs: Math.round(worker.loop.stepMs()) });
    worker.loop.restart();
  }
}

async function until(isDone: () => boolean, endsAt: number): Promise<void> {
  while (!isDone() && performance.now() < endsAt) await pause(Math.min(10, Math.max(1, endsAt - performance.now())));
}
