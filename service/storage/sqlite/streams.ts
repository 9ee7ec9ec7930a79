// Owns which indexes a list reads: one ordered stream per table part that the filter can match, so that no page walks the rest.
import type { JobState } from '../../domain/job.ts';
import type { JobFilter, PageRequest } from '../../ports/store.ts';
import type { JobTable } from './get.ts';
import { residueOf } from './residue.ts';
import type { Value } from './statements.ts';

/** Rows in descending order of (`at`, id) out of one index. */
export interface Stream {
  readonly table: JobTable;
  readonly index: string;
  /** The ordering instant's column. */
  readonly at: 'created_at' | 'failed_at';
  /** What the index itself answers. */
  readonly range: readonly Condition[];
  /** What must be looked up row by row; such a stream is examined in bounded steps. */
  readonly residue: readonly Condition[];
}

export interface Condition {
  readonly sql: string;
  readonly values: readonly Value[];
}

const HOT_STATES: readonly JobState[] = ['scheduled', 'pending', 'fetched', 'processing'];

export function streamsFor(filter: JobFilter, order: PageRequest['order'], now: number): readonly Stream[] {
  const states = filter.states;
  const wants = (state: JobState) => states === undefined || states.includes(state);
  const onlyDead = order === 'failed' || isAboutFailure(filter);
  const streams: Stream[] = [];
  if (!onlyDead && HOT_STATES.some(wants)) streams.push(...hotStreams(filter, now));
  if (!onlyDead && wants('succeeded')) streams.push(stream('archive', 'created_at', filter));
  if (wants('dead')) streams.push(stream('dlq', order === 'failed' ? 'failed_at' : 'created_at', filter));
  return streams;
}

function isAboutFailure({ reason, errorFamily, failedAfter, failedBefore }: JobFilter): boolean {
  return reason !== undefined || errorFamily !== undefined || failedAfter !== undefined || failedBefore !== undefined;
}

/** Delayed rows have an index of their own; the few that came due and wait for promotion are found by their due time. */
function hotStreams(filter: JobFilter, now: number): readonly Stream[] {
  const { states } = filter;
  if (filter.queue !== undefined || filter.type !== undefined) {
    const state = states === undefined ? [] : [inStates(states, now)];
    return [withResidue(stream('hot', 'created_at', filter), state)];
  }
  const base = stream('hot', 'created_at', filter);
  const due = { ...base, index: 'hot_created', range: [where('promoted = 1')] };
  const delayed = { ...base, index: 'hot_created_delayed', range: [where('promoted = 0')] };
  if (states === undefined) return [due, delayed];
  const wants = (state: JobState) => states.includes(state);
  const streams: Stream[] = [];
  if (wants('pending')) {
    streams.push(withResidue(due, [inStates(states, now)]));
    streams.push({ ...base, index: 'hot_due', range: [where('promoted = 0'), where('due_at <= ?', now)] });
  } else if (wants('fetched') || wants('processing')) {
    streams.push(withResidue({ ...base, index: 'hot_owned', range: [where('status > 0')] }, [inStates(states, now)]));
  }
  if (wants('scheduled')) streams.push(withResidue(delayed, [where('due_at > ?', now)]));
  return streams;
}

function stream(table: JobTable, at: Stream['at'], filter: JobFilter): Stream {
  const { index, range } = indexFor(table, at, filter);
  const upTo = table === 'dlq' && filter.deadUpTo !== undefined ? [where('seq <= ?', filter.deadUpTo)] : [];
  return { table, index, at, range: [...range, ...upTo], residue: residueOf(filter, table, at, index) };
}

function indexFor(
  table: JobTable,
  at: Stream['at'],
  { queue, type, reason, errorFamily }: JobFilter,
): Pick<Stream, 'index' | 'range'> {
  const prefix = at === 'failed_at' ? 'dlq_failed' : table;
  if (at === 'failed_at' && errorFamily !== undefined)
    return { index: 'dlq_failed_family', range: [where('error_family = ?', errorFamily)] };
  if (at === 'failed_at' && reason !== undefined)
    return { index: 'dlq_failed_reason', range: [where('failure_reason = ?', reason)] };
  if (queue !== undefined) return { index: `${prefix}_queue`, range: [where('queue = ?', queue)] };
  if (type !== undefined) return { index: `${prefix}_type`, range: [where('type = ?', type)] };
  return { index: at === 'failed_at' ? prefix : `${prefix}_created`, range: [] };
}

function inStates(states: readonly JobState[], now: number): Condition {
  const parts: Condition[] = [];
  if (states.includes('pending')) parts.push(where('(status = 0 AND due_at <= ?)', now));
  if (states.includes('scheduled')) parts.push(where('(status = 0 AND due_at > ?)', now));
  if (states.includes('fetched')) parts.push(where('status = 1'));
  if (states.includes('processing')) parts.push(where('status = 2'));
  return { sql: `(${parts.map(part => part.sql).join(' OR ')})`, values: parts.flatMap(part => part.values) };
}

function withResidue(base: Stream, more: readonly Condition[]): Stream {
  return { ...base, residue: [...base.residue, ...more] };
}

export function where(sql: string, ...values: readonly Value[]): Condition {
  return { sql, values };
}
