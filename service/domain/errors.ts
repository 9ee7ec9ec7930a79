// Owns the refusals: every reason for which the service says no, each with a stable code that callers can act on.

/** Stable, kebab-case refusal codes; the API maps each to one HTTP status (`api/problem.ts`). */
export type RefusalCode =
  | 'malformed-request'
  | 'validation-failed'
  | 'not-found'
  | 'method-not-allowed'
  | 'conflict-state'
  | 'id-conflict'
  | 'idempotency-conflict'
  | 'key-taken'
  | 'preview-stale'
  | 'acknowledge-required'
  | 'type-not-registered'
  | 'schema-incompatible'
  | 'handler-managed-by-file'
  | 'handler-in-use'
  | 'queue-limit-reached'
  | 'payload-too-large'
  | 'unsupported-media-type'
  | 'unauthorized'
  | 'forbidden'
  | 'rate-limited'
  | 'precondition-failed'
  | 'precondition-required'
  | 'storage-unavailable';

/** Where in the request a fault lies: a JSON pointer into the body (`#/jobs/17/type`), a query or path parameter, or a header. */
export interface Fault {
  readonly detail: string;
  readonly pointer?: string;
  readonly parameter?: string;
  readonly header?: string;
}

/** A refusal that is part of the rules: the caller is told what to do next, and its detail says so where anything was changed. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
  readonly code: RefusalCode;
  readonly faults: readonly Fault[];

  constructor(code: RefusalCode, detail: string, faults: readonly Fault[] = [], cause?: unknown) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.faults = faults;
  }
}

/** Whether a call was refused because storage stays away: the same call may go well later. */
export function isStorageAway(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === 'storage-unavailable';
}
