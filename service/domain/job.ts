// Owns what a job is: one shape wherever it lives, and how a new one is made from what a producer posted.
import type { FailureReason } from './failure.ts';
import type { AttemptOverrides } from './retry.ts';

/** The state a caller sees. `scheduled` and `pending` are one stored state, told apart by the due time. */
export const JOB_STATES = ['scheduled', 'pending', 'fetched', 'processing', 'succeeded', 'dead'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** The states a job can hold while it still has work to do; the adapter keeps these in the hot table. */
export type HotState = 'pending' | 'fetched' | 'processing';

export const DEFAULT_QUEUE = 'default';
export const DEFAULT_PRIORITY = 10;

/** Limits of `Limits` in the documentation; lengths in code points unless a unit is named. */
export const LIMITS = {
  nameLength: 255,
  createdByLength: 100,
  tags: 20,
  tagLength: 64,
  idLength: 50,
  batchJobs: 1_000,
  batchBytes: 16_000_000,
  delayMs: 10 * 365 * 86_400_000,
  priority: 1_000,
  maxAttempts: 1_000,
  maxWorkers: 10_000,
  queueNames: 10_000,
  timeoutMinMs: 100,
  timeoutMaxMs: 86_400_000,
  resultTtlMinMs: 60_000,
  resultTtlMaxMs: 30 * 86_400_000,
  responseBodyBytes: 4_096,
  attemptsKeptFirst: 10,
  attemptsKeptLast: 90,
} as const;

/** What to do when an enqueue meets an active job with the same idempotency key but other content. */
export const ON_CONFLICT = ['refuse', 'keep', 'replace', 'wait'] as const;
export type OnConflict = (typeof ON_CONFLICT)[number];

/** A job as it is first stored. The payload is the producer's JSON text, byte for byte, and is never parsed here. */
export interface NewJob {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly payload: Uint8Array;
  /** SHA-256 over the payload as posted; an operator's edit does not change it, so a resend stays recognisable. */
  readonly payloadHash: Uint8Array;
  readonly tags: readonly string[];
  readonly priority: number;
  /** Only what this job itself sets; the rest is resolved at each decision. */
  readonly overrides: AttemptOverrides;
  readonly idempotencyKey: string | null;
  readonly onConflict: OnConflict;
  readonly resultTtlMs: number | null;
  /** When it may first run: an instant (epoch ms), or a wait counted from the database's time of storing. */
  readonly due: { readonly at: number } | { readonly inMs: number };
  readonly createdBy: string | null;
  readonly creatorKeyId: string | null;
  /** Whether its producer may read the jobs of others; is not stored. */
  readonly seesAll: boolean;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** A job as it is read back, wherever it lives. Instants are epoch ms by the database's clock; what does not apply is null. */
export interface Job {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly state: JobState;
  /** Null in lists, which leave it out. */
  readonly payload: Uint8Array | null;
  readonly payloadHash: Uint8Array;
  readonly tags: readonly string[];
  readonly priority: number;
  readonly attempts: number;
  readonly round: number;
  readonly overrides: AttemptOverrides;
  readonly idempotencyKey: string | null;
  readonly resultTtlMs: number | null;
  readonly dueAt: number;
  readonly firstDueAt: number;
  readonly createdAt: number;
  readonly createdBy: string | null;
  readonly creatorKeyId: string | null;
  readonly startedAt: number | null;
  readonly heartbeatAt: number | null;
  /** The node that owns, or last owned, the job. */
  readonly workerId: string | null;
  readonly leaseId: string | null;
  readonly cancelRequestedBy: string | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly lastError: string | null;
  readonly lastResponseStatus: number | null;
  readonly lastResponseBody: string | null;
  readonly resurrectedAt: number | null;
  readonly finishedAt: number | null;
  readonly durationMs: number | null;
  readonly outcome: 'succeeded' | 'duplicate' | null;
  readonly failureReason: FailureReason | null;
  readonly errorDetails: string | null;
  /** Who asked for the transition that ended it (an operator), when one did. */
  readonly endedBy: string | null;
  /** Grows with every change of the row; with `round` it makes the ETag. */
  readonly version: number;
  readonly updatedAt: number;
}

/** A claimed job: what a node needs to deliver it. Owned under `leaseId`; a claim that also started it says `processing`. */
export interface ClaimedJob {
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly state: 'fetched' | 'processing';
  readonly leaseId: string;
  readonly payload: Uint8Array;
  /** Executions that started, this one included when `state` is `processing`. */
  readonly attempts: number;
  readonly round: number;
  readonly overrides: AttemptOverrides;
  readonly idempotencyKey: string | null;
  readonly resultTtlMs: number | null;
  readonly dueAt: number;
  readonly firstDueAt: number;
  readonly resurrectedAt: number | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  /** The epoch of its handler's circuit at the claim; 0 while that never moved. */
  readonly circuitEpoch: number;
  /** The execution timeout set for its queue, or null. */
  readonly queueTimeoutMs: number | null;
}

/** One execution that started. The successful one is shown from the job itself, all others have a row. */
export interface Attempt {
  readonly round: number;
  readonly attempt: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly durationMs: number;
  readonly workerId: string;
  readonly outcome: AttemptOutcome;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
}

/** How an attempt ended; the words of `Outcome` in `lifecycle.ts`. */
export type AttemptOutcome =
  | 'succeeded'
  | 'retryable'
  | 'throttled'
  | 'fatal'
  | 'timedOut'
  | 'cancelled'
  | 'interrupted'
  | 'expired';
