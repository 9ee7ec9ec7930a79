// Owns the error that every failed call throws: the service's problem document, or why there was no answer.
import type { components } from './openapi.gen.ts';

export type Problem = components['schemas']['Problem'];

/** Codes of failures without a problem document. */
export type LocalCode = 'unreachable' | 'timeout' | 'not-chokaq';

export class ChokaQError extends Error {
  override readonly name = 'ChokaQError';
  /** Stable, kebab-case: the problem's, or a `LocalCode`. */
  readonly code: string;
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  readonly problem: Problem | null;
  /** The service's name for the request, to find it in its log. */
  readonly requestId: string | null;

  constructor(message: string, facts: { code: string; status?: number; problem?: Problem; cause?: unknown }) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? null;
    this.problem = facts.problem ?? null;
    this.requestId = facts.problem?.requestId ?? null;
  }
}

/** What a refusal says; an answer that is no problem document comes from something between us and the service. */
export function refusal(status: number, body: unknown, call: string): ChokaQError {
  if (!isProblem(body)) {
    const said = typeof body === 'string' && body !== '' ? `: ${body.slice(0, 200)}` : '';
    return new ChokaQError(`${call} was answered with ${status}, but not by ChokaQ${said}. Check the url.`, {
      code: 'not-chokaq',
      status,
    });
  }
  const faults = (body.errors ?? []).map(fault => {
    const place = fault.pointer ?? fault.parameter ?? fault.header;
    return place ? `${place} ${fault.detail}` : fault.detail;
  });
  const message = `${call} was answered with ${status} ${body.code}: ${[body.detail, ...faults].filter(Boolean).join(' ')}`;
  return new ChokaQError(message, { code: body.code, status, problem: body });
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && typeof body.code === 'string';
}
