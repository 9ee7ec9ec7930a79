// Owns the claim: due jobs taken under fresh leases, and what a claiming node wants to know besides.
import type { CircuitEvent } from '../../domain/circuit.ts';
import { CATCH_ALL } from '../../domain/handler.ts';
import type { CancelRequest, ClaimRequest } from '../../ports/store.ts';
import { CLAIMED_COLUMNS, type ClaimedValues } from '../claimed-rows.ts';
import { FETCHED, PROCESSING } from '../rows.ts';
import { Budget, chooseHeads, type Head, type Lane } from './heads.ts';
import type { Parcel } from './parcel.ts';
import { promote } from './promote.ts';
import { claimedBefore } from './replayed-claim.ts';
import type { Session } from './session.ts';
import { UP_TO } from './statements.ts';

/** Each further read is twice as long, so that passing over what was read before costs no more than the reading. */
const LANES_FIRST_READ = 200;

/** Lanes with ready work in the order of their heads, without those whose queue is stopped or full or that no handler serves. */
const LANES = `
  SELECT lanes.queue, lanes.type, handlers.type, handlers.schema IS NOT NULL,
    queues.max_workers - stats.fetched - stats.processing, queues.execution_timeout_ms,
    lanes.head_priority, lanes.head_due_at
  FROM lanes INDEXED BY lanes_head
  CROSS JOIN queues ON queues.name = lanes.queue
  CROSS JOIN stats_summary AS stats ON stats.queue = lanes.queue
  CROSS JOIN handlers ON handlers.type = coalesce(
    (SELECT own.type FROM handlers AS own WHERE own.type = lanes.type), '${CATCH_ALL}')
  WHERE lanes.ready > 0 AND queues.is_paused = 0 AND queues.is_active = 1
    AND (queues.max_workers IS NULL OR queues.max_workers > stats.fetched + stats.processing)
    AND handlers.type NOT IN (SELECT value FROM json_each(?))
  ORDER BY lanes.head_priority DESC, lanes.head_due_at ${UP_TO} OFFSET CAST(? AS INTEGER)`;

const READ = `SELECT ${CLAIMED_COLUMNS.join(', ')}, payload FROM jobs_hot WHERE seq = ?`;

const FETCH = `
  UPDATE jobs_hot SET status = ${FETCHED}, worker_id = ?, lease_id = ?, circuit_epoch = ?, version = version + 1,
    updated_at = ?
  WHERE seq = ?`;

const START = `
  UPDATE jobs_hot SET status = ${PROCESSING}, worker_id = ?, lease_id = ?, circuit_epoch = ?, version = version + 1,
    updated_at = ?, attempts = attempts + 1, started_at = ?, heartbeat_at = ?
  WHERE seq = ?`;

const NEXT_DUE = 'SELECT due_at FROM jobs_hot INDEXED BY hot_due WHERE promoted = 0 ORDER BY due_at LIMIT 1';

const CANCEL_REQUESTS = `
  SELECT id, lease_id, cancel_requested_by FROM jobs_hot INDEXED BY hot_cancel
  WHERE worker_id = ? AND cancel_requested_by IS NOT NULL AND status = ${PROCESSING}`;

const REVISIONS = `
  SELECT (SELECT value FROM revisions WHERE name = 'handlers'), (SELECT value FROM revisions WHERE name = 'queues'),
    (SELECT value FROM revisions WHERE name = 'settings')`;

/** The payload of the n-th job is the n-th part of the parcel. */
export interface ClaimAnswer {
  readonly jobs: readonly ClaimedAnswer[];
  readonly now: number;
  readonly nextDueAt: number | null;
  readonly circuitEvents: readonly CircuitEvent[];
  readonly cancelRequests: readonly CancelRequest[];
  readonly handlersRevision: number;
  readonly queuesRevision: number;
  readonly settingsRevision: number;
}

/** The row as it was before the claim, and what the claim made of it. */
export type ClaimedAnswer = readonly [
  values: ClaimedValues,
  leaseId: string,
  isStarted: boolean,
  queueTimeoutMs: number | null,
  circuitEpoch: number,
];

/** The id is the asker's: should the answer be lost, what was claimed is found under it. */
export interface ClaimInput extends ClaimRequest {
  readonly claimId: string;
}

export function claim(session: Session, request: ClaimInput): Parcel<ClaimAnswer> {
  const before = claimedBefore(session, request);
  if (before !== null) {
    const { jobs, parts, at } = before;
    return { body: { jobs, now: at, circuitEvents: [], ...news(session, request) }, parts };
  }
  session.flush();
  if (promote(session)) session.flush();
  const parts: Uint8Array[] = [];
  const heads = choose(session, request);
  const { epochs, circuitEvents } = enterCircuits(session, heads);
  const jobs = heads.map((head, index) => {
    const circuitEpoch = epochs.get(head.lane.handler) ?? 0;
    return take(session, request, { ...head, circuitEpoch, leaseId: `${request.claimId}.${index}` }, parts);
  });
  return { body: { jobs, now: session.now, circuitEvents, ...news(session, request) }, parts };
}

/** What the node wants to know besides. */
function news(session: Session, { owner }: ClaimInput) {
  const [handlersRevision = 0, queuesRevision = 0, settingsRevision = 0] =
    session.row<[number, number, number]>(REVISIONS) ?? [];
  const cancelRequests = session
    .rows<[string, string, string]>(CANCEL_REQUESTS, owner)
    .map(([jobId, leaseId, by]) => ({ jobId, leaseId, by }));
  return { nextDueAt: nextWakeAt(session), cancelRequests, handlersRevision, queuesRevision, settingsRevision };
}

/** The epoch in which each handler's jobs are claimed; claiming out of an open circuit is what makes a probe. */
function enterCircuits(session: Session, heads: readonly Head[]) {
  const epochs = new Map<string, number>();
  const circuitEvents: CircuitEvent[] = [];
  for (const { lane } of heads) {
    if (epochs.has(lane.handler)) continue;
    const { epoch, event } = session.circuits.claimed(lane.handler, session.now);
    epochs.set(lane.handler, epoch);
    if (event !== null) circuitEvents.push(event);
  }
  return { epochs, circuitEvents };
}

function nextWakeAt(session: Session): number | null {
  const [dueAt = null] = session.row<[number]>(NEXT_DUE) ?? [];
  const admissionAt = session.circuits.nextAdmissionAt(session.now);
  if (dueAt === null || admissionAt === null) return dueAt ?? admissionAt;
  return Math.min(dueAt, admissionAt);
}

/** Further lanes are read only while slots are left; they start with less urgent work. */
function choose(session: Session, request: ClaimRequest): readonly Head[] {
  const budget = new Budget(request, handler => session.circuits.admitted(handler, session.now));
  const chosen: Head[] = [];
  const blocked = JSON.stringify(blockedHandlers(session, request));
  let limit = LANES_FIRST_READ;
  for (let offset = 0; budget.left > 0; offset += limit, limit = offset) {
    const lanes = session.rows<LaneValues>(LANES, blocked, limit, offset).map(laneFrom);
    chosen.push(...chooseHeads(session, lanes, budget));
    if (lanes.length < limit) break;
  }
  return chosen;
}

/** Handlers of which nothing may be claimed now: one of them can serve any number of lanes. */
function blockedHandlers(session: Session, { perHandler }: ClaimRequest): readonly string[] {
  const full = Object.entries(perHandler).flatMap(([type, room]) => (room > 0 ? [] : [type]));
  return [...full, ...session.circuits.closedTo(session.now)];
}

type LaneValues = readonly [
  queue: string,
  type: string,
  handler: string,
  handlerHasSchema: number,
  queueRoom: number | null,
  queueTimeoutMs: number | null,
  headPriority: number,
  headDueAt: number,
];

function laneFrom(values: LaneValues): Lane {
  const [queue, type, handler, handlerHasSchema, queueRoom, queueTimeoutMs, headPriority, headDueAt] = values;
  return {
    queue,
    type,
    handler,
    handlerHasSchema: handlerHasSchema === 1,
    queueRoom,
    queueTimeoutMs,
    headPriority,
    headDueAt,
  };
}

/** A claim's id with the job's place in it is a lease that nobody else ever had. */
interface Leased extends Head {
  readonly leaseId: string;
  readonly circuitEpoch: number;
}

/** A job that must be checked before its start (payload against a schema, result claim) is only fetched. */
function take(session: Session, request: ClaimRequest, head: Leased, parts: Uint8Array[]): ClaimedAnswer {
  const { lane, seq, leaseId, circuitEpoch } = head;
  const row = session.row<unknown[]>(READ, seq);
  if (row === undefined) throw new Error('a chosen row vanished inside a transaction');
  parts.push(row.pop() as Uint8Array);
  const values = row as unknown as ClaimedValues;
  const hasResultClaim = values[7] !== null && values[8] !== null;
  const isStarted = request.start && !lane.handlerHasSchema && !hasResultClaim;
  const { now } = session;
  if (isStarted) session.run(START, request.owner, leaseId, circuitEpoch, now, now, now, seq);
  else session.run(FETCH, request.owner, leaseId, circuitEpoch, now, seq);
  session.counters.move(
    { queue: lane.queue, type: lane.type, dueAt: head.dueAt },
    'pending',
    isStarted ? 'processing' : 'fetched',
  );
  return [values, leaseId, isStarted, lane.queueTimeoutMs, circuitEpoch];
}
