// Owns how stored rows read as jobs, attempts and handlers, for every SQL adapter: columns in, domain shapes out.
import { FAILURE_REASONS, type FailureReason } from '../domain/failure.ts';
import type { HotState, Job, JobState, NewJob } from '../domain/job.ts';
import type { AttemptOverrides } from '../domain/retry.ts';

export const HOT_STATES = ['pending', 'fetched', 'processing'] as const satisfies readonly HotState[];
export const PENDING = 0;
export const FETCHED = 1;
export const PROCESSING = 2;

/** The columns that all three job tables share, and that therefore survive every move. `payload` comes last: it is long. */
export const CARRIED_COLUMNS = [
  'id',
  'queue',
  'type',
  'priority',
  'due_at',
  'created_at',
  'first_due_at',
  'attempts',
  'round',
  'max_attempts',
  'overrides',
  'tags',
  'holds_key',
  'idempotency_key',
  'result_ttl_ms',
  'created_by',
  'creator_key_id',
  'changed_by',
  'traceparent',
  'tracestate',
  'started_at',
  'heartbeat_at',
  'worker_id',
  'lease_id',
  'cancel_requested_by',
  'last_error',
  'last_response_status',
  'last_response_body',
  'resurrected_at',
  'version',
  'updated_at',
  'payload_hash',
  'payload',
] as const;

/** A row of any job table, completed by what only some tables have (null elsewhere). `place` is the table's name. */
export interface JobRow {
  readonly place: 'hot' | 'archive' | 'dlq';
  readonly status: number | null;
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly priority: number;
  readonly due_at: number;
  readonly created_at: number;
  readonly first_due_at: number;
  readonly attempts: number;
  readonly round: number;
  readonly max_attempts: number | null;
  readonly overrides: string | null;
  readonly tags: string | null;
  readonly idempotency_key: string | null;
  readonly result_ttl_ms: number | null;
  readonly created_by: string | null;
  readonly creator_key_id: string | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly started_at: number | null;
  readonly heartbeat_at: number | null;
  readonly worker_id: string | null;
  readonly lease_id: string | null;
  readonly cancel_requested_by: string | null;
  readonly last_error: string | null;
  readonly last_response_status: number | null;
  readonly last_response_body: string | null;
  readonly resurrected_at: number | null;
  readonly version: number;
  readonly updated_at: number;
  readonly payload_hash: Uint8Array;
  readonly payload: Uint8Array | null;
  readonly finished_at: number | null;
  readonly duration_ms: number | null;
  readonly outcome: 'succeeded' | 'duplicate' | null;
  readonly failure_reason: string | null;
  readonly error_details: string | null;
  readonly ended_by: string | null;
}

export type JobTable = JobRow['place'];

// A job is made as one whole literal: put together by spreading, it would cost ten times as much.

/** `now` tells pending from scheduled. */
export function jobFromRow(row: JobRow, now: number): Job {
  // biome-ignore format: a line a theme
  return {
    id: row.id, queue: row.queue, type: row.type, state: stateOf(row, now), round: row.round, version: row.version,
    payload: row.payload, payloadHash: row.payload_hash, tags: tagsFrom(row.tags), priority: row.priority,
    overrides: overridesFrom(row.overrides, row.max_attempts),
    idempotencyKey: row.idempotency_key, resultTtlMs: row.result_ttl_ms,
    createdBy: row.created_by, creatorKeyId: row.creator_key_id,
    traceparent: row.traceparent, tracestate: row.tracestate,
    dueAt: row.due_at, firstDueAt: row.first_due_at, createdAt: row.created_at, updatedAt: row.updated_at,
    attempts: row.attempts, startedAt: row.started_at, heartbeatAt: row.heartbeat_at, resurrectedAt: row.resurrected_at,
    workerId: row.worker_id, leaseId: row.lease_id, cancelRequestedBy: row.cancel_requested_by,
    lastError: row.last_error, lastResponseStatus: row.last_response_status, lastResponseBody: row.last_response_body,
    finishedAt: row.finished_at, durationMs: row.duration_ms, outcome: row.outcome, endedBy: row.ended_by,
    failureReason: reasonFrom(row.failure_reason), errorDetails: row.error_details,
  };
}

/** The job that a stored `NewJob` has become, as a read at `now` (the time of storing) would show it, without payload. */
export function jobJustStored(job: NewJob, now: number): Job {
  const dueAt = dueInstant(job.due, now);
  // biome-ignore format: a line a theme
  return {
    id: job.id, queue: job.queue, type: job.type, state: dueAt > now ? 'scheduled' : 'pending', round: 1, version: 1,
    payload: null, payloadHash: job.payloadHash, tags: job.tags, priority: job.priority,
    overrides: job.overrides,
    idempotencyKey: job.idempotencyKey, resultTtlMs: job.resultTtlMs,
    createdBy: job.createdBy, creatorKeyId: job.creatorKeyId,
    traceparent: job.traceparent, tracestate: job.tracestate,
    dueAt, firstDueAt: dueAt, createdAt: now, updatedAt: now,
    attempts: 0, startedAt: null, heartbeatAt: null, resurrectedAt: null,
    workerId: null, leaseId: null, cancelRequestedBy: null,
    lastError: null, lastResponseStatus: null, lastResponseBody: null,
    finishedAt: null, durationMs: null, outcome: null, endedBy: null,
    failureReason: null, errorDetails: null,
  };
}

function stateOf(row: JobRow, now: number): JobState {
  if (row.place === 'archive') return 'succeeded';
  if (row.place === 'dlq') return 'dead';
  if (row.status === PENDING) return row.due_at > now ? 'scheduled' : 'pending';
  return row.status === FETCHED ? 'fetched' : 'processing';
}

/** An instant in the past means now. */
export function dueInstant(due: NewJob['due'], now: number): number {
  return 'at' in due ? Math.max(due.at, now) : now + due.inMs;
}

/** Tags are kept as JSON text, or null when there are none. */
export function tagsText(tags: readonly string[]): string | null {
  return tags.length === 0 ? null : JSON.stringify(tags);
}

export function tagsFrom(text: string | null): readonly string[] {
  return text === null ? [] : JSON.parse(text);
}

/** A job's overrides are kept as JSON text but for `maxAttempts`, which has a column. */
export function overridesText({ maxAttempts: _, ...rest }: AttemptOverrides): string | null {
  return Object.keys(rest).length === 0 ? null : JSON.stringify(rest);
}

export function overridesFrom(text: string | null, maxAttempts: number | null): AttemptOverrides {
  const rest: AttemptOverrides = text === null ? {} : JSON.parse(text);
  return maxAttempts === null ? rest : { ...rest, maxAttempts };
}

function reasonFrom(text: string | null): FailureReason | null {
  return FAILURE_REASONS.find(reason => reason === text) ?? null;
}
