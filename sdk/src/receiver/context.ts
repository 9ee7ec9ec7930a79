// Owns what a handler knows of the call besides the payload, read from its headers.

export interface JobContext {
  readonly jobId: string;
  readonly type: string;
  readonly queue: string;
  /** From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** 1, and one more after each resurrection. */
  readonly round: number;
  readonly idempotencyKey: string | null;
  /** The job id, in later rounds `<id>:r<round>`: one name for each time that the job is meant to run. */
  readonly webhookId: string;
  readonly createdAt: Date;
  readonly dueAt: Date;
  /** When the service gives this call up, by the service's clock. */
  readonly deadline: Date;
  /** Aborts when the caller hangs up (the job was cancelled) and at the deadline. */
  readonly signal: AbortSignal;
  readonly traceparent: string | null;
  /** The JSON as it was sent. */
  readonly text: string;
  /** For a structured logger: `logger.child(ctx.logFields)`. */
  readonly logFields: Readonly<Record<string, string | number>>;
}

export type HeaderOf = (name: string) => string | null;

export function contextOf(header: HeaderOf, text: string, signal: AbortSignal): JobContext {
  const jobId = header('chokaq-job-id') ?? '';
  const type = named(header('chokaq-type')) ?? '';
  const queue = named(header('chokaq-queue')) ?? '';
  const attempt = Number(header('chokaq-attempt') ?? 1);
  const at = (name: string) => new Date(header(name) ?? Number.NaN);
  return {
    jobId,
    type,
    queue,
    attempt,
    maxAttempts: Number(header('chokaq-max-attempts') ?? 1),
    round: Number(header('chokaq-round') ?? 1),
    idempotencyKey: named(header('chokaq-idempotency-key')),
    webhookId: header('webhook-id') ?? jobId,
    createdAt: at('chokaq-created-at'),
    dueAt: at('chokaq-due-at'),
    deadline: at('chokaq-deadline'),
    signal,
    traceparent: header('traceparent'),
    text,
    logFields: { jobId, type, queue, attempt },
  };
}

/**
 * How long the service still waits, in ms: what was left when it signed the call, so that the two clocks may differ.
 * The timestamp has whole seconds, so it may be up to a second too much. Null without a deadline.
 */
export function msUntilDeadline(header: HeaderOf): number | null {
  const ms = Date.parse(header('chokaq-deadline') ?? '') - Number(header('webhook-timestamp')) * 1_000;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}

/** Type, queue and key come percent-encoded. */
export function named(value: string | null): string | null {
  if (value === null) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
