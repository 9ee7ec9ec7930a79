// Owns the counting of dead jobs for a preview, a bounded number of rows at a time, and where the DLQ ends.
import type { FailureReason } from '../../domain/failure.ts';
import type { Survey, SurveyRequest } from '../../ports/operations.ts';
import type { JobFilter } from '../../ports/store.ts';
import { streamsFor } from '../streams.ts';
import { EXACT } from './counters.ts';
import { DIALECT, Parameters } from './dialect.ts';
import type { Session } from './session.ts';
import { EXAMINED_PER_REQUEST, type Row, rowsOf, windowEnd, windowOf, windowValues } from './window.ts';

/** The highest seq that a dead row has, or had: rows that left are remembered, so that none is ever given twice. */
const MARK = `
  SELECT CASE WHEN d.seq > r.value THEN d.seq ELSE r.value END AS mark
  FROM chokaq.revisions r, (SELECT COALESCE(MAX(seq), 0) AS seq FROM chokaq.jobs_dlq) d WHERE r.name = 'dlq'`;

export async function markDead(session: Session): Promise<number> {
  const answer = await session.read('markDead', MARK);
  return answer.row<{ readonly mark: number }>()?.mark ?? 0;
}

interface Tally {
  readonly failure_reason: FailureReason;
  readonly jobs: number;
}

export async function surveyDead(session: Session, given: JobFilter, request: SurveyRequest): Promise<Survey> {
  const filter: JobFilter = { ...given, states: ['dead'] };
  const streams = streamsFor(filter, 'failed', DIALECT);
  const [stream] = streams;
  if (stream === undefined) throw new Error('the DLQ has no index for a survey');
  const limit = Math.min(request.limit, EXAMINED_PER_REQUEST);
  const parameters = new Parameters();
  const text = `${windowOf(streams, filter, parameters)}
    DECLARE @dead TABLE (at BIGINT NOT NULL, id NVARCHAR(100) ${EXACT} NOT NULL, failure_reason VARCHAR(40) NOT NULL);
    INSERT INTO @dead ${rowsOf(stream, filter, parameters)('j.failed_at, j.id, j.failure_reason')};
    SELECT @low_at AS at, @low_id AS id;
    SELECT TOP (1) at, id FROM @dead ORDER BY at, id;
    SELECT failure_reason, COUNT_BIG(*) AS jobs FROM @dead GROUP BY failure_reason`;
  const bounds = { ...windowValues(streams, request.after), rows: limit };
  const answer = await session.read('surveyDead', text, { ...parameters.values, ...bounds });
  const tally = answer.rows<Tally>(2);
  const matched = tally.reduce((sum, { jobs }) => sum + jobs, 0);
  const last = answer.row<Row>(1) ?? null;
  const reasons = request.withReasons ? Object.fromEntries(tally.map(row => [row.failure_reason, row.jobs])) : {};
  return { matched, last, next: matched === limit ? last : windowEnd(answer.row<Row>()), reasons };
}
