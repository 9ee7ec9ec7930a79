// Owns the verbs of queues: list, read, pause, resume, configure, remove.
import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/job.ts';
import { isLive } from '../domain/node.ts';
import { type Queue, type QueueSettings, shortestZombieTimeoutMs } from '../domain/queue.ts';
import type { Configured, Store } from '../ports/store.ts';
import { Faults } from './faults.ts';
import { readBack } from './read-back.ts';
import { type Range, readDuration } from './values.ts';

interface QueueParts {
  readonly store: Pick<Store, 'queues' | 'nodes' | 'clock'>;
  /** Tells this node's engine that settings have changed. */
  readonly look: () => void;
  readonly heartbeatMaxMs: number;
}

/** What an operator wants changed: durations are texts, null = the service's own value, absent = as it is. */
export interface QueueDraft {
  readonly isActive?: boolean;
  readonly maxWorkers?: number | null;
  readonly zombieTimeout?: string | null;
  readonly executionTimeout?: string | null;
  readonly archiveRetention?: string | null;
  readonly dlqRetention?: string | null;
}

/** A stopped queue, and the nodes that have not said yet that their earlier starts were sent. */
export interface StoppedQueue {
  readonly queue: Queue;
  readonly unacknowledgedBy: readonly string[];
}

const ACKNOWLEDGED_WITHIN_MS = 2_000;
const LOOK_AGAIN_MS = 20;
const RETENTION = { min: 1_000, max: LIMITS.delayMs };
const EXECUTION_TIMEOUT = { min: LIMITS.timeoutMinMs, max: LIMITS.timeoutMaxMs };

export class Queues {
  readonly #parts: QueueParts;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  list(): Promise<readonly Queue[]> {
    return this.#parts.store.queues.list();
  }

  async get(name: string): Promise<Queue> {
    return (await this.#parts.store.queues.get(name)) ?? absent(name);
  }

  /** Answers once nothing more of it can start on any live node, or after 2 s, naming the nodes that did not say so. */
  async pause(name: string): Promise<StoppedQueue> {
    return this.#stopped(await this.#configure(name, { isPaused: true }));
  }

  async resume(name: string): Promise<Queue> {
    return (await this.#configure(name, { isPaused: false })).queue;
  }

  /** Makes the queue if need be, so that its limits can be set before its first job. Deactivating answers like a pause. */
  async configure(name: string, draft: QueueDraft): Promise<StoppedQueue> {
    const configured = await this.#configure(name, this.#read(draft), true);
    return draft.isActive === false ? this.#stopped(configured) : { queue: configured.queue, unacknowledgedBy: [] };
  }

  /** Removes an empty queue with its settings and lifetime totals. */
  async remove(name: string): Promise<void> {
    const removed = await this.#parts.store.queues.remove(name);
    if (removed === 'absent') absent(name);
    if (removed === 'removed') return;
    throw new DomainError(
      'conflict-state',
      `Queue ${name} still holds jobs. Let them finish, cancel them, and purge or delete what has ended; then remove it.`,
    );
  }

  async #configure(name: string, settings: Partial<QueueSettings>, create = false): Promise<Configured> {
    const configured = (await this.#parts.store.queues.configure(name, settings, create)) ?? absent(name);
    this.#parts.look();
    return configured;
  }

  async #stopped({ queue, revision }: Configured): Promise<StoppedQueue> {
    const until = performance.now() + ACKNOWLEDGED_WITHIN_MS;
    for (;;) {
      const unacknowledgedBy = await readBack('The queue was stopped', this.#unacknowledged(revision));
      if (unacknowledgedBy.length === 0 || performance.now() >= until) return { queue, unacknowledgedBy };
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async #unacknowledged(revision: number): Promise<readonly string[]> {
    const { store, heartbeatMaxMs } = this.#parts;
    const now = store.clock.now();
    const late = (await store.nodes.list()).filter(
      node => isLive(node, now, heartbeatMaxMs) && (node.queuesRevision ?? -1) < revision,
    );
    return late.map(({ id }) => id);
  }

  #read(draft: QueueDraft): Partial<QueueSettings> {
    const faults = new Faults();
    const { isActive, maxWorkers } = draft;
    const zombie = {
      min: shortestZombieTimeoutMs(this.#parts.heartbeatMaxMs),
      max: LIMITS.timeoutMaxMs,
      reason: 'below three heartbeats a running job would be taken from a node that lives',
    };
    const read = (name: LimitName, range: Range) => readLimit(draft[name], range, `#/${name}`, faults);
    const executionTimeoutMs = read('executionTimeout', EXECUTION_TIMEOUT);
    const zombieTimeoutMs = read('zombieTimeout', zombie);
    const archiveRetentionMs = read('archiveRetention', RETENTION);
    const dlqRetentionMs = read('dlqRetention', RETENTION);
    faults.check();
    return {
      ...(isActive !== undefined && { isActive }),
      ...(maxWorkers !== undefined && { maxWorkers }),
      ...(executionTimeoutMs !== undefined && { executionTimeoutMs }),
      ...(zombieTimeoutMs !== undefined && { zombieTimeoutMs }),
      ...(archiveRetentionMs !== undefined && { archiveRetentionMs }),
      ...(dlqRetentionMs !== undefined && { dlqRetentionMs }),
    };
  }
}

type LimitName = 'executionTimeout' | 'zombieTimeout' | 'archiveRetention' | 'dlqRetention';

function readLimit(
  text: string | null | undefined,
  range: Range,
  pointer: string,
  faults: Faults,
): number | null | undefined {
  return text === null ? null : readDuration(text, range, pointer, faults);
}

function absent(name: string): never {
  throw new DomainError(
    'not-found',
    `There is no queue ${name}. A queue exists from the first job that names it, or from the first change of its settings.`,
  );
}
