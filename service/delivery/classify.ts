// Owns what a handler's answer means: the table from status to outcome, and what stands above it.
import { parseDuration } from '../domain/duration.ts';
import type { Outcome } from '../domain/lifecycle.ts';
import { parseRetryAfter } from '../domain/retry-after.ts';

type Verdict = 'succeeded' | 'retryable' | 'throttled' | 'fatal';

/** A whole answer, or as much of it as is ever read. Header names in lower case; a repeated header is a list. */
export interface HandlerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Bounded and storable, or null when there was none. */
  readonly body: string | null;
}

const VERDICT_OF_STATUS: Readonly<Record<number, Verdict>> = {
  401: 'retryable',
  403: 'retryable',
  404: 'retryable',
  408: 'retryable',
  409: 'retryable',
  421: 'retryable',
  423: 'retryable',
  425: 'retryable',
  429: 'throttled',
  503: 'throttled',
};

/** For statuses that have no row above, by their first digit; a status outside 200..599 counts as a server's fault. */
const VERDICT_OF_CLASS: Readonly<Record<number, Verdict>> = { 2: 'succeeded', 3: 'fatal', 4: 'fatal', 5: 'retryable' };

const GONE = 410;

/** The outcome of an answered call: `chokaq-retry` > 410 > the handler's fatal statuses > the table. `now` in epoch ms. */
export function classify(answer: HandlerAnswer, fatalStatuses: readonly number[], now: number): Outcome {
  const { status, headers, body } = answer;
  const asked = askedRetry(headers);
  const said = `the handler answered ${status}`;
  if (asked === 'never') return fatal(answer, `${said} with chokaq-retry: never`, false);
  if (asked !== null) {
    const kind = verdictOf(status) === 'throttled' ? 'throttled' : 'retryable';
    return {
      kind,
      askedDelayMs: asked,
      ...kept(answer),
      error: `${said} with chokaq-retry: ${single(headers['chokaq-retry'])}`,
    };
  }
  if (status === GONE) return fatal(answer, `${said} (gone): the endpoint no longer exists`, true);
  if (fatalStatuses.includes(status)) return fatal(answer, `${said}, which its registration calls fatal`, false);
  switch (verdictOf(status)) {
    case 'succeeded':
      return { kind: 'succeeded', responseStatus: status, responseBody: body, error: null };
    case 'fatal':
      return fatal(answer, said, false);
    case 'throttled':
      return { kind: 'throttled', askedDelayMs: retryAfter(headers, now), ...kept(answer), error: said };
    case 'retryable':
      return { kind: 'retryable', askedDelayMs: null, ...kept(answer), error: said };
  }
}

function verdictOf(status: number): Verdict {
  return VERDICT_OF_STATUS[status] ?? VERDICT_OF_CLASS[Math.floor(status / 100)] ?? 'retryable';
}

/** `never`, or a wait in milliseconds for `after=<duration>`; anything else counts as absent. */
function askedRetry(headers: HandlerAnswer['headers']): 'never' | number | null {
  const value = single(headers['chokaq-retry']);
  if (value === 'never') return 'never';
  return value?.startsWith('after=') ? (parseDuration(value.slice('after='.length)) ?? null) : null;
}

function retryAfter(headers: HandlerAnswer['headers'], now: number): number | null {
  const value = single(headers['retry-after']);
  return value === null ? null : parseRetryAfter(value, now);
}

/** A header that was sent once, without the white space around it (the parser leaves what follows the value). */
function single(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' ? value.replace(/^[ \t]+|[ \t]+$/g, '') : null;
}

function fatal(answer: HandlerAnswer, error: string, endpointGone: boolean): Outcome {
  return { kind: 'fatal', endpointGone, ...kept(answer), error };
}

function kept({ status, body }: HandlerAnswer): {
  readonly responseStatus: number;
  readonly responseBody: string | null;
} {
  return { responseStatus: status, responseBody: body };
}
