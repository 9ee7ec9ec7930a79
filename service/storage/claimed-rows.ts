// Owns how claimed rows read as jobs, for every SQL adapter: positional values in, since each claim brings many.
import type { ClaimedJob } from '../domain/job.ts';
import type { StaleJob } from '../ports/store.ts';
import { FETCHED, overridesFrom } from './rows.ts';

/** The columns of a claimed job, in the order in which `claimedFrom` reads their values; the payload travels apart. */
export const CLAIMED_COLUMNS = [
  'id',
  'queue',
  'type',
  'attempts',
  'round',
  'overrides',
  'max_attempts',
  'idempotency_key',
  'result_ttl_ms',
  'due_at',
  'first_due_at',
  'resurrected_at',
  'created_at',
  'started_at',
  'traceparent',
  'tracestate',
] as const;

export type ClaimedValues = readonly [
  id: string,
  queue: string,
  type: string,
  attempts: number,
  round: number,
  overrides: string | null,
  maxAttempts: number | null,
  idempotencyKey: string | null,
  resultTtlMs: number | null,
  dueAt: number,
  firstDueAt: number,
  resurrectedAt: number | null,
  createdAt: number,
  startedAt: number | null,
  traceparent: string | null,
  tracestate: string | null,
];

/** What a claim adds to the row. `startedAt` is the time of the start when the claim made it, else null. */
export interface Tenure {
  readonly leaseId: string;
  readonly startedAt: number | null;
  readonly queueTimeoutMs: number | null;
  readonly circuitEpoch: number;
}

/** The claimed job; `values` are those before the claim, so a start counts on top of them. */
export function claimedJob(values: ClaimedValues, payload: Uint8Array, tenure: Tenure): ClaimedJob {
  const isStarted = tenure.startedAt !== null;
  return {
    id: values[0],
    queue: values[1],
    type: values[2],
    state: isStarted ? 'processing' : 'fetched',
    leaseId: tenure.leaseId,
    payload,
    attempts: isStarted ? values[3] + 1 : values[3],
    round: values[4],
    overrides: overridesFrom(values[5], values[6]),
    idempotencyKey: values[7],
    resultTtlMs: values[8],
    dueAt: values[9],
    firstDueAt: values[10],
    resurrectedAt: values[11],
    createdAt: values[12],
    startedAt: tenure.startedAt,
    traceparent: values[14],
    tracestate: values[15],
    circuitEpoch: tenure.circuitEpoch,
    queueTimeoutMs: tenure.queueTimeoutMs,
  };
}

/** A row that its owner left lying, read as it stands. */
export type StaleValues = readonly [
  ...ClaimedValues,
  status: number,
  leaseId: string,
  workerId: string,
  heartbeatAt: number | null,
  cancelRequestedBy: string | null,
  queueTimeoutMs: number | null,
];

export function staleJob(values: StaleValues): StaleJob {
  return {
    id: values[0],
    queue: values[1],
    type: values[2],
    attempts: values[3],
    round: values[4],
    overrides: overridesFrom(values[5], values[6]),
    idempotencyKey: values[7],
    resultTtlMs: values[8],
    dueAt: values[9],
    firstDueAt: values[10],
    resurrectedAt: values[11],
    createdAt: values[12],
    startedAt: values[13],
    traceparent: values[14],
    tracestate: values[15],
    state: values[16] === FETCHED ? 'fetched' : 'processing',
    leaseId: values[17],
    workerId: values[18],
    heartbeatAt: values[19],
    cancelRequestedBy: values[20],
    queueTimeoutMs: values[21],
  };
}
