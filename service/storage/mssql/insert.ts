// Owns how new jobs are stored: planned as if nothing were in their way, and planned anew with what was met.
import { LIMITS, type NewJob } from '../../domain/job.ts';
import type { Inserted } from '../../ports/store.ts';
import { overridesText } from '../rows.ts';
import {
  type Met,
  type MetRow,
  type NewRow,
  NOTHING_MET,
  type Plan,
  planFor,
  type Replacement,
} from './insert-plan.ts';
import { INSERT } from './insert-sql.ts';
import type { Insertion, SettledAll } from './jobs.ts';
import { keptTags, marked, markedOrNull, withGivenTags } from './json-rows.ts';
import type { Answer, Session, Values, WriteText } from './session.ts';

/** How often a plan that others have overtaken is made anew before the call counts as failed. */
const PLANS = 50;

interface Written {
  readonly as_reckoned: number;
  readonly made: number;
  readonly room: number;
}

export function insertAll(session: Session, batch: readonly Insertion[]): SettledAll<readonly Inserted[]> {
  const calls = batch.map(({ jobs }) => jobs);
  const plan = (met: Met) => ({ calls, ...planFor(calls, met) });
  const values = { queue_limit: LIMITS.queueNames };
  return session.retried('insert', () => storePlanned(session, plan, { text: INSERT, values }));
}

export interface Planned extends Plan {
  readonly calls: readonly (readonly NewJob[])[];
}

export interface Storing {
  readonly text: WriteText;
  readonly values: Values;
  /** The transaction does more than storing, so it is needed even when every job turns out to be stored. */
  readonly isMore?: boolean;
}

/** For `retried` and `decided`: one try, with as many plans as it takes. */
export async function storePlanned(
  session: Session,
  plan: (met: Met) => Planned,
  { text, values, isMore = false }: Storing,
): SettledAll<readonly Inserted[]> {
  let met = NOTHING_MET;
  let now = 0;
  for (let left = PLANS; left > 0; left--) {
    const planned = plan(met);
    if (met !== NOTHING_MET && !isMore && writesNothing(planned)) return settled(planned, now);
    const answer = await session.writeOnce(text, { ...values, ...valuesOf(planned, met) });
    if (answer.row<Written>()?.as_reckoned === 1) return settled(planned, answer.now);
    met = metIn(answer);
    now = answer.now;
  }
  throw new Error('the jobs that an enqueue meets changed faster than it could be stored');
}

function writesNothing({ inserted, replaced }: Plan): boolean {
  return inserted.length === 0 && replaced.length === 0;
}

function settled({ ends }: Plan, now: number): Awaited<SettledAll<readonly Inserted[]>> {
  return ends.map(end => ('refusal' in end ? end : { result: end.replies.map(reply => reply(now)) }));
}

function metIn(answer: Answer): Met {
  const { made = 0, room = 0 } = answer.row<Written>() ?? {};
  const unknown = answer.rows<{ readonly name: string }>(1).map(({ name }) => name);
  const rows = [2, 3, 4].flatMap(set => answer.rows<MetRow>(set)).map(withGivenTags);
  return { rows, queues: made > room ? { unknown, room } : null };
}

function valuesOf({ calls, ...plan }: Planned, met: Met): Values {
  const bytes = new Bytes();
  const fresh = new Set(plan.inserted.map(({ job }) => job.id));
  const others = calls.flat().filter(({ id }) => !fresh.has(id));
  return {
    jobs: JSON.stringify(plan.inserted.map((row, n) => newRow(row, n, bytes))),
    replaced: JSON.stringify(plan.replaced.map(row => replacement(row, bytes))),
    others: JSON.stringify(others.map(({ id, queue, idempotencyKey }) => ({ id, ...namesOf(queue, idempotencyKey) }))),
    reckoned: JSON.stringify(met.rows.map(reckonedRow)),
    reckoned_count: met.rows.length,
    bytes: bytes.whole(),
  };
}

function newRow({ job, holdsKey, version }: NewRow, n: number, bytes: Bytes): object {
  return {
    ...{ n, id: job.id, ...namesOf(job.queue, job.idempotencyKey), type: marked(job.type) },
    ...{ holds: holdsKey ? 1 : 0, version, priority: job.priority, ...dueOf(job), ttl: job.resultTtlMs },
    ...{ attempts: job.overrides.maxAttempts, overrides: markedOrNull(overridesText(job.overrides)) },
    ...{ tags: markedOrNull(keptTags(job.tags)), by: markedOrNull(job.createdBy), creator: job.creatorKeyId },
    ...{ parent: job.traceparent, state: markedOrNull(job.tracestate), ...bytes.add(job) },
  };
}

function replacement({ id, by, times }: Replacement, bytes: Bytes): object {
  return { id, times, priority: by.priority, ...dueOf(by), ...bytes.add(by) };
}

function namesOf(queue: string, key: string | null): object {
  return { queue: marked(queue), key: markedOrNull(key) };
}

function dueOf({ due }: NewJob): object {
  return 'at' in due ? { at: due.at } : { in: due.inMs };
}

const ENDED = { archive: -1, dlq: -2 } as const;

function reckonedRow({ id, version, round, place, status, holds_key: holds }: MetRow): object {
  if (place === 'hot') return { id, version, round, status, holds };
  return { id, version, round, status: ENDED[place], holds: 0 };
}

/** Payloads, each with its hash behind it, as one text of bytes. */
class Bytes {
  readonly #parts: Uint8Array[] = [];
  #length = 0;

  add({ payload, payloadHash }: NewJob): { readonly from: number; readonly bytes: number } {
    const from = this.#length + 1;
    this.#parts.push(payload, payloadHash);
    this.#length += payload.length + payloadHash.length;
    return { from, bytes: payload.length };
  }

  whole(): Uint8Array {
    return Buffer.concat(this.#parts, this.#length);
  }
}
