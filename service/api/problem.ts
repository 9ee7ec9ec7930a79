// Owns refusals on the wire: one table from code to status, title and what to do, and the problem document made of it.
import { DomainError, type Fault, type RefusalCode } from '../domain/errors.ts';

export type ProblemCode =
  | RefusalCode
  | 'request-timeout'
  | 'headers-too-large'
  | 'internal-error'
  | 'not-ready'
  | 'too-many-streams';

interface Explanation {
  readonly status: number;
  readonly title: string;
  readonly whatToDo: string;
}

export const PROBLEMS: Readonly<Record<ProblemCode, Explanation>> = {
  'malformed-request': {
    status: 400,
    title: 'The request cannot be read',
    whatToDo: 'Correct the syntax of the body, or the query, path or header that errors names.',
  },
  unauthorized: {
    status: 401,
    title: 'No valid API key',
    whatToDo: 'Send the header Authorization: Bearer ck_… with a key that has not been revoked.',
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    whatToDo: 'Use a key with the scope that detail names, or an address and origin that this service answers to.',
  },
  'not-found': {
    status: 404,
    title: 'There is no such thing',
    whatToDo:
      'Check the address and the id. Paths are case-sensitive and have no slash at the end. Retention deletes archived and dead jobs after their time.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'Method not allowed',
    whatToDo: 'Use one of the methods in the header Allow.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request was not complete in time',
    whatToDo: 'Send the request faster, or smaller.',
  },
  'conflict-state': {
    status: 409,
    title: 'The present state does not allow it',
    whatToDo: 'Read it again and decide anew.',
  },
  'id-conflict': {
    status: 409,
    title: 'The id belongs to a job with other content',
    whatToDo: 'Use another id, or none; resend with the same id only what was sent before.',
  },
  'key-taken': {
    status: 409,
    title: 'Another active job holds the idempotency key',
    whatToDo: 'Wait until that job has finished.',
  },
  'preview-stale': {
    status: 409,
    title: 'The preview no longer holds',
    whatToDo: 'Make a new preview and execute it within its time, once.',
  },
  'schema-incompatible': {
    status: 409,
    title: 'The new schema may refuse what the old one took',
    whatToDo: 'Register it under a new type key, such as email.send.v2, or replace it with force=true.',
  },
  'handler-managed-by-file': {
    status: 409,
    title: 'The handler comes from a file',
    whatToDo: 'Change the handlers file and restart the service.',
  },
  'handler-in-use': {
    status: 409,
    title: 'Jobs depend on the handler',
    whatToDo: 'Let them finish, or remove it with force=true: then waiting jobs go to the DLQ.',
  },
  'queue-limit-reached': {
    status: 409,
    title: 'Too many queues',
    whatToDo: 'Use existing queue names; delete empty queues that nobody needs. Do not put ids into queue names.',
  },
  'precondition-failed': {
    status: 412,
    title: 'The job has changed meanwhile',
    whatToDo: 'Read it again and send its present ETag in If-Match.',
  },
  'payload-too-large': {
    status: 413,
    title: 'Too large',
    whatToDo: 'Keep large content elsewhere and send a reference to it; split large batches.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'Unsupported media type',
    whatToDo: 'Send JSON in UTF-8, uncompressed, with the header content-type: application/json.',
  },
  'acknowledge-required': {
    status: 422,
    title: 'Some of the jobs may have had their effects',
    whatToDo: 'Check the external systems, then send the same again with acknowledge: true.',
  },
  'validation-failed': {
    status: 422,
    title: 'The body breaks a rule',
    whatToDo: 'Correct everything that errors lists.',
  },
  'idempotency-conflict': {
    status: 422,
    title: 'The idempotency key belongs to an active job with other content',
    whatToDo: 'Use another key, or say with onConflict what should happen: keep, replace or wait.',
  },
  'type-not-registered': {
    status: 422,
    title: 'No handler is registered for the type',
    whatToDo: 'Register one with PUT /handlers/{type}, or correct the type.',
  },
  'precondition-required': {
    status: 428,
    title: 'If-Match is required',
    whatToDo: 'Read the job and send its ETag in If-Match.',
  },
  'rate-limited': { status: 429, title: 'Too many requests', whatToDo: 'Wait for the time in Retry-After.' },
  'headers-too-large': {
    status: 431,
    title: 'The headers are too large',
    whatToDo: 'Send fewer and shorter headers, and a shorter address.',
  },
  'internal-error': {
    status: 500,
    title: 'Something went wrong inside',
    whatToDo: 'Report it with the request id; the log has the cause under it.',
  },
  'storage-unavailable': {
    status: 503,
    title: 'Storage is away',
    whatToDo: 'Ask again after Retry-After seconds; detail says whether anything may have been done already.',
  },
  'too-many-streams': {
    status: 503,
    title: 'Too many readers follow the events',
    whatToDo: 'Close a stream of this node, or follow the events of another node.',
  },
  'not-ready': {
    status: 503,
    title: 'Not ready',
    whatToDo: 'Ask again after Retry-After seconds, or use another node.',
  },
};

/** A refusal before it is written: what the parts of this API make of their own and of others' errors. */
export interface Refusal {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly faults: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** RFC 9457, as in `components/schemas/Problem`. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors: readonly Fault[];
}

export function problemOf(refusal: Refusal, instance: string, requestId: string): Problem {
  const { code, detail, faults: errors } = refusal;
  const { status, title } = PROBLEMS[code];
  return { type: `/problems/${code}`, title, status, detail, instance, code, requestId, errors };
}

export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** The refusal that a rule, or the reading of a body, threw. */
export function domainRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof DomainError)) return undefined;
  return { code: error.code, detail: error.message, faults: error.faults };
}
