// Owns the error that every failed call throws: the service's problem document, or why there was no answer.
import type { components } from './openapi.gen.ts';
import { retryAfterMs as readRetryAfter } from './retry-after.ts';

export type Problem = components['schemas']['Problem'];

/** Codes of failures without a problem document. */
export type LocalCode = 'unreachable' | 'timeout' | 'not-chokaq';

interface Facts {
  readonly code: string;
  readonly status?: number;
  readonly problem?: Problem;
  readonly retryAfterMs?: number | null;
  readonly cause?: unknown;
}

export class ChokaQError extends Error {
  override readonly name = 'ChokaQError';
  /** Stable, kebab-case: the problem's, or a `LocalCode`. */
  readonly code: string;
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly problem: Problem | null;
  /** The service's name for the request, to find it in its log. */
  readonly requestId: string | null;
  /** How long the service asked to wait before another try, in ms; null when it did not. */
  readonly retryAfterMs: number | null;

  constructor(message: string, facts: Facts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.problem = facts.problem ?? null;
    this.requestId = facts.problem?.requestId ?? null;
    this.retryAfterMs = facts.retryAfterMs ?? null;
  }
}

/** What a refusal says; an answer that is no problem document comes from something between us and the service. */
export function refusal({ status, headers }: Response, body: unknown, call: string): ChokaQError {
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  if (!isProblem(body)) {
    const said = typeof body === 'string' && body !== '' ? `: ${body.slice(0, 200)}` : '';
    return new ChokaQError(`${call} was answered with ${status}, but not by ChokaQ${said}. Check the url.`, {
      code: 'not-chokaq',
      status,
      retryAfterMs,
    });
  }
  const faults = (body.errors ?? []).map(fault => {
    const place = fault.pointer ?? fault.parameter ?? fault.header;
    return place ? `${place} ${fault.detail}` : fault.detail;
  });
  const message = `${call} was answered with ${status} ${body.code}: ${[body.detail, ...faults].filter(Boolean).join(' ')}`;
  return new ChokaQError(message, { code: body.code, status, problem: body, retryAfterMs });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
}
