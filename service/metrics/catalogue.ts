// Owns the list of metrics: every name, kind, label set and meaning, in one table.

export type Labels = Readonly<Record<string, string>>;

export interface Metric {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
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
    help: 'Meetings with idempotency keys: `stored`, `duplicate` or `conflict` at an enqueue; `run`, `done` or `held` at the start of a job with a result claim.',
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
    help: 'Changes of circuits by this node: opened, half-opened, closed, forced, reset.',
    labels: ['type', 'event'],
  },
  responses: {
    kind: 'counter',
    name: 'chokaq_delivery_responses_total',
    help: 'Answers of handlers by class of status; `none` when no answer came.',
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
    help: 'From the arrival of a request to the end of its answer; `route` is the path as openapi.yaml writes it, `other` for addresses without one.',
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
