// Owns when two enqueues are the same one: by job id, or by the idempotency key of an active job.
import type { HotState, NewJob } from './job.ts';

/** The part of a stored job that an enqueue is compared with. */
export interface StoredIdentity {
  readonly queue: string;
  readonly type: string;
  readonly payloadHash: Uint8Array;
}

/** The part of a new job that decides. */
export type Newcomer = Pick<NewJob, 'queue' | 'type' | 'payloadHash' | 'onConflict'>;

/** What to do with a new job that meets a stored one. */
export type Encounter = 'duplicate' | 'id-conflict' | 'idempotency-conflict' | 'conflict-state' | 'replace' | 'store';

/** A job with the same id exists, in whatever state: the same content is a resend, other content a mistake. */
export function meetById(job: Newcomer, stored: StoredIdentity): Encounter {
  return sameContent(job, stored) ? 'duplicate' : 'id-conflict';
}

/** An active job holds the same idempotency key. Replacing changes the payload, so it needs a job of the same type and queue. */
export function meetByKey(job: Newcomer, stored: StoredIdentity & { readonly state: HotState }): Encounter {
  if (job.onConflict === 'wait') return 'store';
  if (sameContent(job, stored) || job.onConflict === 'keep') return 'duplicate';
  if (job.onConflict === 'refuse' || !samePlace(job, stored)) return 'idempotency-conflict';
  return stored.state === 'pending' ? 'replace' : 'conflict-state';
}

function samePlace(job: Newcomer, stored: StoredIdentity): boolean {
  return job.type === stored.type && job.queue === stored.queue;
}

function sameContent(job: Newcomer, stored: StoredIdentity): boolean {
  return (
    samePlace(job, stored) &&
    job.payloadHash.length === stored.payloadHash.length &&
    job.payloadHash.every((byte, at) => byte === stored.payloadHash[at])
  );
}

/** Who may run a logical operation: one row per idempotency key (docs/delivery-guarantees.md, "Result claims"). */
export interface ResultClaim {
  readonly state: 'in-progress' | 'completed';
  /** The job that holds, or completed, the operation. */
  readonly jobId: string;
  readonly expiresAt: number;
}

/** `run`: the job takes, or re-enters, the claim. `duplicate`: the operation is done. `postpone`: another run holds it. */
export type Admission = { readonly kind: 'run' } | { readonly kind: 'duplicate' } | { readonly kind: 'postpone' };

/** Whether a job may run under its idempotency key, `now` being the database's time. */
export function admitRun(jobId: string, claim: ResultClaim | null, now: number): Admission {
  if (claim === null || now >= claim.expiresAt) return { kind: 'run' };
  if (claim.state === 'completed') return { kind: 'duplicate' };
  return claim.jobId === jobId ? { kind: 'run' } : { kind: 'postpone' };
}

/** A result claim ends only after its job would have been taken for lost. */
const CLAIM_BEYOND_ZOMBIE_MS = 5 * 60_000;

/** How long a result claim outlives the last heartbeat of its job. */
export function resultClaimMs(zombieTimeoutMs: number): number {
  return zombieTimeoutMs + CLAIM_BEYOND_ZOMBIE_MS;
}

const POSTPONE_FIRST_MS = 1_000;
const POSTPONE_LONGEST_MS = 30_000;

/** The wait before a job looks again whether the operation is free: it grows with how long the job has been due, 1 s to 30 s. */
export function postponeMs(overdueMs: number): number {
  return Math.min(Math.max(overdueMs, POSTPONE_FIRST_MS), POSTPONE_LONGEST_MS);
}
