// Owns how a job is read by its id, wherever it lives, and the one column list in which all job rows are read.
import type { Job } from '../../domain/job.ts';
import { type JobRow, type JobTable, jobFromRow } from '../rows.ts';
import { withGivenTags } from './json-rows.ts';
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
  'holds_key',
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

const ONLY_SOME: Readonly<Record<JobTable, string>> = {
  hot: `j.status, CAST(NULL AS BIGINT) AS finished_at, CAST(NULL AS BIGINT) AS duration_ms, CAST(NULL AS VARCHAR(20)) AS outcome,
    CAST(NULL AS VARCHAR(40)) AS failure_reason, CAST(NULL AS NVARCHAR(MAX)) AS error_details, CAST(NULL AS NVARCHAR(255)) AS ended_by`,
  archive: `CAST(NULL AS INT) AS status, j.finished_at, j.duration_ms, j.outcome, CAST(NULL AS VARCHAR(40)) AS failure_reason,
    CAST(NULL AS NVARCHAR(MAX)) AS error_details, CAST(NULL AS NVARCHAR(255)) AS ended_by`,
  dlq: `CAST(NULL AS INT) AS status, j.failed_at AS finished_at, j.duration_ms, CAST(NULL AS VARCHAR(20)) AS outcome,
    j.failure_reason, j.error_details, j.ended_by`,
};

/** The columns of a `JobRow` from the table under the alias j, with its payload or with null. */
export function jobColumns(table: JobTable, withPayload: boolean): string {
  const columns = READ_COLUMNS.map(column => `j.${column}`).join(', ');
  const payload = withPayload ? 'j.payload' : 'CAST(NULL AS VARBINARY(MAX)) AS payload';
  return `'${table}' AS place, ${ONLY_SOME[table]}, ${columns}, ${payload}`;
}

const TABLES = ['hot', 'archive', 'dlq'] as const;

const FIND = TABLES.map(table => `SELECT ${jobColumns(table, true)} FROM chokaq.jobs_${table} j WHERE j.id = @id`).join(
  ' UNION ALL ',
);

/** Where readers do not read versions, a job that moves between the tables at that moment can be missed once. */
const LOOKS = 2;

export async function get(session: Session, id: string): Promise<Job | null> {
  for (let look = 0; look < LOOKS; look++) {
    const answer = await session.read('get', FIND, { id });
    const row = answer.row<JobRow>();
    if (row !== undefined) return jobFromRow(withGivenTags(row), answer.now);
  }
  return null;
}
