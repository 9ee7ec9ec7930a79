// Owns how one call is tried: a limit for each try, and another try where that is safe, when the service said so or never answered.
import { ChokaQError } from './problem.ts';
import { retryAfterMs } from './retry-after.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface Patience {
  readonly fetch: Fetch;
  /** Limit of one try, body of the answer included, in ms. */
  readonly timeoutMs: number;
  /** How long a call is tried again, in ms; 0 = never. */
  readonly retryForMs: number;
  /** Hears why a call is about to be tried again. */
  readonly onRetry: (reason: string, pauseMs: number) => void;
}

export interface Tried {
  readonly response: Response;
  readonly text: string;
  /** The tries before this one of which nobody knows whether they arrived. */
  readonly lost: number;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 15_000;
/** The service did nothing, and asks to come again. */
const REFUSED_FOR_NOW = [429, 503];
/** Nobody knows what was done: only for calls that may arrive twice. */
const UNKNOWN = [408, 502, 504];

type Try = { readonly response: Response; readonly text: string } | { readonly fault: ChokaQError };

/** Resolves with any answer that is final. `isSafe`: the call may arrive twice. */
export async function patiently(request: Request, patience: Patience, isSafe: boolean): Promise<Tried> {
  const deadline = performance.now() + patience.retryForMs;
  for (let tries = 0, lost = 0; ; tries++) {
    const tried = await tryOnce(request.clone(), patience.fetch, patience.timeoutMs);
    request.signal.throwIfAborted();
    const reason = reasonToRetry(tried, isSafe, new URL(request.url).origin);
    if (reason === null) {
      if ('fault' in tried) throw tried.fault;
      return { ...tried, lost };
    }
    if (!('response' in tried) || !REFUSED_FOR_NOW.includes(tried.response.status)) lost += 1;
    const pauseMs = pauseBefore(tries, tried);
    if (performance.now() + pauseMs > deadline) {
      if ('fault' in tried) throw tried.fault;
      return { ...tried, lost };
    }
    patience.onRetry(reason, pauseMs);
    await rest(pauseMs, request.signal);
  }
}

async function tryOnce(request: Request, fetch: Fetch, timeoutMs: number): Promise<Try> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(new Request(request, { signal: AbortSignal.any([request.signal, limit]) }));
    return { response, text: await response.text() };
  } catch (cause) {
    if (request.signal.aborted) throw request.signal.reason;
    const { origin } = new URL(request.url);
    if (limit.aborted) {
      const message = `${origin} did not answer within ${timeoutMs} ms`;
      return { fault: new ChokaQError(message, { code: 'timeout', cause }) };
    }
    return {
      fault: new ChokaQError(`${origin} cannot be reached (${reasonOf(cause)})`, { code: 'unreachable', cause }),
    };
  }
}

function reasonToRetry(tried: Try, isSafe: boolean, origin: string): string | null {
  if ('fault' in tried) return isSafe ? tried.fault.message : null;
  const { status } = tried.response;
  const isWorthIt = REFUSED_FOR_NOW.includes(status) || (isSafe && UNKNOWN.includes(status));
  return isWorthIt ? `${origin} answered ${status}` : null;
}

/** Growing, with jitter; never shorter than the service asked for. */
function pauseBefore(tries: number, tried: Try): number {
  const grownMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, LONGEST_PAUSE_MS) * (1 + Math.random() / 4);
  const askedMs = 'response' in tried ? retryAfterMs(tried.response.headers.get('retry-after'), Date.now()) : null;
  return Math.max(grownMs, askedMs ?? 0);
}

/** Rejects with the signal's reason. */
export function rest(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** `fetch` says only "fetch failed"; why stands in the cause, for several addresses of one name in the errors of the cause. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause instanceof Error) return reasonOf(error.cause);
  const code = 'code' in error ? String(error.code) : '';
  return error.message || code || error.name;
}
