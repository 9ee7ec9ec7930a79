// Owns who may do what: the scopes of API keys, who a caller is, and what is hidden from whom.
import type { Attempt, Job } from './job.ts';
import type { RateLimit } from './rate-limit.ts';

/** `read:payload` adds payloads, response bodies and error texts to what another scope lets see. None implies another. */
export const SCOPES = ['produce', 'read', 'read:payload', 'operate', 'destroy', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Who asks. Without an API key `keyId` is null. */
export interface Caller {
  readonly name: string;
  readonly keyId: string | null;
  readonly scopes: readonly Scope[];
  /** How often it may ask, or null. */
  readonly rateLimit: RateLimit | null;
}

/** Everybody, as long as no API key was ever made. */
export const ANYBODY: Caller = { name: 'anonymous', keyId: null, scopes: SCOPES, rateLimit: null };
/** Whoever sent no valid key to a service that requires one. */
export const NOBODY: Caller = { name: 'anonymous', keyId: null, scopes: [], rateLimit: null };

export function hasAny({ scopes }: Caller, needed: readonly Scope[]): boolean {
  return needed.some(scope => scopes.includes(scope));
}

export function seesPayloads({ scopes }: Caller): boolean {
  return scopes.includes('read:payload');
}

/** The key whose jobs are all that the caller may read, or null when it may read every job. */
export function ownJobsOf({ scopes, keyId }: Caller): string | null {
  return scopes.includes('read') ? null : keyId;
}

/**
 * The job as the caller may see it. An enqueue can meet a job that is not the caller's to read: of that one it learns what
 * it needs to know that there is one, and nothing that its producer, its run or its handler said.
 */
export function seenJob(job: Job, caller: Caller): Job {
  if (seesWhole(job, caller)) return job;
  return mayRead(job, caller) ? { ...job, ...UNREAD } : { ...job, ...UNREAD, ...UNKNOWN };
}

export function seesWhole(job: Job, caller: Caller): boolean {
  return seesPayloads(caller) && mayRead(job, caller);
}

function mayRead({ creatorKeyId }: Job, caller: Caller): boolean {
  return [null, creatorKeyId].includes(ownJobsOf(caller));
}

const UNREAD = { payload: null, lastError: null, lastResponseBody: null, errorDetails: null } as const;
const UNKNOWN = {
  ...{ tags: [], createdBy: null, workerId: null, startedAt: null, heartbeatAt: null },
  ...{ durationMs: null, lastResponseStatus: null, finishedAt: null, outcome: null, failureReason: null },
} as const;

/** The attempt as the caller may see it. */
export function seenAttempt(attempt: Attempt, caller: Caller): Attempt {
  return seesPayloads(caller) ? attempt : { ...attempt, responseBody: null, error: null };
}
