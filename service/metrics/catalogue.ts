// Owns the list of metrics: every name, kind, label set and meaning, in one table.
import { FAILURE_REASONS } from '../domain/failure.ts';
import { MOVES } from '../domain/lifecycle.ts';

/** The most values of a label; `pairs` are queue and type together. */
export const LIMITS = { queue: 100, type: 500, pairs: 1_000 };

/** What each label holds, and all its values where they are closed. */
export const LABELS = {
  queue: `the queue: the first ${LIMITS.queue} that this process met, then \`other\``,
  type: `the type key: the first ${LIMITS.type} that this process met, then \`other\``,
  error: 'how the attempt ended: `retryable`, `throttled`, `fatal`, `timedOut`, `cancelled`, `interrupted`, `expired`',
  reason: FAILURE_REASONS.map(reason => `\`${reason}\``).join(', '),
  state:
    '`pending`, `scheduled`, `fetched`, `processing`, `dead`, `unroutable`; of a circuit `closed`, `open`, `half-open`',
  transition: Object.keys(MOVES)
    .map(move => `\`${move}\``)
    .join(', '),
  outcome:
    'at an enqueue `stored`, `duplicate`, `conflict`; at the start of a job with a result claim `run`, `done`, `held`',
  event: '`opened`, `half-opened`, `closed`, `forced`, `reset`',
  status_class: '`2xx` to `5xx`, or `none` when no answer came',
  kind: 'of a recovery `fetched` (claimed, not started) or `zombie` (started); of a storage fault `busy`, `locked`, `protocol`, `io`, `open`, `thread`',
  operation: 'the verb of storage, such as `insert`, `claim`, `apply`',
  method: '`GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE`, `OPTIONS`, or `other`',
  route: 'the path as openapi.yaml writes it, such as `/jobs/{id}`; `other` for addresses without one',
  status: 'the status code, or `none` when the caller left before the answer',
  version: 'the version of the service',
  storage: '`sqlite` or `memory`',
} as const;

export type Label = keyof typeof LABELS;
export type Labels = Readonly<Partial<Record<Label, string>>>;

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Upper bounds of a histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
}

const FAST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const HTTP_SECONDS = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10, 30];
const SLOW_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900];

export const CATALOGUE = {
  enqueued: {
    kind: 'counter',
    name: 'chokaq_jobs_enqueued_total',
    help: 'Jobs stored by an enqueue; duplicates are not counted.',
    labels: ['queue', 'type'],
  },
  completed: {
    kind: 'counter',
    name: 'chokaq_jobs_completed_total',
    help: 'Jobs that succeeded, counted after the commit.',
    labels: ['queue', 'type'],
  },
  failed: {
    kind: 'counter',
    name: 'chokaq_jobs_failed_total',
    help: 'Attempts that failed, by how they ended.',
    labels: ['queue', 'type', 'error'],
  },
  retried: {
    kind: 'counter',
    name: 'chokaq_jobs_retried_total',
    help: 'Failed attempts that are tried again.',
    labels: ['queue', 'type'],
  },
  dead: {
    kind: 'counter',
    name: 'chokaq_jobs_dlq_total',
    help: 'Jobs that went to the DLQ, on every path, by failure reason.',
    labels: ['queue', 'type', 'reason'],
  },
  processing: {
    kind: 'histogram',
    name: 'chokaq_job_processing_duration_seconds',
    help: 'From the committed start of an attempt to its committed end.',
    labels: ['queue'],
    buckets: SLOW_SECONDS,
  },
  lag: {
    kind: 'histogram',
    name: 'chokaq_job_queue_lag_seconds',
    help: 'From the due time of a job to the committed start of its attempt.',
    labels: ['queue'],
    buckets: SLOW_SECONDS,
  },
  oldestLag: {
    kind: 'gauge',
    name: 'chokaq_queue_lag_seconds',
    help: 'Age of the oldest due pending job that has a handler.',
    labels: ['queue'],
  },
  depth: {
    kind: 'gauge',
    name: 'chokaq_queue_depth',
    help: 'Jobs in a queue now, by state.',
    labels: ['queue', 'state'],
  },
  active: {
    kind: 'gauge',
    name: 'chokaq_workers_active',
    help: 'Calls in flight on this node.',
    labels: ['queue'],
  },
  capacity: {
    kind: 'gauge',
    name: 'chokaq_workers_capacity',
    help: 'Calls this node may have in flight.',
    labels: [],
  },
  heartbeatFailures: {
    kind: 'counter',
    name: 'chokaq_job_heartbeat_failures_total',
    help: 'Heartbeats of this node that could not be stored, once for each queue of which it had jobs running; `unknown` when it had none.',
    labels: ['queue'],
  },
  conflicts: {
    kind: 'counter',
    name: 'chokaq_state_transition_conflicts_total',
    help: 'Transitions that were refused because the job had moved on.',
    labels: ['transition'],
  },
  idempotency: {
    kind: 'counter',
    name: 'chokaq_idempotency_claims_total',
    help: 'Meetings with idempotency keys, at enqueues and at the start of jobs with a result claim, by how they went.',
    labels: ['outcome'],
  },
  circuitState: {
    kind: 'gauge',
    name: 'chokaq_circuit_state',
    help: "1 for the state that a handler's circuit is in, 0 for the others.",
    labels: ['type', 'state'],
  },
  circuitEvents: {
    kind: 'counter',
    name: 'chokaq_circuit_events_total',
    help: 'Changes of circuits by this node.',
    labels: ['type', 'event'],
  },
  responses: {
    kind: 'counter',
    name: 'chokaq_delivery_responses_total',
    help: 'Answers of handlers, by class of status.',
    labels: ['type', 'status_class'],
  },
  recovered: {
    kind: 'counter',
    name: 'chokaq_recovered_jobs_total',
    help: 'Jobs taken back from owners that were late or gone.',
    labels: ['kind'],
  },
  storage: {
    kind: 'histogram',
    name: 'chokaq_storage_operation_duration_seconds',
    help: 'Time to the answer of a storage verb about jobs, waiting for its group commit included.',
    labels: ['operation'],
    buckets: FAST_SECONDS,
  },
  storageRetries: {
    kind: 'counter',
    name: 'chokaq_storage_retries_total',
    help: 'Storage verbs that were tried again after a fault that may pass, by kind of fault; a group commit counts once for each verb in it.',
    labels: ['operation', 'kind'],
  },
  http: {
    kind: 'histogram',
    name: 'chokaq_http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer, long polls and live events included.',
    labels: ['method', 'route', 'status'],
    buckets: HTTP_SECONDS,
  },
  build: {
    kind: 'gauge',
    name: 'chokaq_build_info',
    help: 'Always 1; says which version runs on which storage.',
    labels: ['version', 'storage'],
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof CATALOGUE;
