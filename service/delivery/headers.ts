// Owns the headers that a handler sees: what a call says about its job (docs/handlers.md, "The call").
import { randomBytes } from 'node:crypto';
import type { Handler } from '../domain/handler.ts';
import type { Call } from '../ports/delivery.ts';

const TRACEPARENT = /^([0-9a-f]{2}-(?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}(-[0-9a-f]{2}(?:-.*)?)$/;

/** Headers that are the same in every call of a handler, as name-value pairs in one flat list. */
export function fixedHeaders(handler: Handler, userAgent: string): string[] {
  return ['content-type', 'application/json', 'user-agent', userAgent, ...Object.entries(handler.headers).flat()];
}

/** Headers about one attempt, likewise. */
export function callHeaders(call: Call): string[] {
  const { job, maxAttempts, startedAt, timeoutMs } = call;
  const headers = [
    'chokaq-job-id',
    job.id,
    'chokaq-type',
    asHeaderValue(job.type),
    'chokaq-queue',
    asHeaderValue(job.queue),
    'chokaq-attempt',
    String(job.attempts),
    'chokaq-max-attempts',
    String(maxAttempts),
    'chokaq-round',
    String(job.round),
    'chokaq-created-at',
    rfc3339(job.createdAt),
    'chokaq-due-at',
    rfc3339(job.dueAt),
    'chokaq-deadline',
    rfc3339(startedAt + timeoutMs),
  ];
  if (job.idempotencyKey !== null) headers.push('chokaq-idempotency-key', asHeaderValue(job.idempotencyKey));
  headers.push(...traceHeaders(call));
  return headers;
}

function traceHeaders({ job, trace }: Call): string[] {
  const traceparent = trace?.traceparent ?? (job.traceparent === null ? null : childOf(job.traceparent));
  const tracestate = trace ? trace.tracestate : job.tracestate;
  if (traceparent === null) return [];
  return ['traceparent', traceparent, ...(tracestate ? ['tracestate', tracestate] : [])];
}

/**
 * Percent-encodes, as UTF-8, whatever a header cannot carry, and `%` itself, so that `decodeURIComponent`
 * always gives the name back.
 */
export function asHeaderValue(name: string): string {
  return name.replace(/\p{Surrogate}/gu, '\ufffd').replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}

/** Same trace, new span; null when the producer's value is no `traceparent`. */
function childOf(traceparent: string): string | null {
  const [, trace, flags] = TRACEPARENT.exec(traceparent) ?? [];
  return trace === undefined ? null : `${trace}-${randomBytes(8).toString('hex')}${flags}`;
}

function rfc3339(at: number): string {
  return new Date(at).toISOString();
}
