// Owns the edit of a job that has not started: what the operator names is changed, everything else stays.
import type { Change, JobEdits } from '../../domain/lifecycle.ts';
import { dueInstant, PENDING, tagsText } from '../rows.ts';
import { type HotRow, placeOf, waitingPlace } from './hot-row.ts';
import type { Session } from './session.ts';
import type { Value } from './statements.ts';

/** Whoever had fetched it loses it. A new due time of a job that never ran is also where its age counts from. */
const EDIT = `
  UPDATE jobs_hot SET status = ${PENDING}, worker_id = NULL, lease_id = NULL,
    promoted = ?, due_at = ?, first_due_at = CASE WHEN ? AND attempts = 0 THEN ? ELSE first_due_at END,
    payload = coalesce(?, payload), priority = coalesce(?, priority), tags = CASE WHEN ? THEN ? ELSE tags END,
    changed_by = ?, version = version + 1, updated_at = ?
  WHERE seq = ?`;

export type Edited = Extract<Change, { readonly to: 'resurrected' | 'edited' }>;

export function edit(session: Session, row: HotRow, { edits, by }: Edited): void {
  const { now } = session;
  const dueAt = edits.due === undefined ? row.dueAt : dueInstant(edits.due, now);
  const place = waitingPlace(dueAt, now);
  const isDue = place === 'pending' ? 1 : 0;
  const hasDue = edits.due === undefined ? 0 : 1;
  session.run(EDIT, isDue, dueAt, hasDue, dueAt, ...contentOf(edits), by, now, row.seq);
  session.counters.move(row, placeOf(row), null);
  session.counters.move({ ...row, dueAt }, null, place);
}

/** Payload and priority (null = as stored), whether tags are given, and the tags. */
export function contentOf({ payload, priority, tags }: JobEdits): readonly [Value, Value, number, string | null] {
  return [payload ?? null, priority ?? null, tags === undefined ? 0 : 1, tags === undefined ? null : tagsText(tags)];
}
