// Owns the answer to one call: verified, dispatched, and what came of it said in the way that the service reads.
import { contextOf, type HeaderOf, type JobContext, msUntilDeadline, named } from './context.ts';
import { FatalError, ThrottledError } from './errors.ts';
import type { Profile, ReceiverOptions } from './profile.ts';
import type { Verifier } from './signature.ts';

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ReceivedCall {
  readonly header: HeaderOf;
  readonly body: Uint8Array;
  /** Aborts when the caller hangs up. */
  readonly signal: AbortSignal;
}

export const DEFAULT_BODY_BYTES = 16_000_000;
export const TOO_LARGE: Answer = { status: 413, body: 'The body is larger than maxBodyBytes of the receiver.' };

/** The caller hung up in the middle of its request: nobody reads this. */
export const CUT_OFF: Answer = { status: 400, body: 'The body ended too early.' };

const PING = 'chokaq.ping';
const NOTHING: Answer = { status: 204 };
/** The service keeps 4 KB of a body. */
const KEPT_TEXT = 2_000;

export async function answerTo(
  call: ReceivedCall,
  { profile, verifier, onError }: { profile: Profile; verifier: Verifier; onError: ReceiverOptions['onError'] },
): Promise<Answer> {
  const { header, body } = call;
  const facts = { id: header('webhook-id'), timestamp: header('webhook-timestamp') };
  if (!(await verifier.isSigned({ ...facts, signatures: header('webhook-signature'), body }))) {
    report(new Error('a call whose signature does not fit, or is older than five minutes'), null, onError);
    return { status: 401, body: 'The signature does not fit. Check the secret and the clock of the receiver.' };
  }
  const type = named(header('chokaq-type')) ?? '';
  if (type === PING) return NOTHING;
  if (!profile.handles(type)) return { status: 404, body: `The profile ${profile.name} has no handler for ${type}.` };
  const deadline = new Deadline(header, call.signal);
  const ctx = contextOf(header, new TextDecoder().decode(body), deadline.signal);
  try {
    return success(await profile.dispatch(ctx));
  } catch (error) {
    report(error, ctx, onError);
    return verdict(error);
  } finally {
    deadline.clear();
  }
}

/** Aborts when the caller hangs up or stops waiting, whichever is first. */
class Deadline {
  readonly signal: AbortSignal;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(header: HeaderOf, hangUp: AbortSignal) {
    const limit = new AbortController();
    this.signal = AbortSignal.any([hangUp, limit.signal]);
    const ms = msUntilDeadline(header);
    if (ms === null) return;
    const passed = () => limit.abort(new DOMException('The deadline of the call has passed.', 'TimeoutError'));
    this.#timer = setTimeout(passed, ms);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }
}

function success(result: unknown): Answer {
  if (result === undefined || result === null) return NOTHING;
  if (typeof result === 'string') return { status: 200, headers: { 'content-type': 'text/plain' }, body: result };
  // The work is done: an answer that cannot be written must not make it be done again.
  try {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result) ?? '' };
  } catch {
    return NOTHING;
  }
}

function verdict(error: unknown): Answer {
  const body = told(error);
  if (error instanceof FatalError) return { status: 422, headers: { 'chokaq-retry': 'never' }, body };
  if (!(error instanceof ThrottledError)) return { status: 500, body };
  const { retryAfterS } = error;
  return { status: 429, headers: retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) }, body };
}

/** Name and message: it is read by operators, who find it with the job. */
function told(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, KEPT_TEXT);
}

/** A reporter that fails must not change the verdict. */
function report(error: unknown, ctx: JobContext | null, onError: ReceiverOptions['onError']): void {
  try {
    onError?.(error, ctx);
  } catch {
    // Nobody is left to tell.
  }
}
