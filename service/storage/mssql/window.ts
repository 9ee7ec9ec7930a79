// Owns how far one request looks along the streams of a filter: a bounded number of rows, whatever few of them match.
import type { Cursor, JobFilter } from '../../ports/store.ts';
import { boundsOf, type Stream } from '../streams.ts';
import { EXACT } from './counters.ts';
import type { Now, Parameters } from './dialect.ts';

/** A page ends early, with a cursor to go on, when its filter has made it look at so many rows. */
export const EXAMINED_PER_REQUEST = 10_000;

export type Row = { readonly at: number; readonly id: string };

/** Declares @low_at and @low_id: nothing behind them is looked at this time. */
export function windowOf(streams: readonly Stream<Now>[], filter: JobFilter, parameters: Parameters): string {
  const examined = streams.filter(({ residue }) => residue.length > 0);
  const ends = examined.map(stream => `INSERT INTO @ends ${endOf(stream, filter, parameters)};`).join(' ');
  return `
    DECLARE @low_at BIGINT = -1, @low_id NVARCHAR(100) = N'';
    ${
      examined.length === 0
        ? ''
        : `DECLARE @ends TABLE (at BIGINT NOT NULL, id NVARCHAR(100) ${EXACT} NOT NULL); ${ends}
      SELECT TOP (1) @low_at = at, @low_id = id FROM @ends ORDER BY at DESC, id DESC;`
    }`;
}

/** The values of a window that begins behind `after`. */
export function windowValues(streams: readonly Stream<Now>[], after: Cursor | null): Record<string, string | number> {
  const examined = streams.filter(({ residue }) => residue.length > 0).length;
  const start = { after_at: after?.at ?? Number.MAX_SAFE_INTEGER, after_id: after?.id ?? '' };
  return examined === 0 ? start : { ...start, step: Math.floor(EXAMINED_PER_REQUEST / examined) };
}

/** Rows of the stream inside the window that match the filter, newest first. */
export function rowsOf(stream: Stream<Now>, filter: JobFilter, parameters: Parameters): (columns: string) => string {
  const { at, table, residue } = stream;
  const where = parameters.all([...boundsOf(stream, filter), ...residue]);
  return columns => `
    SELECT TOP (@rows) ${columns} FROM chokaq.jobs_${table} j
    WHERE ${where} AND ${behindStart(at)} AND j.${at} >= @low_at AND (j.${at} > @low_at OR j.id >= @low_id)
    ORDER BY j.${at} DESC, j.id DESC`;
}

/** Where the window ends, from its first row with what the request itself has found; null at the end of the streams. */
export function windowEnd(low: Row | undefined): Cursor | null {
  return low === undefined || low.at < 0 ? null : { at: low.at, id: low.id };
}

function endOf(stream: Stream<Now>, filter: JobFilter, parameters: Parameters): string {
  const { at, table } = stream;
  const where = parameters.all(boundsOf(stream, filter));
  return `
    SELECT e.at, e.id FROM (
      SELECT TOP (@step) j.${at} AS at, j.id, ROW_NUMBER() OVER (ORDER BY j.${at} DESC, j.id DESC) AS n
      FROM chokaq.jobs_${table} j WHERE ${where} AND ${behindStart(at)} ORDER BY j.${at} DESC, j.id DESC) e
    WHERE e.n = @step`;
}

function behindStart(at: string): string {
  return `j.${at} <= @after_at AND (j.${at} < @after_at OR j.id < @after_id)`;
}
