// Owns when two enqueues are the same one: by job id, or by the idempotency key of an active job.
import type { HotState, NewJob } from './job.ts';

/** The part of a stored job that an enqueue is compared with. */
export interface StoredIdentity {
  readonly queue: string;
  readonly type: string;
  readonly payloadHash: Uint8Array;
}

/** What to do with a new job that meets a stored one. */
export type Encounter = 'duplicate' | 'id-conflict' | 'idempotency-conflict' | 'conflict-state' | 'replace' | 'store';

/** A job with the same id exists, in whatever state: the same content is a resend, other content a mistake. */
export function meetById(job: NewJob, stored: StoredIdentity): Encounter {
  return sameContent(job, stored) ? 'duplicate' : 'id-conflict';
}

/** An active job holds the same idempotency key. */
export function meetByKey(job: NewJob, stored: StoredIdentity & { readonly state: HotState }): Encounter {
  if (job.onConflict === 'wait') return 'store';
  if (sameContent(job, stored) || job.onConflict === 'keep') return 'duplicate';
  if (job.onConflict === 'refuse') return 'idempotency-conflict';
  return stored.state === 'pending' ? 'replace' : 'conflict-state';
}

function sameContent(job: NewJob, stored: StoredIdentity): boolean {
  return (
    job.type === stored.type &&
    job.queue === stored.queue &&
    job.payloadHash.length === stored.payloadHash.length &&
    job.payloadHash.every((byte, at) => byte === stored.payloadHash[at])
  );
}
