// Owns which indexes a list reads: one ordered stream per table part that the filter can match, so that no page walks the rest.
import type { JobState } from '../domain/job.ts';
import type { JobFilter, PageRequest } from '../ports/store.ts';
import { residueOf } from './residue.ts';
import type { JobTable } from './rows.ts';

/** Rows in descending order of (`at`, id) out of one index. */
export interface Stream<Now> {
  readonly table: JobTable;
  readonly index: string;
  /** The ordering instant's column. */
  readonly at: 'created_at' | 'failed_at';
  /** What the index itself answers. */
  readonly range: readonly Condition<Now>[];
  /** What must be looked up row by row; such a stream is examined in bounded steps. */
  readonly residue: readonly Condition<Now>[];
}

/** Each question mark stands for the next of the values. */
export interface Condition<Now> {
  readonly sql: string;
  readonly values: readonly (string | number | Now)[];
}

/** What the SQL of one adapter says in its own words. */
export interface Dialect<Now> {
  /** What a condition is given for the present: the time itself, or what stands for it in the statement. */
  readonly now: Now;
  /** That the column `tags` has exactly this one. */
  hasTag(tag: string): Condition<Now>;
  /** That one of the columns, or one of the tags, contains the text: literally, but for the case of ASCII letters. */
  contains(columns: readonly string[], text: string): Condition<Now>;
}

const HOT_STATES: readonly JobState[] = ['scheduled', 'pending', 'fetched', 'processing'];

export function streamsFor<Now>(
  filter: JobFilter,
  order: PageRequest['order'],
  dialect: Dialect<Now>,
): readonly Stream<Now>[] {
  const states = filter.states;
  const wants = (state: JobState) => states === undefined || states.includes(state);
  const onlyDead = order === 'failed' || isAboutFailure(filter);
  const streams: Stream<Now>[] = [];
  if (!onlyDead && HOT_STATES.some(wants)) streams.push(...hotStreams(filter, dialect));
  if (!onlyDead && wants('succeeded')) streams.push(streamOf('archive', 'created_at', filter, dialect));
  if (wants('dead')) streams.push(streamOf('dlq', order === 'failed' ? 'failed_at' : 'created_at', filter, dialect));
  return streams;
}

/** What bounds the stream: what its index answers, and the filter's range of its instant. */
export function boundsOf<Now>({ at, range }: Stream<Now>, filter: JobFilter): readonly Condition<Now>[] {
  const [after, before] =
    at === 'failed_at' ? [filter.failedAfter, filter.failedBefore] : [filter.createdAfter, filter.createdBefore];
  return [
    ...range,
    ...(after === undefined ? [] : [where<Now>(`${at} >= ?`, after)]),
    ...(before === undefined ? [] : [where<Now>(`${at} < ?`, before)]),
  ];
}

function isAboutFailure({ reason, errorFamily, failedAfter, failedBefore }: JobFilter): boolean {
  return reason !== undefined || errorFamily !== undefined || failedAfter !== undefined || failedBefore !== undefined;
}

/** Delayed rows have an index of their own; the few that came due and wait for promotion are found by their due time. */
function hotStreams<Now>(filter: JobFilter, dialect: Dialect<Now>): readonly Stream<Now>[] {
  const { states } = filter;
  const { now } = dialect;
  const base = streamOf('hot', 'created_at', filter, dialect);
  if (filter.queue !== undefined || filter.type !== undefined) {
    const state = states === undefined ? [] : [inStates(states, now)];
    return [withResidue(base, state)];
  }
  const due = { ...base, index: 'hot_created', range: [where<Now>('promoted = 1')] };
  const delayed = { ...base, index: 'hot_created_delayed', range: [where<Now>('promoted = 0')] };
  if (states === undefined) return [due, delayed];
  const wants = (state: JobState) => states.includes(state);
  const streams: Stream<Now>[] = [];
  if (wants('pending')) {
    streams.push(withResidue(due, [inStates(states, now)]));
    streams.push({ ...base, index: 'hot_due', range: [where<Now>('promoted = 0'), where('due_at <= ?', now)] });
  } else if (wants('fetched') || wants('processing')) {
    streams.push(
      withResidue({ ...base, index: 'hot_owned', range: [where<Now>('status > 0')] }, [inStates(states, now)]),
    );
  }
  if (wants('scheduled')) streams.push(withResidue(delayed, [where('due_at > ?', now)]));
  return streams;
}

function streamOf<Now>(table: JobTable, at: Stream<Now>['at'], filter: JobFilter, dialect: Dialect<Now>): Stream<Now> {
  const { index, range } = indexFor<Now>(table, at, filter);
  const upTo = table === 'dlq' && filter.deadUpTo !== undefined ? [where<Now>('seq <= ?', filter.deadUpTo)] : [];
  return { table, index, at, range: [...range, ...upTo], residue: residueOf(filter, { table, at, index }, dialect) };
}

function indexFor<Now>(
  table: JobTable,
  at: Stream<Now>['at'],
  { queue, type, reason, errorFamily }: JobFilter,
): Pick<Stream<Now>, 'index' | 'range'> {
  const prefix = at === 'failed_at' ? 'dlq_failed' : table;
  if (at === 'failed_at' && errorFamily !== undefined)
    return { index: 'dlq_failed_family', range: [where<Now>('error_family = ?', errorFamily)] };
  if (at === 'failed_at' && reason !== undefined)
    return { index: 'dlq_failed_reason', range: [where<Now>('failure_reason = ?', reason)] };
  if (queue !== undefined) return { index: `${prefix}_queue`, range: [where<Now>('queue = ?', queue)] };
  if (type !== undefined) return { index: `${prefix}_type`, range: [where<Now>('type = ?', type)] };
  return { index: at === 'failed_at' ? prefix : `${prefix}_created`, range: [] };
}

function inStates<Now>(states: readonly JobState[], now: Now): Condition<Now> {
  const parts: Condition<Now>[] = [];
  if (states.includes('pending')) parts.push(where('(status = 0 AND due_at <= ?)', now));
  if (states.includes('scheduled')) parts.push(where('(status = 0 AND due_at > ?)', now));
  if (states.includes('fetched')) parts.push(where('status = 1'));
  if (states.includes('processing')) parts.push(where('status = 2'));
  return { sql: `(${parts.map(part => part.sql).join(' OR ')})`, values: parts.flatMap(part => part.values) };
}

function withResidue<Now>(base: Stream<Now>, more: readonly Condition<Now>[]): Stream<Now> {
  return { ...base, residue: [...base.residue, ...more] };
}

function where<Now>(sql: string, ...values: readonly (string | number | Now)[]): Condition<Now> {
  return { sql, values };
}
