// Owns how new jobs are stored: one statement for a newcomer, and the rules of identity for those that meet a stored job.
import { clashOf, meetById, meetByKey, type Newcomer } from '../../domain/idempotency.ts';
import type { OnConflict } from '../../domain/job.ts';
import { dueInstant, HOT_STATES } from '../rows.ts';
import { findJob, type RowValues, rowFromValues } from './get.ts';
import { type Parcel, plain } from './parcel.ts';
import { createQueue, refuseQueueTooMany } from './queues.ts';
import type { Session } from './session.ts';

const ENDED = 'ended';
const NEW_QUEUE = 'new queue';

/** What a new job meets before the hot table; for nearly all of them no row. */
const OBSTACLE = `
  SELECT '${ENDED}' FROM jobs_archive WHERE id = ?
  UNION ALL SELECT '${ENDED}' FROM jobs_dlq WHERE id = ?
  UNION ALL SELECT '${NEW_QUEUE}' WHERE NOT EXISTS (SELECT 1 FROM queues WHERE name = ?)`;

/** Stores nothing when a hot job has the same id, or holds the same key. */
const INSERT = `
  INSERT INTO jobs_hot (
    id, queue, type, priority, max_attempts, overrides, tags, idempotency_key, result_ttl_ms,
    created_by, creator_key_id, traceparent, tracestate,
    status, promoted, holds_key, attempts, round, version,
    due_at, first_due_at, created_at, updated_at, payload_hash, payload)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 0, 1, 1, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`;

const FIND_KEY_HOLDER = `
  SELECT id, queue, type, payload_hash, creator_key_id, status FROM jobs_hot INDEXED BY hot_key
  WHERE idempotency_key = ? AND idempotency_key IS NOT NULL AND holds_key = 1`;

const REPLACE = `
  UPDATE jobs_hot SET priority = ?, promoted = ?, due_at = ?, first_due_at = ?, version = version + 1, updated_at = ?,
    payload_hash = ?, payload = ?
  WHERE id = ?`;

const FIND_DUE = 'SELECT due_at, promoted FROM jobs_hot WHERE id = ?';

type KeyHolder = readonly [
  id: string,
  queue: string,
  type: string,
  payloadHash: Uint8Array,
  creatorKeyId: string | null,
  status: number,
];

/** A new job as values; the payload and payload hash of the n-th are parts 2n and 2n + 1 of the parcel. */
export type NewJobValues = readonly [
  id: string,
  queue: string,
  type: string,
  priority: number,
  maxAttempts: number | null,
  overrides: string | null,
  tags: string | null,
  idempotencyKey: string | null,
  resultTtlMs: number | null,
  createdBy: string | null,
  creatorKeyId: string | null,
  traceparent: string | null,
  tracestate: string | null,
  onConflict: OnConflict,
  dueAt: number | null,
  dueInMs: number,
  seesAll: boolean,
];

/** Null = stored as new, by this try or a lost one; else the stored job that this one duplicates. `now` is the time of storing. */
export interface InsertAnswer {
  readonly now: number;
  readonly duplicates: readonly (RowValues | null)[];
}

interface Newcoming extends Newcomer {
  readonly idempotencyKey: string | null;
  readonly dueAt: number;
  readonly payload: Uint8Array;
  readonly values: NewJobValues;
  readonly index: number;
}

export function insert(
  session: Session,
  jobs: readonly NewJobValues[],
  parts: readonly Uint8Array[],
): Parcel<InsertAnswer> {
  const store = () => jobs.map((values, index) => insertOne(session, newcoming(session, values, parts, index)));
  const met = jobs.length === 1 ? store() : session.refusable(store);
  const before = met.find(one => one instanceof StoredBefore);
  return plain({
    now: before?.at ?? session.now,
    duplicates: met.map(one => (one instanceof StoredBefore ? null : one)),
  });
}

function newcoming(session: Session, values: NewJobValues, parts: readonly Uint8Array[], index: number): Newcoming {
  const [payload, payloadHash] = [parts[2 * index], parts[2 * index + 1]];
  if (payload === undefined || payloadHash === undefined) throw new Error('a new job came without its payload');
  return {
    id: values[0],
    queue: values[1],
    type: values[2],
    idempotencyKey: values[7],
    creatorKeyId: values[10],
    seesAll: values[16],
    onConflict: values[13],
    dueAt: dueInstant(values[14] === null ? { inMs: values[15] } : { at: values[14] }, session.now),
    payload,
    payloadHash,
    values,
    index,
  };
}

/** A job that a lost try of this very call has stored: new to its producer. All of one call are stored together. */
class StoredBefore {
  readonly at: number;

  constructor(at: number) {
    this.at = at;
  }
}

type Met = RowValues | StoredBefore | null;

/** The checks come before the first write, so that a refusal of a single job has nothing to take back. */
function insertOne(session: Session, job: Newcoming): Met {
  const [obstacle] = session.row<[string]>(OBSTACLE, job.id, job.id, job.queue) ?? [];
  const isNewQueue = obstacle === NEW_QUEUE;
  if (isNewQueue) refuseQueueTooMany(session, job.queue, { pointer: `#/jobs/${job.index}/queue` });
  if (obstacle !== ENDED && storeNew(session, job, true, isNewQueue)) return null;
  return meetSameId(session, job) ?? meetKeyHolder(session, job, isNewQueue);
}

function storeNew(session: Session, job: Newcoming, mayHoldKey: boolean, isNewQueue: boolean): boolean {
  const { now } = session;
  const { values: v, id, queue, type, dueAt, idempotencyKey: key } = job;
  const isDue = dueAt <= now ? 1 : 0;
  const holdsKey = mayHoldKey && key !== null ? 1 : 0;
  // biome-ignore format: the order of the columns of INSERT
  const stored = session.run(
    INSERT,
    id, queue, type, v[3], v[4], v[5], v[6], key, v[8], v[9], v[10], v[11], v[12],
    isDue, holdsKey, dueAt, dueAt, now, now, job.payloadHash, job.payload,
  );
  if (stored === 0) return false;
  if (isNewQueue) createQueue(session, queue);
  session.counters.move(job, null, isDue ? 'pending' : 'scheduled');
  session.counters.enqueued(queue);
  return true;
}

function meetSameId(session: Session, job: Newcoming): Met {
  const values = findJob(session, job.id);
  if (values === null) return null;
  const stored = rowFromValues(values);
  const encounter = meetById(job, {
    ...stored,
    payloadHash: stored.payload_hash,
    creatorKeyId: stored.creator_key_id,
  });
  if (encounter === 'duplicate') {
    const { created_at: at } = stored;
    return session.replay.isOwn(at) && session.replay.isFirstOf(job.id) ? new StoredBefore(at) : values;
  }
  throw clashOf(encounter, job, { id: job.id, creatorKeyId: stored.creator_key_id }, pointerTo(job));
}

function meetKeyHolder(session: Session, job: Newcoming, isNewQueue: boolean): RowValues | null {
  const found = session.row<KeyHolder>(FIND_KEY_HOLDER, job.idempotencyKey);
  if (found === undefined) throw new Error(`job ${job.id} was neither stored nor found`);
  const [id, queue, type, payloadHash, creatorKeyId, status] = found;
  const state = HOT_STATES[status] ?? 'processing';
  const encounter = meetByKey(job, { queue, type, payloadHash, creatorKeyId, state });
  if (encounter === 'store') {
    storeNew(session, job, false, isNewQueue);
    return null;
  }
  if (encounter === 'replace') replace(session, job, id);
  else if (encounter !== 'duplicate') throw clashOf(encounter, job, { id, creatorKeyId }, pointerTo(job));
  return findJob(session, id);
}

/** The stored job keeps all but its payload, priority and due time; its age counts from the new due time. */
function replace(session: Session, job: Newcoming, id: string): void {
  const { values, dueAt } = job;
  const before = session.row<[number, number]>(FIND_DUE, id);
  if (before === undefined) throw new Error(`job ${id} vanished inside a transaction`);
  const [oldDueAt, wasPromoted] = before;
  const isDue = dueAt <= session.now ? 1 : 0;
  session.run(REPLACE, values[3], isDue, dueAt, dueAt, session.now, job.payloadHash, job.payload, id);
  session.counters.move({ ...job, dueAt: oldDueAt }, wasPromoted ? 'pending' : 'scheduled', null);
  session.counters.move(job, null, isDue ? 'pending' : 'scheduled');
}

function pointerTo({ index }: Newcoming): string {
  return `#/jobs/${index}`;
}
