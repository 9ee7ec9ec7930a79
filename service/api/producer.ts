// Owns what an enqueue says in headers: the idempotency key and the trace it belongs to.
import type { Request } from 'express';
import type { JobDraft, Producer } from '../application/draft.ts';
import { ownJobsOf } from '../domain/access.ts';
import { DomainError } from '../domain/errors.ts';
import { callerOf } from './operation.ts';

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-[\x21-\x7e]*)?$/;
const TRACESTATE = /^[\x20-\x7e]{1,512}$/;
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/** Who posts, under which trace; a trace context that is not valid is as good as none (W3C). */
export function producerOf(req: Request): Producer {
  const traceparent = matching(req.headers.traceparent, TRACEPARENT);
  const tracestate = traceparent === null ? null : matching(req.headers.tracestate, TRACESTATE);
  const caller = callerOf(req);
  const { keyId } = caller;
  const name = keyId === null ? null : caller.name;
  return { name, keyId, seesAll: ownJobsOf(caller) === null, traceparent, tracestate };
}

/** The draft with the key of the header, bare or quoted; a member that says otherwise is refused. */
export function withHeaderKey(req: Request, draft: JobDraft): JobDraft {
  const header = headerKey(req);
  if (header === undefined) return draft;
  const idempotencyKey = unquote(Buffer.from(header, 'latin1').toString('utf8').trim());
  if (draft.idempotencyKey === undefined || draft.idempotencyKey.trim() === idempotencyKey.trim()) {
    return { ...draft, idempotencyKey };
  }
  const fault = { detail: 'differs from the member idempotencyKey', header: 'idempotency-key' };
  throw new DomainError('validation-failed', 'Send the idempotency key once, or the same twice.', [fault]);
}

export function refuseHeaderKey(req: Request): void {
  if (headerKey(req) === undefined) return;
  const fault = { detail: 'belongs to a single job', header: 'idempotency-key' };
  throw new DomainError('malformed-request', 'Give each job of a batch its own idempotencyKey.', [fault]);
}

/** Node joins headers of one name: two keys would become one that nobody sent. */
function headerKey({ headersDistinct }: Request): string | undefined {
  const [key, second] = headersDistinct['idempotency-key'] ?? [];
  if (second === undefined) return key;
  const fault = { detail: 'is given more than once', header: 'idempotency-key' };
  throw new DomainError('malformed-request', 'Send one idempotency key.', [fault]);
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text;
  const [, inner] = QUOTED.exec(text) ?? [];
  if (inner !== undefined) return inner.replace(/\\(["\\])/g, '$1');
  const fault = { detail: 'is not a quoted text', header: 'idempotency-key' };
  throw new DomainError('malformed-request', 'Send the idempotency key bare, or in double quotes.', [fault]);
}

function matching(header: string | string[] | undefined, shape: RegExp): string | null {
  return typeof header === 'string' && shape.test(header) ? header : null;
}
