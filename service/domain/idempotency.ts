// Owns when two enqueues are the same one: by job id, or by the idempotency key of an active job.
import { DomainError } from './errors.ts';
import type { HotState, NewJob } from './job.ts';

/** The part of a stored job that an enqueue is compared with. */
export interface StoredIdentity {
  readonly queue: string;
  readonly type: string;
  readonly payloadHash: Uint8Array;
  /** The API key it was made with. */
  readonly creatorKeyId: string | null;
}

/** The part of a new job that decides. */
export type Newcomer = Pick<
  NewJob,
  'id' | 'queue' | 'type' | 'payloadHash' | 'onConflict' | 'creatorKeyId' | 'seesAll'
>;

/** What to do with a new job that meets a stored one. */
export type Encounter = 'duplicate' | 'replace' | 'store' | Clash;
/** Why it can only be refused. */
type Clash = 'other-content' | 'key-held' | 'claimed' | 'foreign';

/** A job with the same id exists, in whatever state: the same content is a resend, other content a mistake. */
export function meetById(job: Newcomer, stored: StoredIdentity): 'duplicate' | 'other-content' {
  return sameContent(job, stored) ? 'duplicate' : 'other-content';
}

/**
 * An active job holds the same idempotency key. Replacing changes the payload, so it needs a job of the same type and queue,
 * made with the same API key: what others made is edited only by who may operate, and that is in the audit log. Nor does
 * anybody who may not read the jobs of others hear of one whose type and queue they did not name themselves.
 */
export function meetByKey(job: Newcomer, stored: StoredIdentity & { readonly state: HotState }): Encounter {
  if (job.onConflict === 'wait') return 'store';
  if (sameContent(job, stored)) return 'duplicate';
  if (job.onConflict === 'keep') return samePlace(job, stored) || maySee(job, stored) ? 'duplicate' : 'key-held';
  if (job.onConflict === 'replace' && !isOwn(job, stored)) return 'foreign';
  if (job.onConflict === 'refuse' || !samePlace(job, stored)) return 'key-held';
  return stored.state === 'pending' ? 'replace' : 'claimed';
}

const CODES = {
  'other-content': 'id-conflict',
  'key-held': 'idempotency-conflict',
  claimed: 'conflict-state',
  foreign: 'conflict-state',
} as const satisfies Record<Clash, string>;

const ENDINGS = {
  'other-content': 'and has another queue, type or payload; use a new id',
  'key-held': 'with another queue, type or payload; use another key, or say with onConflict what shall happen',
  claimed: 'has been claimed, and cannot be replaced any more',
  foreign: 'and is replaced only with the API key that made it; use another idempotency key',
} as const satisfies Record<Clash, string>;

/** The refusal of a job that met a stored one. Of a job that it may not see, the producer hears nothing but that it exists. */
export function clashOf(clash: Clash, job: Newcomer, stored: StoredCreator, pointer: string): DomainError {
  const detail = `${subjectOf(clash, job, stored)} ${ENDINGS[clash]}`;
  return new DomainError(CODES[clash], detail, [{ detail, pointer }]);
}

function subjectOf(clash: Clash, job: Newcomer, stored: StoredCreator): string {
  if (clash === 'other-content') return `a job with the id ${job.id} exists`;
  const name = maySee(job, stored) ? `the active job ${stored.id}` : 'an active job of another API key';
  return clash === 'claimed' ? `${name} that holds this idempotency key` : `${name} holds this idempotency key`;
}

type StoredCreator = Pick<StoredIdentity, 'creatorKeyId'> & { readonly id: string };

function isOwn(job: Newcomer, stored: Pick<StoredIdentity, 'creatorKeyId'>): boolean {
  return job.creatorKeyId === stored.creatorKeyId;
}

function maySee(job: Newcomer, stored: Pick<StoredIdentity, 'creatorKeyId'>): boolean {
  return job.seesAll || isOwn(job, stored);
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
