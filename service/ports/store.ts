// Owns what the service asks of its storage, a sentence per verb. `test/storage/store.suite.ts` is the law of this port.
import type { CircuitEvent } from '../domain/circuit.ts';
import type { Handler, LastResponse } from '../domain/handler.ts';
import type { Attempt, ClaimedJob, Job, NewJob } from '../domain/job.ts';
import type { Transition } from '../domain/lifecycle.ts';
import type { Queue, QueueSettings } from '../domain/queue.ts';
import type { AuditStore } from './audit.ts';
import type { CircuitStore } from './circuits.ts';
import type { FamilyStore } from './families.ts';
import type { KeyStore } from './keys.ts';
import type { JobFilter, Page, PageRequest } from './lists.ts';
import type { NodeStore } from './nodes.ts';
import type { NewRejection, Operation, OperationStore } from './operations.ts';
import type { SettingsStore } from './settings.ts';
import type { StatsStore } from './stats.ts';

export type { Cursor, JobFilter, Page, PageRequest } from './lists.ts';
export type { Node, NodeIdentity, NodeStore } from './nodes.ts';

/** The database's clock, epoch ms. All stored instants, due times, lags and ages are counted by it. */
export interface Clock {
  now(): number;
}

/**
 * Every verb may reject with `DomainError('storage-unavailable')` when the database stays away after the
 * retries of docs/delivery-guarantees.md ("Storage faults"); then nothing of the call was done, or all of it was. A call that
 * is tried again after a commit of which only the answer was lost answers as the first try would have.
 */
export interface Store {
  readonly clock: Clock;
  readonly jobs: JobStore;
  readonly queues: QueueStore;
  readonly handlers: HandlerStore;
  readonly circuits: CircuitStore;
  readonly nodes: NodeStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly settings: SettingsStore;
  readonly families: FamilyStore;
  readonly stats: StatsStore;
  readonly operations: OperationStore;
  /** Resolves when the database answers and serves the schema this service needs. */
  check(): Promise<void>;
  /** Waits for writes under way, then lets go of the database. */
  close(): Promise<void>;
}

export interface JobStore {
  /**
   * Stores the jobs in one transaction, all or none, and answers once they are durable, in order.
   * A job that `domain/idempotency.ts` calls a duplicate is not stored and comes back as the stored one; a conflict
   * rejects the whole call with a `DomainError` whose fault points at `#/jobs/<index>`.
   */
  insert(jobs: readonly NewJob[]): Promise<readonly Inserted[]>;

  /**
   * Chooses due jobs whose handler's circuit admits them (`domain/circuit.ts`), locks them under fresh leases, and starts
   * those that need no check before their start.
   */
  claim(request: ClaimRequest): Promise<Claim>;

  /** Applies each transition whose guard still holds, with its history, counters and buckets; answers which held, in order. */
  apply(transitions: readonly Transition[]): Promise<readonly Applied[]>;

  /**
   * Marks the running jobs that the owner holds under these leases as alive, in one statement, and answers which of the
   * leases it still holds. A lease the node no longer knows of is not named, so it expires like any other lost work.
   */
  heartbeat(owner: string, leaseIds: readonly string[]): Promise<readonly HeldLease[]>;

  /** Jobs whose owner is late or gone, oldest first, without payload. */
  stale(request: StaleRequest): Promise<readonly StaleJob[]>;

  /** The job wherever it lives, with payload, or null. */
  get(id: string): Promise<Job | null>;

  /** One page over all tables the filter can match, newest first. A page may be short before the end: `next` tells. */
  list(filter: JobFilter, page: PageRequest): Promise<Page<Job>>;

  /** The history over all rounds, oldest first, the successful attempt included; at most 100 (first 10 and last 90). */
  attempts(id: string): Promise<readonly Attempt[]>;

  /** Deletes one batch of what is older than its limit, never hot jobs; answers how many rows went. */
  retain(limits: RetentionLimits): Promise<number>;
}

/** `job` is the stored job (without payload): the new one, or the one it duplicates. */
export interface Inserted {
  readonly job: Job;
  readonly duplicate: boolean;
}

export interface ClaimRequest {
  /** The claiming node. */
  readonly owner: string;
  /** Free slots. 0 claims nothing and only looks for cancel requests. */
  readonly limit: number;
  /** The most jobs of one type in this claim. */
  readonly perType: number;
  /** The most jobs per handler (by its type key, `*` for the catch-all) in this claim; an absent one has no limit of its own. */
  readonly perHandler: Readonly<Record<string, number>>;
  /** Start at once what needs no check before its start (no handler schema, no result claim): `fetched` is passed through. */
  readonly start: boolean;
}

export interface Claim {
  /** In dequeue order: priority, due time, creation, id. */
  readonly jobs: readonly ClaimedJob[];
  /** When the next scheduled job becomes due or a circuit admits again, whichever comes first, epoch ms, or null. */
  readonly nextDueAt: number | null;
  /** Circuits of which this claim took the probe. */
  readonly circuitEvents: readonly CircuitEvent[];
  /** Operators' wishes to abort jobs that this owner runs. */
  readonly cancelRequests: readonly CancelRequest[];
  /** Grows with every change of a handler, by any node. */
  readonly handlersRevision: number;
  /** Grows with every change of a queue's settings; what this claim started, it started under them. */
  readonly queuesRevision: number;
  /** Grows with every change of the stored settings. */
  readonly settingsRevision: number;
}

export interface CancelRequest {
  readonly jobId: string;
  readonly leaseId: string;
  readonly by: string;
}

/** Not held = the row has moved on; nothing was changed. */
export type Applied =
  | {
      readonly held: true;
      /** The database's time of the move. */
      readonly at: number;
      readonly queue: string;
      readonly type: string;
      /** When the attempt that this move ended had started, or null. */
      readonly startedAt: number | null;
      /** Of a start: since when the job was due, and whether it took the result claim of an operation. */
      readonly started?: { readonly dueAt: number; readonly tookClaim: boolean };
      /** What the move did to the circuit of the job's handler; absent when operators need not hear of it. */
      readonly circuitEvent?: CircuitEvent;
    }
  | {
      readonly held: false;
      /**
       * `lost`: state, lease or version differ. `key-taken`: another active job holds the idempotency key.
       * `queue-stopped`, `circuit-open`: nothing of the queue, or of the handler, may start now.
       * `operation-done`, `operation-held`: another job has run, or runs, the operation that this one was to start.
       */
      readonly why:
        | 'lost'
        | 'cancel-requested'
        | 'key-taken'
        | 'queue-stopped'
        | 'circuit-open'
        | 'operation-done'
        | 'operation-held';
      readonly cancelRequestedBy: string | null;
    };

export interface HeldLease {
  readonly jobId: string;
  readonly leaseId: string;
  readonly cancelRequestedBy: string | null;
}

export interface StaleRequest {
  /** Claimed but unstarted for longer than this. */
  readonly fetchedTimeoutMs: number;
  /** Started, and the heartbeat is older than this (a queue's own limit wins). */
  readonly zombieTimeoutMs: number;
  /** Owners known to be gone: whatever they hold is stale at once. */
  readonly goneOwners: readonly string[];
  readonly limit: number;
}

export type StaleJob = Omit<ClaimedJob, 'payload' | 'circuitEpoch'> & {
  readonly workerId: string;
  readonly heartbeatAt: number | null;
  readonly cancelRequestedBy: string | null;
};

export interface RetentionLimits {
  readonly archiveMs: number;
  readonly dlqMs: number;
  readonly bucketsMs: number;
  readonly auditMs: number;
  readonly batch: number;
}

export interface QueueStore {
  /** All queues by name, with counts and lag from counters: the cost does not depend on how many jobs there are. */
  list(): Promise<readonly Queue[]>;
  get(name: string): Promise<Queue | null>;
  /**
   * Changes the given settings; answers the queue and the revision from which they hold, or null when there is none.
   * With `create` the queue is made when there is none, or refused as `queue-limit-reached`.
   */
  configure(name: string, settings: Partial<QueueSettings>, create?: boolean): Promise<Configured | null>;
  /** Removes the queue, unless a job is left in it in any state. */
  remove(name: string): Promise<'removed' | 'absent' | 'in-use'>;
}

export interface Configured {
  readonly queue: Queue;
  readonly revision: number;
}

export interface HandlerStore {
  /** All handlers by type key, and the revision that `Claim.handlersRevision` compares with. */
  list(): Promise<{ readonly handlers: readonly Handler[]; readonly revision: number }>;
  /**
   * Creates or replaces; answers whether it is new. Timestamps and last response are the store's: those given are
   * ignored, and `updatedAt` grows with every put. Rejects with `conflict-state` when `seen`, the `updatedAt` of the one that it shall replace, or null for
   * none, is no longer what is stored.
   */
  put(handler: Handler, seen?: number | null): Promise<{ readonly handler: Handler; readonly created: boolean }>;
  /** Notes how handlers last answered, by type key; what is older than what is known, or of no handler, changes nothing. */
  heard(responses: Readonly<Record<string, LastResponse>>): Promise<void>;
  /**
   * Removes it unless jobs of the type wait, run or are dead (then `in-use`); `force` removes it anyway. When jobs wait that
   * no other handler takes, `rejection` begins in the same transaction and is the answer, also when the handler is gone already
   * (but for the catch-all).
   */
  remove(type: string, force: boolean, rejection?: NewRejection): Promise<'removed' | 'absent' | 'in-use' | Operation>;
}
