// Owns how a job is read by its id, wherever it lives, and the one column list in which all job rows are read.
import type { JobRow, JobTable } from '../rows.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const READ_COLUMNS = [
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
  'idempotency_key',
  'result_ttl_ms',
  'created_by',
  'creator_key_id',
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
] as const;

const ENDING_COLUMNS = [
  'finished_at',
  'duration_ms',
  'outcome',
  'failure_reason',
  'error_details',
  'ended_by',
] as const;

const ENDINGS: Readonly<Record<JobTable, string>> = {
  hot: 'NULL, NULL, NULL, NULL, NULL, NULL',
  archive: 'finished_at, duration_ms, outcome, NULL, NULL, NULL',
  dlq: 'failed_at, duration_ms, NULL, failure_reason, error_details, ended_by',
};

const ROW_KEYS = ['place', 'status', ...READ_COLUMNS, ...ENDING_COLUMNS, 'payload'] as const;

/** SELECT … FROM the table, without WHERE, in the order that `rowFromValues` reads. */
function selectFrom(table: JobTable, withPayload: boolean): string {
  const status = table === 'hot' ? 'status' : 'NULL';
  const payload = withPayload ? 'payload' : 'NULL';
  return `SELECT '${table}', ${status}, ${READ_COLUMNS.join(', ')}, ${ENDINGS[table]}, ${payload} FROM jobs_${table}`;
}

function find(withPayload: boolean): string {
  const tables = ['hot', 'archive', 'dlq'] as const;
  return tables.map(table => `${selectFrom(table, withPayload)} WHERE id = ?`).join(' UNION ALL ');
}

const FIND = find(false);
const FIND_WITH_PAYLOAD = find(true);

/** One row by its `seq`, per table; `full` brings the payload. */
export const READ_ROW: Readonly<Record<JobTable, { readonly lean: string; readonly full: string }>> = {
  hot: { lean: `${selectFrom('hot', false)} WHERE seq = ?`, full: `${selectFrom('hot', true)} WHERE seq = ?` },
  archive: {
    lean: `${selectFrom('archive', false)} WHERE seq = ?`,
    full: `${selectFrom('archive', true)} WHERE seq = ?`,
  },
  dlq: { lean: `${selectFrom('dlq', false)} WHERE seq = ?`, full: `${selectFrom('dlq', true)} WHERE seq = ?` },
};

export type RowValues = readonly unknown[];

export function rowFromValues(values: RowValues): JobRow {
  const row: Record<string, unknown> = {};
  for (const [at, key] of ROW_KEYS.entries()) row[key] = values[at];
  return row as unknown as JobRow;
}

/** The values of the job's row without payload, or null. */
export function findJob(session: Session, id: string): RowValues | null {
  return session.row(FIND, id, id, id) ?? null;
}

export interface GetAnswer {
  readonly now: number;
  readonly values: RowValues | null;
}

export function get(session: Session, id: string): Parcel<GetAnswer> {
  return plain({ now: session.now, values: session.row(FIND_WITH_PAYLOAD, id, id, id) ?? null });
}
