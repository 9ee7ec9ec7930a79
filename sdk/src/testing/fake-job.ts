// Owns one job of the fake service: its life from enqueue to its end, and how the API tells of it.

export type Posted = Readonly<Record<string, unknown>> & { readonly type: string; readonly payload: unknown };
type FakeState = 'scheduled' | 'pending' | 'processing' | 'succeeded' | 'dead';
type FakeOutcome = 'succeeded' | 'retryable' | 'throttled' | 'fatal' | 'cancelled';

/** How one attempt ended. */
export interface FakeAttempt {
  readonly round: number;
  readonly attempt: number;
  readonly startedAt: string;
  readonly finishedAt: string;
  readonly durationMs: number;
  readonly workerId: string;
  readonly outcome: FakeOutcome;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly redacted: false;
}

export interface FakeEdits {
  readonly payload?: unknown;
  readonly tags?: readonly string[];
  readonly priority?: number;
}

const WORKER = 'fake';
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

export class FakeJob {
  readonly id: string;
  readonly type: string;
  readonly idempotencyKey: string | null;
  readonly resultTtl: string | null;
  readonly createdAt: string;
  /** What was posted. */
  readonly posted: Posted;
  readonly maxAttempts: number;
  /** Over all rounds, oldest first. */
  readonly history: FakeAttempt[] = [];
  queue: string;
  priority: number;
  tags: readonly string[];
  payload: unknown;
  /** The exact text of the payload. */
  payloadText: string;
  dueAt: string;
  round = 1;
  /** One more with each change, as in the ETag. */
  version = 1;
  attempts = 0;
  startedAt: string | null = null;
  finishedAt: string | null = null;
  outcome: 'succeeded' | 'duplicate' | null = null;
  failureReason: string | null = null;
  lastError: string | null = null;
  lastResponseStatus: number | null = null;
  lastResponseBody: string | null = null;
  #running: AbortController | null = null;

  constructor(posted: Posted, payloadText: string, maxAttempts: number, now: number) {
    const { id, type, payload, queue, priority, tags, idempotencyKey, resultTtl, runAt, delay } = posted;
    this.id = text(id) ?? crypto.randomUUID();
    this.type = type;
    this.createdAt = instant(now);
    this.payload = payload;
    this.payloadText = payloadText;
    this.posted = posted;
    this.maxAttempts = maxAttempts;
    this.queue = text(queue) ?? 'default';
    this.priority = typeof priority === 'number' ? priority : 10;
    this.tags = Array.isArray(tags) ? tags : [];
    this.idempotencyKey = text(idempotencyKey);
    this.resultTtl = text(resultTtl);
    this.dueAt = typeof runAt === 'string' ? instant(Date.parse(runAt)) : dueIn(delay);
  }

  get state(): FakeState {
    if (this.outcome !== null) return 'succeeded';
    if (this.failureReason !== null) return 'dead';
    if (this.#running !== null) return 'processing';
    return this.dueAt > instant() ? 'scheduled' : 'pending';
  }

  /** It holds its idempotency key. */
  get isActive(): boolean {
    return this.outcome === null && this.failureReason === null;
  }

  get etag(): string {
    return `"${this.round}-${this.version}"`;
  }

  /** Begins an attempt; the signal aborts when the job is cancelled. */
  start(): AbortSignal {
    this.#running = new AbortController();
    this.attempts += 1;
    this.version += 1;
    this.startedAt = instant();
    return this.#running.signal;
  }

  /** Ends the attempt: with a success, a reason to be dead, or neither, and then it is tried again. */
  finish(outcome: FakeOutcome, answer: { status: number; body: string; error: string | null }, reason: string | null) {
    const { round, attempts: attempt, startedAt = instant() } = this;
    const finishedAt = instant();
    const times = { startedAt: startedAt ?? finishedAt, finishedAt };
    const durationMs = Date.parse(times.finishedAt) - Date.parse(times.startedAt);
    const response = { responseStatus: answer.status, responseBody: answer.body, error: answer.error };
    this.history.push({
      round,
      attempt,
      ...times,
      durationMs,
      workerId: WORKER,
      outcome,
      ...response,
      redacted: false,
    });
    this.#running = null;
    this.lastResponseStatus = answer.status;
    this.lastResponseBody = answer.body;
    this.lastError = answer.error;
    if (outcome === 'succeeded') this.end('succeeded', null);
    else if (reason !== null) this.end(null, reason);
    else this.version += 1;
  }

  end(outcome: 'succeeded' | 'duplicate' | null, failureReason: string | null): void {
    this.outcome = outcome;
    this.failureReason = failureReason;
    this.finishedAt = instant();
    this.version += 1;
  }

  /** At once, or for the running attempt to notice. */
  cancel(): void {
    if (this.#running === null) this.end(null, 'Cancelled');
    else this.#running.abort(new DOMException('The job was cancelled.', 'AbortError'));
  }

  edit({ payload = this.payload, tags = this.tags, priority = this.priority }: FakeEdits, dueAt = this.dueAt): void {
    if (payload !== this.payload) this.payloadText = JSON.stringify(payload);
    Object.assign(this, { payload, tags, priority, dueAt, version: this.version + 1 });
  }

  /** Back to work, with a full budget of attempts. */
  resurrect(edits: FakeEdits & { readonly delay?: unknown }): void {
    Object.assign(this, { failureReason: null, attempts: 0, round: this.round + 1, startedAt: null, finishedAt: null });
    this.edit(edits, dueIn(edits.delay));
  }

  /** As the API has it, but for the payload. */
  present(): object {
    const { id, type, queue, state, priority, tags, attempts, maxAttempts, round, idempotencyKey, resultTtl } = this;
    const { dueAt, createdAt, startedAt, finishedAt, outcome, failureReason, lastError } = this;
    const durationMs = startedAt && finishedAt && Date.parse(finishedAt) - Date.parse(startedAt);
    return {
      ...{ id, type, queue, state, priority, tags, attempts, maxAttempts, round, idempotencyKey, resultTtl },
      ...{ dueAt, createdAt, createdBy: text(this.posted.createdBy), startedAt, finishedAt, durationMs },
      ...{ heartbeatAt: startedAt, workerId: startedAt && WORKER, failureReason, outcome, lastError },
      ...{ lastResponseStatus: this.lastResponseStatus, lastResponseBody: this.lastResponseBody },
      ...{
        errorDetails: failureReason && lastError,
        advice: null,
        failedAt: failureReason && finishedAt,
        redacted: false,
      },
    };
  }
}

export function instant(ms = Date.now()): string {
  return new Date(ms).toISOString();
}

function dueIn(delay: unknown): string {
  const parts = typeof delay === 'string' ? [...delay.matchAll(/(\d+)(ms|[dhms])/g)] : [];
  return instant(Date.now() + parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0));
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
