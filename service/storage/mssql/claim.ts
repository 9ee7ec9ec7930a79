// Owns the claim: due jobs taken under fresh leases in one request, and what a claiming node wants to know besides.
import { randomUUID } from 'node:crypto';
import { type Circuit, type CircuitEvent, NO_LOAD } from '../../domain/circuit.ts';
import type { ClaimedJob } from '../../domain/job.ts';
import type { CancelRequest, Claim, ClaimRequest } from '../../ports/store.ts';
import type { CircuitSet } from '../circuit-set.ts';
import { CLAIMED_COLUMNS, type ClaimedValues, claimedJob } from '../claimed-rows.ts';
import { PROCESSING } from '../rows.ts';
import { CIRCUITS_MOVED, circuitSet, revisionsOf } from './circuit-copy.ts';
import { claimText } from './claim-text.ts';
import { isOvertaken } from './faults.ts';
import { admit } from './inbox.ts';
import { roomsFor } from './rooms.ts';
import { type Answer, overtakenIf, type Session } from './session.ts';

const GUARD = overtakenIf(CIRCUITS_MOVED);

/** What applications have committed meanwhile is taken over on the way, for the next claim, which is then due at once. */
export async function claim(session: Session, request: ClaimRequest): Promise<Claim> {
  const { claim, inbox, now } = await take(session, request);
  if (inbox === 0) return claim;
  await admit(session).catch((error: unknown) => {
    // The jobs that this claim has taken must reach their node.
    if (claim.jobs.length === 0) throw error;
  });
  return { ...claim, nextDueAt: now };
}

interface Taken extends Pick<ToldRow, 'inbox' | 'now'> {
  readonly claim: Claim;
}

function take(session: Session, request: ClaimRequest): Promise<Taken> {
  const claimId = randomUUID();
  let lost = 0;
  return session.decided('claim', async () => {
    try {
      return await claimOnce(session, request, { claimId, lost });
    } catch (error) {
      if (isOvertaken(error)) session.circuits.forget();
      else lost += 1;
      throw error;
    }
  });
}

interface Try {
  readonly claimId: string;
  /** How many tries ended without an answer: each of them may have been committed. */
  readonly lost: number;
}

/** By a copy of the circuits that was true when the transaction committed. */
async function claimOnce(session: Session, request: ClaimRequest, { claimId, lost }: Try): Promise<Taken> {
  const known = await session.circuits.known();
  const set = circuitSet(known);
  const { open, close, values } = roomsFor(request, set);
  const answer = await session.writeOnce(claimText(GUARD, open, close, lost > 0), {
    ...values,
    ...revisionsOf(known),
    owner: request.owner,
    limit: request.limit,
    per_type: request.perType,
    start: request.start ? 1 : 0,
    claim: claimId,
    // A late try of the same claim must not give the same leases to other jobs.
    lease: lost === 0 ? `${claimId}.` : `${claimId}.${lost}.`,
    is_retry: lost > 0 ? 1 : 0,
  });
  const { handlers, now } = probesOf(answer);
  const circuitEvents = handlers.map(handler => set.claimed(handler, now).event).filter(event => event !== null);
  // The copy goes with the revision that these probes have advanced.
  if (handlers.length > 0) session.circuits.keep({ ...known, circuits: set.moved, revision: known.revision + 1 });
  const { inbox } = toldBy(answer);
  return { claim: claimFrom(answer, set, circuitEvents), inbox, now };
}

function claimFrom(answer: Answer, set: CircuitSet, circuitEvents: readonly CircuitEvent[]): Claim {
  const told = toldBy(answer);
  const admissionAt = set.nextAdmissionAt(told.now, loadsFrom(answer));
  return {
    jobs: answer.rows<ClaimedRow>(1).toSorted(byPlace).map(jobFrom),
    nextDueAt: earlier(told.next_due_at, admissionAt),
    circuitEvents,
    cancelRequests: answer.rows<CancelRow>(2).map(cancelFrom),
    handlersRevision: told.handlers,
    queuesRevision: told.queues,
    settingsRevision: told.settings,
  };
}

function toldBy(answer: Answer): ToldRow {
  const told = answer.row<ToldRow>();
  if (told === undefined) throw new Error('a claim was not told the revisions');
  return told;
}

function probesOf(answer: Answer) {
  const handlers = answer.rows<{ handler: string }>(4).map(({ handler }) => handler);
  return { handlers, now: toldBy(answer).now };
}

function loadsFrom(answer: Answer) {
  const loads = new Map(answer.rows<LoadRow>(3).map(row => [row.handler, row]));
  return ({ type }: Circuit) => {
    const load = loads.get(type);
    return load === undefined ? NO_LOAD : { inFlight: load.in_flight ?? 0, oldestAt: load.oldest_at };
  };
}

function earlier(one: number | null, two: number | null): number | null {
  return one === null || two === null ? (one ?? two) : Math.min(one, two);
}

/** A lease ends with the job's place in the claim. */
function byPlace(one: ClaimedRow, two: ClaimedRow): number {
  return placeOf(one) - placeOf(two);
}

function placeOf({ lease_id }: ClaimedRow): number {
  return Number(lease_id.slice(lease_id.lastIndexOf('.') + 1));
}

function jobFrom(row: ClaimedRow): ClaimedJob {
  const isStarted = row.status === PROCESSING;
  // `claimedJob` counts a start on top of what the row said before.
  const before = { ...row, attempts: isStarted ? row.attempts - 1 : row.attempts };
  const values = CLAIMED_COLUMNS.map(column => before[column]) as unknown as ClaimedValues;
  return claimedJob(values, row.payload, {
    leaseId: row.lease_id,
    startedAt: isStarted ? row.started_at : null,
    queueTimeoutMs: row.timeout_ms,
    circuitEpoch: row.circuit_epoch,
  });
}

function cancelFrom(row: CancelRow): CancelRequest {
  return { jobId: row.id, leaseId: row.lease_id, by: row.cancel_requested_by };
}

interface ToldRow {
  readonly now: number;
  readonly next_due_at: number | null;
  readonly handlers: number;
  readonly queues: number;
  readonly settings: number;
  readonly inbox: number;
}

type ClaimedRow = { readonly [column in (typeof CLAIMED_COLUMNS)[number]]: string | number | null } & {
  readonly status: number;
  readonly lease_id: string;
  readonly circuit_epoch: number;
  readonly attempts: number;
  readonly started_at: number | null;
  readonly timeout_ms: number | null;
  readonly payload: Uint8Array;
};

interface CancelRow {
  readonly id: string;
  readonly lease_id: string;
  readonly cancel_requested_by: string;
}

interface LoadRow {
  readonly handler: string;
  readonly in_flight: number | null;
  readonly oldest_at: number | null;
}
