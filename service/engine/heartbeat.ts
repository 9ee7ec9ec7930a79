// Owns the proof of life: one statement for all running jobs of this node, and what follows when it fails or a lease is gone.
import type { Log } from '../log.ts';
import type { NodeIdentity, Store } from '../ports/store.ts';
import { Loop } from './loop.ts';
import { type EngineSettings, refresh, type StoredCopy } from './settings.ts';
import type { Worker } from './worker.ts';

export interface HeartbeatParts {
  readonly store: Store;
  readonly worker: Worker;
  readonly node: Omit<NodeIdentity, 'concurrency'>;
  /** `cancelOnHeartbeatFailure`: give running calls up after `FAILURES_UNTIL_DEGRADED` failed beats, instead of going on. */
  readonly settings: Pick<EngineSettings, 'concurrency' | 'cancelOnHeartbeatFailure'>;
  readonly stored: StoredCopy;
  readonly log: Log;
  /** Told of each beat that failed, with the queues of which this node has jobs running. */
  readonly onFailed?: (queues: ReadonlySet<string>) => void;
  readonly random: () => number;
  readonly minMs: number;
  readonly maxMs: number;
}

/** Beats that must fail in a row before the node calls itself degraded. */
export const FAILURES_UNTIL_DEGRADED = 10;

export class Heartbeat {
  readonly loop: Loop;
  readonly #parts: HeartbeatParts;
  #failures = 0;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.loop = new Loop('heartbeat', () => this.step(), parts.log);
  }

  get isDegraded(): boolean {
    return this.#failures >= FAILURES_UNTIL_DEGRADED;
  }

  /** One beat; answers how long to rest: evenly spread between the two bounds, so that nodes do not beat in step. */
  async step(): Promise<number> {
    const { minMs, maxMs, random } = this.#parts;
    try {
      await this.#beat();
      this.#failures = 0;
    } catch (error) {
      this.#failed(error);
    }
    return minMs + random() * (maxMs - minMs);
  }

  async #beat(): Promise<void> {
    const { store, worker, settings, stored } = this.#parts;
    const node = { ...this.#parts.node, concurrency: settings.concurrency };
    // What only waits for its last transition to be stored is still ours, and must not be taken for lost meanwhile.
    const started = [...worker.held.values()].filter(execution => execution.phase !== 'claimed');
    const leaseIds = started.map(({ job }) => job.leaseId);
    // Together, so that neither can fail unheard: a rejection that nobody waits for ends the process and its calls.
    const [held, { settingsRevision }] = await Promise.all([
      store.jobs.heartbeat(node.id, leaseIds),
      store.nodes.announce(node),
    ]);
    if (settingsRevision > stored.revision) refresh(this.#parts);
    const kept = new Map(held.map(lease => [lease.leaseId, lease]));
    for (const execution of started) {
      const lease = kept.get(execution.job.leaseId);
      if (lease === undefined) this.#disown(execution.job.leaseId);
      else if (lease.cancelRequestedBy !== null) execution.stop({ kind: 'cancelled', by: lease.cancelRequestedBy });
    }
  }

  /** Somebody else decided about the job: the call is dropped, and whatever it answers is refused by the fence. */
  #disown(leaseId: string): void {
    const execution = this.#parts.worker.held.get(leaseId);
    if (execution?.phase !== 'running') return;
    this.#parts.log.event('leaseLost', { jobId: execution.job.id, leaseId, move: 'heartbeat' });
    execution.stop({ kind: 'disowned' });
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const { log, worker, onFailed } = this.#parts;
    log.event('heartbeatFailed', { failures: this.#failures, err: error });
    onFailed?.(new Set(worker.activeByQueue().keys()));
    if (this.isDegraded && this.#parts.settings.cancelOnHeartbeatFailure)
      worker.stopAll({ kind: 'interrupted', by: 'heartbeat' });
  }
}
