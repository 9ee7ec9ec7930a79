// Owns how jobs that applications enqueued in their own transactions (chokaq.Enqueue) become jobs like all others.
import { createHash, randomUUID } from 'node:crypto';
import type { NewJob } from '../../domain/job.ts';
import { type Planned, storePlanned } from './insert.ts';
import { type Met, planFor } from './insert-plan.ts';
import { INSERT } from './insert-sql.ts';
import { overtakenIf, type Session, type WriteText } from './session.ts';

/** True when something waits there. Rows of open transactions are passed over, by this and all that follows. */
export const INBOX_WAITS = 'EXISTS (SELECT 1 FROM chokaq.inbox WITH (READPAST))';

const MOST_ROWS = 500;
const MOST_CHARACTERS = 4_000_000;

/** At least one row, however long. */
const READ = `
  SELECT x.seq, x.id, x.queue, x.type, x.priority, x.due_at, x.idempotency_key, x.result_ttl_ms, x.max_attempts, x.tags,
    x.created_by, x.traceparent, x.payload
  FROM (
    SELECT TOP (${MOST_ROWS}) i.seq, i.id, i.queue, i.type, i.priority, i.due_at, i.idempotency_key, i.result_ttl_ms, i.max_attempts,
      i.tags, i.created_by, i.traceparent, i.payload,
      SUM(CAST(LEN(i.payload) AS BIGINT)) OVER (ORDER BY i.seq ROWS UNBOUNDED PRECEDING) - LEN(i.payload) AS before
    FROM chokaq.inbox i WITH (READPAST) ORDER BY i.seq) x
  WHERE x.before < ${MOST_CHARACTERS} ORDER BY x.seq`;

/** Whoever comes second finds the rows gone, however long it was stopped in between, and stores nothing. */
const ADMIT: WriteText = {
  work: `
    DECLARE @taken TABLE (seq BIGINT NOT NULL PRIMARY KEY);
    INSERT INTO @taken SELECT j.seq FROM OPENJSON(@taken_rows) WITH (seq BIGINT '$.seq') j;
    ${overtakenIf('(SELECT COUNT(*) FROM chokaq.inbox i WITH (READPAST) WHERE i.seq IN (SELECT seq FROM @taken)) <> @taken_count')}
    ${INSERT.work}
    IF @as_reckoned = 1 DELETE FROM chokaq.inbox WITH (READPAST, ROWLOCK) WHERE seq IN (SELECT seq FROM @taken);`,
  ...(INSERT.answer === undefined ? {} : { answer: INSERT.answer }),
};

interface InboxRow {
  readonly seq: number;
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly priority: number;
  readonly due_at: number | null;
  readonly idempotency_key: string | null;
  readonly result_ttl_ms: number | null;
  readonly max_attempts: number | null;
  readonly tags: string | null;
  readonly created_by: string | null;
  readonly traceparent: string | null;
  readonly payload: string;
}

/** Takes over a batch, oldest first: stored and gone from the inbox in one transaction. False when there was nothing. */
export function admit(session: Session): Promise<boolean> {
  return session.decided('admit', async () => {
    const rows = (await session.readOnce(READ)).rows<InboxRow>();
    if (rows.length === 0) return false;
    const calls = rows.map(row => [newJobFrom(row)]);
    const values = {
      taken_rows: JSON.stringify(rows.map(({ seq }) => ({ seq }))),
      taken_count: rows.length,
      // The application has been promised the job, so no limit can refuse it any more.
      queue_limit: Number.MAX_SAFE_INTEGER,
    };
    await storePlanned(session, met => plannedWhole(calls, met), { text: ADMIT, values, isMore: true });
    return true;
  });
}

/** A job whose id somebody else has used meanwhile gets another one, rather than being lost. */
function plannedWhole(calls: readonly (readonly NewJob[])[], met: Met): Planned {
  const { ends } = planFor(calls, met);
  const stored = calls.map((jobs, call) =>
    'refusal' in (ends[call] ?? {}) ? jobs.map(job => ({ ...job, id: randomUUID() })) : jobs,
  );
  return { calls: stored, ...planFor(stored, met) };
}

function newJobFrom(row: InboxRow): NewJob {
  const payload = Buffer.from(row.payload, 'utf8');
  return {
    ...{ id: row.id, queue: row.queue, type: row.type, priority: row.priority },
    ...{ payload, payloadHash: createHash('sha256').update(payload).digest() },
    tags: row.tags === null ? [] : JSON.parse(row.tags),
    overrides: row.max_attempts === null ? {} : { maxAttempts: row.max_attempts },
    ...{ idempotencyKey: row.idempotency_key, resultTtlMs: row.result_ttl_ms },
    // Who took the key between the application's call and now keeps it; this job waits beside it.
    onConflict: 'wait',
    due: row.due_at === null ? { inMs: 0 } : { at: row.due_at },
    ...{ createdBy: row.created_by, creatorKeyId: null, seesAll: true },
    ...{ traceparent: row.traceparent, tracestate: null },
  };
}
