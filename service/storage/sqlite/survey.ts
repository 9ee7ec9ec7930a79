// Owns the counting of dead jobs for a preview, a bounded number of rows at a time, and where the DLQ ends.
import type { FailureReason } from '../../domain/failure.ts';
import type { Survey, SurveyRequest } from '../../ports/operations.ts';
import type { Cursor, JobFilter } from '../../ports/store.ts';
import { streamsFor } from '../streams.ts';
import { dialectAt } from './dialect.ts';
import { type Parcel, plain } from './parcel.ts';
import { Reader } from './reader.ts';
import type { Session } from './session.ts';

/** So that other reads get their turn in between. */
const EXAMINED_PER_CALL = 10_000;
const ROWS_PER_STEP = 1_000;

/** The highest seq that a dead row has, or had: rows that left are remembered, so that none is ever given twice. */
const MARK = `
  SELECT max(value, coalesce((SELECT max(seq) FROM jobs_dlq), 0)) FROM revisions WHERE name = 'dlq'`;
const REASON = 'SELECT failure_reason FROM jobs_dlq WHERE seq = ?';

export function markDead(session: Session): Parcel<number> {
  return plain(session.row<[number]>(MARK)?.[0] ?? 0);
}

export interface SurveyInput extends SurveyRequest {
  readonly filter: JobFilter;
}

export function surveyDead(session: Session, input: SurveyInput): Parcel<Survey> {
  const { after, limit, withReasons } = input;
  const filter: JobFilter = { ...input.filter, states: ['dead'] };
  const [stream] = streamsFor(filter, 'failed', dialectAt(session.now));
  if (stream === undefined) throw new Error('the DLQ has no index for a survey');
  const reader = new Reader(session, stream, filter, { after, step: ROWS_PER_STEP });
  const reasons: Partial<Record<FailureReason, number>> = {};
  let [matched, last, next] = [0, null as Cursor | null, after];
  for (let examined = 0; reader.head !== undefined; examined++) {
    if (matched === limit || examined === EXAMINED_PER_CALL) return plain({ matched, last, next, reasons });
    const row = reader.take();
    next = row.cursor;
    if (!row.matches) continue;
    matched += 1;
    last = row.cursor;
    if (withReasons) tally(reasons, session.row<[FailureReason]>(REASON, row.seq)?.[0]);
  }
  return plain({ matched, last, next: null, reasons });
}

function tally(reasons: Partial<Record<FailureReason, number>>, reason: FailureReason | undefined): void {
  if (reason !== undefined) reasons[reason] = (reasons[reason] ?? 0) + 1;
}
