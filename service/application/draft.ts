// Owns the making of a storable job from what a producer posted: defaults, limits, due time, and every fault with its place.
import { hash } from 'node:crypto';
import { v7 } from 'uuid';
import { parseInstant } from '../domain/instant.ts';
import { DEFAULT_PRIORITY, DEFAULT_QUEUE, LIMITS, type NewJob, type OnConflict } from '../domain/job.ts';
import { type AttemptLimitsDraft, readAttemptLimits } from './attempt-limits.ts';
import type { Faults } from './faults.ts';
import { type Range, readDuration, readLabel, readName } from './values.ts';

const JOB_ID = /^[A-Za-z0-9_:-]{1,50}$/;
/** Words that stand beside `{id}` in addresses. */
const RESERVED_IDS = new Set(['batch', 'cancel', 'errors', 'preview', 'resurrect', 'purge']);
const DELAY: Range = { min: 0, max: LIMITS.delayMs };
const RESULT_TTL: Range = { min: LIMITS.resultTtlMinMs, max: LIMITS.resultTtlMaxMs };

/** A job as posted: texts are untrimmed, durations and instants are texts, the payload is its exact bytes. */
export interface JobDraft extends Pick<AttemptLimitsDraft, 'maxAttempts' | 'timeout' | 'retry'> {
  readonly type: string;
  readonly payload: Uint8Array;
  readonly id?: string;
  readonly queue?: string;
  readonly priority?: number;
  readonly delay?: string;
  readonly runAt?: string;
  readonly idempotencyKey?: string;
  readonly resultTtl?: string;
  readonly onConflict?: OnConflict;
  readonly tags?: readonly string[];
  readonly createdBy?: string;
}

/** Who posts, and under which trace. */
export interface Producer {
  readonly name: string | null;
  readonly keyId: string | null;
  /** Whether it may read the jobs of others. */
  readonly seesAll: boolean;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

/** `at` points to the draft in the request; `now` is the database's time, epoch ms. */
export interface Reading {
  readonly at: string;
  readonly now: number;
  readonly maxPayloadBytes: number;
  readonly producer: Producer;
  readonly faults: Faults;
}

export function readDraft(draft: JobDraft, reading: Reading): NewJob {
  const { at, faults, producer } = reading;
  checkPayloadSize(draft.payload, reading);
  const { traceparent, tracestate } = producer;
  return {
    id: draft.id === undefined ? v7() : readId(draft.id, reading),
    queue: draft.queue === undefined ? DEFAULT_QUEUE : readName(draft.queue, LIMITS.nameLength, `${at}/queue`, faults),
    type: readName(draft.type, LIMITS.nameLength, `${at}/type`, faults),
    payload: draft.payload,
    payloadHash: hash('sha256', draft.payload, 'buffer'),
    tags: readTags(draft.tags, reading),
    priority: draft.priority ?? DEFAULT_PRIORITY,
    overrides: readAttemptLimits(draft, at, faults),
    ...readIdempotency(draft, reading),
    due: readDue(draft, reading),
    createdBy: readCreator(draft.createdBy, reading),
    creatorKeyId: producer.keyId,
    seesAll: producer.seesAll,
    traceparent,
    tracestate,
  };
}

export function checkPayloadSize(
  payload: Uint8Array,
  reading: Pick<Reading, 'at' | 'maxPayloadBytes' | 'faults'>,
): void {
  const { at, maxPayloadBytes, faults } = reading;
  if (payload.length <= maxPayloadBytes) return;
  faults.add(
    `${at}/payload`,
    `has ${payload.length} bytes; at most ${maxPayloadBytes} are allowed`,
    'payload-too-large',
  );
}

export function readTags(
  tags: readonly string[] | undefined,
  { at, faults }: Pick<Reading, 'at' | 'faults'>,
): readonly string[] {
  if (tags === undefined) return [];
  return tags.map((tag, index) => readLabel(tag, LIMITS.tagLength, `${at}/tags/${index}`, faults));
}

/** `undefined` when nothing was sent, or it was wrong. */
export function readDelay(
  delay: string | undefined,
  { at, faults }: Pick<Reading, 'at' | 'faults'>,
): number | undefined {
  return readDuration(delay, DELAY, `${at}/delay`, faults);
}

function readId(id: string, { at, faults }: Reading): string {
  if (!JOB_ID.test(id)) faults.add(`${at}/id`, 'must be 1 to 50 of A-Z a-z 0-9 _ : -');
  else if (RESERVED_IDS.has(id)) faults.add(`${at}/id`, 'is reserved');
  return id;
}

function readIdempotency(
  draft: JobDraft,
  { at, faults }: Reading,
): Pick<NewJob, 'idempotencyKey' | 'resultTtlMs' | 'onConflict'> {
  const { idempotencyKey: key, onConflict = 'refuse' } = draft;
  const idempotencyKey = key === undefined ? null : readName(key, LIMITS.nameLength, `${at}/idempotencyKey`, faults);
  const resultTtlMs = readDuration(draft.resultTtl, RESULT_TTL, `${at}/resultTtl`, faults) ?? null;
  if (draft.resultTtl !== undefined && key === undefined) faults.add(`${at}/resultTtl`, 'needs an idempotencyKey');
  if (onConflict === 'wait' && draft.resultTtl === undefined)
    faults.add(`${at}/resultTtl`, 'is needed for onConflict wait');
  return { idempotencyKey, resultTtlMs, onConflict };
}

function readDue(draft: JobDraft, reading: Reading): NewJob['due'] {
  const { at, faults, now } = reading;
  if (draft.runAt === undefined) return { inMs: readDelay(draft.delay, reading) ?? 0 };
  if (draft.delay !== undefined) faults.add(at, 'has both delay and runAt; send one of them');
  const runAt = parseInstant(draft.runAt);
  if (runAt === undefined)
    faults.add(`${at}/runAt`, 'is not an existing RFC 3339 instant with an offset, such as 2026-11-30T12:00:00Z');
  else if (runAt > now + LIMITS.delayMs) faults.add(`${at}/runAt`, 'is more than 10 years away');
  else if (runAt > now) return { at: runAt };
  return { inMs: 0 };
}

function readCreator(createdBy: string | undefined, { at, faults, producer }: Reading): string | null {
  if (createdBy === undefined) return producer.name;
  return readLabel(createdBy, LIMITS.createdByLength, `${at}/createdBy`, faults);
}
