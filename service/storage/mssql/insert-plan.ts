// Owns what a batch of insert calls comes to, given what is stored of what it names: decided by the rules of identity, call by call.
import { DomainError } from '../../domain/errors.ts';
import { clashOf, meetById, meetByKey, type StoredIdentity } from '../../domain/idempotency.ts';
import type { HotState, Job, NewJob } from '../../domain/job.ts';
import { queueTooMany } from '../../domain/queue.ts';
import type { Inserted } from '../../ports/store.ts';
import { dueInstant, HOT_STATES, type JobRow, jobFromRow, jobJustStored } from '../rows.ts';

export type MetRow = JobRow & { readonly holds_key: number };

/** The stored jobs with an id, or an idempotency key in use, that the batch names; and its queues, once they are too many. */
export interface Met {
  readonly rows: readonly MetRow[];
  readonly queues: { readonly unknown: readonly string[]; readonly room: number } | null;
}

export const NOTHING_MET: Met = { rows: [], queues: null };

export interface NewRow {
  readonly job: NewJob;
  readonly holdsKey: boolean;
  readonly version: number;
}

/** A stored job that gets the payload, priority and due time of a new one. */
export interface Replacement {
  readonly id: string;
  readonly by: NewJob;
  /** How many of the batch replaced it, one after the other. */
  readonly times: number;
}

/** The answer about one job, once the time of storing is known. */
export type Reply = (now: number) => Inserted;

export interface Plan {
  readonly inserted: readonly NewRow[];
  readonly replaced: readonly Replacement[];
  readonly ends: readonly ({ readonly replies: readonly Reply[] } | { readonly refusal: DomainError })[];
}

interface Known {
  readonly identity: StoredIdentity & { readonly id: string };
  /** Null once it has ended. */
  readonly state: HotState | null;
  readonly job: (now: number) => Job;
  /** Null of a job of this batch. */
  readonly row: JobRow | null;
}

export function planFor(calls: readonly (readonly NewJob[])[], met: Met): Plan {
  const plan = new Planning(met);
  const ends = calls.map(jobs => plan.call(jobs));
  return { inserted: [...plan.inserted.values()], replaced: [...plan.replaced.values()], ends };
}

class Planning {
  readonly inserted = new Map<string, NewRow>();
  readonly replaced = new Map<string, Replacement>();
  readonly #byId = new Map<string, Known>();
  readonly #byKey = new Map<string, Known>();
  readonly #queuesToMake = new Map<string, true>();
  readonly #unknownQueues: ReadonlySet<string>;
  readonly #room: number;
  #undo: (() => void)[] = [];

  constructor({ rows, queues }: Met) {
    this.#unknownQueues = new Set(queues?.unknown);
    this.#room = queues?.room ?? 0;
    for (const row of rows) this.#know(knownFrom(row), row.place === 'hot' && row.holds_key === 1);
  }

  /** All or none of its jobs. */
  call(jobs: readonly NewJob[]): Plan['ends'][number] {
    this.#undo = [];
    try {
      return { replies: jobs.map((job, index) => this.#add(job, index)) };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      for (const undo of this.#undo.reverse()) undo();
      return { refusal: error };
    }
  }

  #add(job: NewJob, index: number): Reply {
    const twin = this.#byId.get(job.id);
    if (twin !== undefined) return meetTwin(job, twin, index);
    const holder = job.idempotencyKey === null ? undefined : this.#byKey.get(job.idempotencyKey);
    if (holder === undefined || holder.state === null) return this.#insert(job, index, true);
    const encounter = meetByKey(job, { ...holder.identity, state: holder.state });
    if (encounter === 'store') return this.#insert(job, index, false);
    if (encounter === 'duplicate') return duplicateOf(holder);
    if (encounter === 'replace') return this.#replace(job, holder);
    throw clashOf(encounter, job, holder.identity, `#/jobs/${index}`);
  }

  #insert(job: NewJob, index: number, mayHoldKey: boolean): Reply {
    this.#makeQueue(job.queue, index);
    const holdsKey = mayHoldKey && job.idempotencyKey !== null;
    this.#set(this.inserted, job.id, { job, holdsKey, version: 1 });
    const known = knownNew(job, 1);
    this.#know(known, holdsKey);
    return now => ({ job: known.job(now), duplicate: false });
  }

  #makeQueue(name: string, index: number): void {
    if (!this.#unknownQueues.has(name) || this.#queuesToMake.has(name)) return;
    if (this.#queuesToMake.size >= this.#room) throw queueTooMany(name, { pointer: `#/jobs/${index}/queue` });
    this.#set(this.#queuesToMake, name, true);
  }

  #replace(by: NewJob, holder: Known): Reply {
    const { id } = holder.identity;
    const known = holder.row === null ? this.#replaceNew(by, id) : this.#replaceStored(by, holder.row);
    this.#know(known, true);
    return duplicateOf(known);
  }

  #replaceNew(by: NewJob, id: string): Known {
    const before = this.inserted.get(id);
    if (before === undefined) throw new Error(`job ${id} is neither new nor stored`);
    const { payload, payloadHash, priority, due } = by;
    const job = { ...before.job, payload, payloadHash, priority, due };
    const version = before.version + 1;
    this.#set(this.inserted, id, { ...before, job, version });
    return knownNew(job, version);
  }

  #replaceStored(by: NewJob, row: JobRow): Known {
    const times = (this.replaced.get(row.id)?.times ?? 0) + 1;
    this.#set(this.replaced, row.id, { id: row.id, by, times });
    const { identity, state } = knownFrom(row);
    const job = (now: number) => jobFromRow(replacedRow(row, by, { now, times }), now);
    return { identity: { ...identity, payloadHash: by.payloadHash }, state, job, row };
  }

  #know(known: Known, holdsKey: boolean): void {
    this.#set(this.#byId, known.identity.id, known);
    const { idempotencyKey } = known.job(0);
    if (holdsKey && idempotencyKey !== null) this.#set(this.#byKey, idempotencyKey, known);
  }

  #set<Value>(map: Map<string, Value>, key: string, value: Value): void {
    const before = map.get(key);
    this.#undo.push(() => (before === undefined ? map.delete(key) : map.set(key, before)));
    map.set(key, value);
  }
}

function meetTwin(job: NewJob, twin: Known, index: number): Reply {
  const encounter = meetById(job, twin.identity);
  if (encounter === 'duplicate') return duplicateOf(twin);
  throw clashOf(encounter, job, twin.identity, `#/jobs/${index}`);
}

function duplicateOf(known: Known): Reply {
  return now => ({ job: known.job(now), duplicate: true });
}

function knownNew(job: NewJob, version: number): Known {
  return { identity: job, state: 'pending', job: now => ({ ...jobJustStored(job, now), version }), row: null };
}

function knownFrom(row: JobRow): Known {
  const { id, queue, type, payload_hash: payloadHash, creator_key_id: creatorKeyId } = row;
  const state = row.place === 'hot' ? (HOT_STATES[row.status ?? 0] ?? 'processing') : null;
  return { identity: { id, queue, type, payloadHash, creatorKeyId }, state, job: now => jobFromRow(row, now), row };
}

/** All but payload, priority and due time stay; its age counts from the new due time. */
function replacedRow(row: JobRow, by: NewJob, { now, times }: { now: number; times: number }): JobRow {
  const dueAt = dueInstant(by.due, now);
  const version = row.version + times;
  const timed = { due_at: dueAt, first_due_at: dueAt, version, updated_at: now };
  return { ...row, ...timed, priority: by.priority, payload_hash: by.payloadHash };
}
