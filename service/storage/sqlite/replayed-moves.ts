// Owns how moves that a lost try has made are recognised, so that whoever made them is not told that he lost.
import type { Change, Transition } from '../../domain/lifecycle.ts';
import type { Applied } from '../../ports/store.ts';
import { type JobRow, PENDING, PROCESSING } from '../rows.ts';
import { findJob, rowFromValues } from './get.ts';
import type { Session } from './session.ts';

/** The answers of this try, but for moves that did not hold because an earlier one had made them. */
export function recognised(
  session: Session,
  transitions: readonly Transition[],
  applied: readonly Applied[],
): readonly Applied[] {
  if (!session.replay.isPossible) return applied;
  return applied.map((one, at) => {
    const transition = transitions[at];
    if (one.held || one.why !== 'lost' || transition === undefined) return one;
    return madeBefore(session, transition) ?? one;
  });
}

function madeBefore(session: Session, { jobId, change, guard }: Transition): Applied | null {
  const values = findJob(session, jobId);
  if (values === null) return change.to === 'gone' ? vanished(session, jobId) : null;
  const row = rowFromValues(values);
  if (!isWhere(row, change) || !session.replay.isOwn(row.updated_at)) return null;
  if (change.to === 'processing' && row.lease_id !== guard.leaseId) return null;
  if (!session.replay.isFirstOf(jobId)) return null;
  const { queue, type, started_at: startedAt, due_at: dueAt, updated_at: at } = row;
  const held = { held: true, at, queue, type } as const;
  if (change.to !== 'processing') return { ...held, startedAt: row.place === 'hot' ? null : startedAt };
  const tookClaim = row.idempotency_key !== null && row.result_ttl_ms !== null;
  return { ...held, startedAt: null, started: { dueAt, tookClaim } };
}

/** Who read the job just before and finds it nowhere has deleted it himself, unless somebody else did in this very second. */
function vanished(session: Session, jobId: string): Applied | null {
  const held = { held: true, at: session.now, queue: '', type: '', startedAt: null } as const;
  return session.replay.isFirstOf(jobId) ? held : null;
}

function isWhere({ place, status, failure_reason: reason }: JobRow, change: Change): boolean {
  switch (change.to) {
    case 'processing':
      return place === 'hot' && status === PROCESSING;
    case 'pending':
    case 'resurrected':
      return place === 'hot' && status === PENDING;
    case 'edited':
      return place === 'dlq' || (place === 'hot' && status === PENDING);
    case 'succeeded':
      return place === 'archive';
    case 'dead':
      return place === 'dlq' && reason === change.reason;
    default:
      return false;
  }
}
