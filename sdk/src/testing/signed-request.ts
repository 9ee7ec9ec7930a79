// Owns the signing of calls as the service makes them, so that a test can call a receiver.
import { jsonText } from '../json-text.ts';
import { signatureHeaders } from '../receiver/signature.ts';

export interface CallFacts {
  readonly secret: string;
  readonly url?: string;
  readonly jobId?: string;
  readonly queue?: string;
  readonly attempt?: number;
  readonly maxAttempts?: number;
  readonly round?: number;
  readonly idempotencyKey?: string | null;
  /** How long the call may take, in ms. */
  readonly timeoutMs?: number;
  /** The body as it is, instead of a payload. */
  readonly text?: string;
  /** When it is signed, in ms since 1970. */
  readonly now?: number;
  readonly signal?: AbortSignal;
}

/** The call that ChokaQ would make for a job of the type. */
export async function signedRequest(type: string, payload: unknown, facts: CallFacts): Promise<Request> {
  const { now = Date.now(), timeoutMs = 30_000, jobId = crypto.randomUUID(), round = 1 } = facts;
  const body = new TextEncoder().encode(facts.text ?? jsonText(payload));
  const at = (ms: number) => new Date(ms).toISOString();
  const key = facts.idempotencyKey ?? null;
  const headers = {
    'content-type': 'application/json',
    'chokaq-job-id': jobId,
    'chokaq-type': encodeURIComponent(type),
    'chokaq-queue': encodeURIComponent(facts.queue ?? 'default'),
    'chokaq-attempt': String(facts.attempt ?? 1),
    'chokaq-max-attempts': String(facts.maxAttempts ?? 3),
    'chokaq-round': String(round),
    'chokaq-created-at': at(now),
    'chokaq-due-at': at(now),
    'chokaq-deadline': at(now + timeoutMs),
    ...(key !== null && { 'chokaq-idempotency-key': encodeURIComponent(key) }),
    ...(await signatureHeaders(facts.secret, round === 1 ? jobId : `${jobId}:r${round}`, body, now)),
  };
  const aborting = facts.signal ? { signal: facts.signal } : {};
  return new Request(facts.url ?? 'http://handler.chokaq.test/', { method: 'POST', headers, body, ...aborting });
}
