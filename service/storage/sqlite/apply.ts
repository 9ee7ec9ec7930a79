// Owns how transitions are applied: the guard is compared with the row in the same transaction, then the one move is made.
import type { Guard, Transition } from '../../domain/lifecycle.ts';
import type { Applied } from '../../ports/store.ts';
import { HOT_STATES, PENDING } from '../rows.ts';
import { edit } from './edit.ts';
import { type EndedRow, editDead, purge, remove, resurrect } from './ended-moves.ts';
import { bury, succeed } from './endings.ts';
import { giveBack, requestCancel, start } from './hot-moves.ts';
import { HELD_COLUMNS, type HotRow, hotRowFrom } from './hot-row.ts';
import { countAffected, endedOperations } from './operations.ts';
import { type Parcel, plain } from './parcel.ts';
import { recognised } from './replayed-moves.ts';
import { enterClaim } from './result-claims.ts';
import type { Session } from './session.ts';

const FIND_HOT = `SELECT ${HELD_COLUMNS} FROM jobs_hot WHERE id = ?`;
const FIND_ARCHIVED = 'SELECT seq, queue, type, round, version, NULL FROM jobs_archive WHERE id = ?';
const FIND_DEAD = 'SELECT seq, queue, type, round, version, error_family FROM jobs_dlq WHERE id = ?';
const QUEUE_RUNS = 'SELECT 1 FROM queues WHERE name = ? AND is_paused = 0 AND is_active = 1';

type Held = Extract<Applied, { readonly held: true }>;

const LOST: Applied = { held: false, why: 'lost', cancelRequestedBy: null };
const KEY_TAKEN: Applied = { held: false, why: 'key-taken', cancelRequestedBy: null };
const QUEUE_STOPPED: Applied = { held: false, why: 'queue-stopped', cancelRequestedBy: null };
const CIRCUIT_OPEN: Applied = { held: false, why: 'circuit-open', cancelRequestedBy: null };

const NOT_ADMITTED = {
  duplicate: { held: false, why: 'operation-done', cancelRequestedBy: null },
  postpone: { held: false, why: 'operation-held', cancelRequestedBy: null },
} as const satisfies Record<string, Applied>;

export function apply(session: Session, transitions: readonly Transition[]): Parcel<readonly Applied[]> {
  const ended = endedOperations(session, transitions);
  const applied = transitions.map(transition =>
    ended.has(transition.operationId ?? '') ? LOST : applyOne(session, transition),
  );
  countAffected(session, transitions, applied);
  return plain(recognised(session, transitions, applied));
}

function applyOne(session: Session, transition: Transition): Applied {
  const [from] = transition.guard.states;
  if (from === 'succeeded' || from === 'dead') return applyToEnded(session, transition, from);
  const values = session.row<unknown[]>(FIND_HOT, transition.jobId);
  if (values === undefined) return LOST;
  const row = hotRowFrom(transition.jobId, values);
  const refusal = refusalOf(session, row, transition.guard);
  if (refusal !== null) return refusal;
  const { change } = transition;
  if (change.to === 'processing') return startOne(session, row, transition, change.zombieTimeoutMs);
  moveHot(session, row, transition);
  const applied = held(session, row, row.startedAt !== null && isEnd(transition) ? row.startedAt : null);
  const circuitEvent = endsClaim(row, change) ? session.circuits.observed(row, transition.circuit, session.now) : null;
  return circuitEvent === null ? applied : { ...applied, circuitEvent };
}

function startOne(session: Session, row: HotRow, transition: Transition, zombieTimeoutMs: number): Applied {
  const admission = enterClaim(session, row, zombieTimeoutMs);
  if (admission.kind !== 'run') return NOT_ADMITTED[admission.kind];
  moveHot(session, row, transition);
  const started = { dueAt: row.dueAt, tookClaim: row.operation !== null };
  return { ...held(session, row, null), started };
}

function moveHot(session: Session, row: HotRow, transition: Transition): void {
  const { change } = transition;
  switch (change.to) {
    case 'processing':
      start(session, row);
      break;
    case 'pending':
      giveBack(session, row, change, transition.attempt ?? null);
      break;
    case 'succeeded':
      succeed(session, row, change);
      break;
    case 'dead':
      bury(session, row, change, transition.attempt ?? null);
      break;
    case 'edited':
      edit(session, row, change);
      break;
    case 'cancelRequested':
      requestCancel(session, row, change.by);
      break;
    default:
      throw new Error(`no move leads from the hot table to ${change.to}`);
  }
}

type EndedValues = readonly [
  seq: number,
  queue: string,
  type: string,
  round: number,
  version: number,
  family: number | null,
];

function applyToEnded(session: Session, transition: Transition, from: 'succeeded' | 'dead'): Applied {
  const { change, guard, jobId: id } = transition;
  const values = session.row<EndedValues>(from === 'dead' ? FIND_DEAD : FIND_ARCHIVED, id);
  if (values === undefined) return LOST;
  const [seq, queue, type, round, version, family] = values;
  const row: EndedRow = { id, seq, queue, type, family };
  if (isOther(guard.round, round) || isOther(guard.version, version) || guard.leaseId !== undefined) return LOST;
  if (from === 'succeeded') remove(session, row);
  else if (change.to === 'gone') purge(session, row);
  else if (change.to === 'edited') editDead(session, row, change);
  else if (change.to !== 'resurrected') throw new Error(`no move leads from dead to ${change.to}`);
  else if (!resurrect(session, row, change)) return KEY_TAKEN;
  return held(session, row, null);
}

/** Whose the row is comes first: a stranger is told no more than that. */
function refusalOf(session: Session, row: HotRow, guard: Guard): Applied | null {
  if (!guard.states.includes(HOT_STATES[row.status] ?? 'processing')) return LOST;
  if (isOther(guard.leaseId, row.leaseId) || isOther(guard.heartbeatAt, row.heartbeatAt)) return LOST;
  if (isOther(guard.round, row.round) || isOther(guard.version, row.version)) return LOST;
  if (guard.notCancelRequested && row.cancelRequestedBy !== null)
    return { held: false, why: 'cancel-requested', cancelRequestedBy: row.cancelRequestedBy };
  if (guard.queueRuns && session.row(QUEUE_RUNS, row.queue) === undefined) return QUEUE_STOPPED;
  if (guard.circuitAdmits && !session.circuits.mayStart(row.type, row.circuitEpoch)) return CIRCUIT_OPEN;
  return null;
}

function isOther<T>(expected: T | undefined, actual: T): boolean {
  return expected !== undefined && expected !== actual;
}

function isEnd({ change }: Transition): boolean {
  return change.to === 'succeeded' || change.to === 'dead' || change.to === 'pending';
}

/** Nobody holds the job any more, so whatever its circuit had admitted it for is over. */
function endsClaim(row: HotRow, { to }: Transition['change']): boolean {
  return row.status !== PENDING && to !== 'processing' && to !== 'cancelRequested';
}

function held(session: Session, { queue, type }: { queue: string; type: string }, startedAt: number | null): Held {
  return { held: true, at: session.now, queue, type, startedAt };
}
