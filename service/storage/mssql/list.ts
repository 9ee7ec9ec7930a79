// Owns lists: the streams of a filter merged newest first, in one statement, so that a job that moves meanwhile is in one of them.
import type { Job } from '../../domain/job.ts';
import type { JobFilter, Page, PageRequest } from '../../ports/store.ts';
import { type JobRow, jobFromRow } from '../rows.ts';
import { type Stream, streamsFor } from '../streams.ts';
import { DIALECT, type Now, Parameters } from './dialect.ts';
import { jobColumns } from './get.ts';
import { withGivenTags } from './json-rows.ts';
import type { Session } from './session.ts';
import { type Row, rowsOf, windowEnd, windowOf, windowValues } from './window.ts';

export async function list(session: Session, filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
  const streams = streamsFor(filter, page.order, DIALECT);
  if (streams.length === 0) return { items: [], next: null };
  const parameters = new Parameters();
  const text = textOf(streams, { filter, page }, parameters);
  const bounds = { ...windowValues(streams, page.after), rows: page.limit + 1 };
  const answer = await session.read('list', text, { ...parameters.values, ...bounds });
  const rows = answer.rows<JobRow>(1);
  const items = rows.slice(0, page.limit).map(row => jobFromRow(withGivenTags(row), answer.now));
  if (rows.length <= page.limit) return { items, next: windowEnd(answer.row<Row>()) };
  const last = rows[page.limit - 1];
  return { items, next: last === undefined ? null : { at: instantOf(last, page), id: last.id } };
}

function instantOf(row: JobRow, { order }: PageRequest): number {
  return order === 'failed' ? (row.finished_at ?? 0) : row.created_at;
}

interface Wanted {
  readonly filter: JobFilter;
  readonly page: PageRequest;
}

function textOf(streams: readonly Stream<Now>[], { filter, page }: Wanted, parameters: Parameters): string {
  const window = windowOf(streams, filter, parameters);
  const parts = streams.map((stream, n) => {
    const rows = rowsOf(stream, filter, parameters)(jobColumns(stream.table, page.withPayload));
    return `SELECT s${n}.* FROM (${rows}) s${n}`;
  });
  const at = page.order === 'failed' ? 'finished_at' : 'created_at';
  return `${window}
    SELECT @low_at AS at, @low_id AS id;
    SELECT TOP (@rows) u.* FROM (${parts.join(' UNION ALL ')}) u ORDER BY u.${at} DESC, u.id DESC`;
}
