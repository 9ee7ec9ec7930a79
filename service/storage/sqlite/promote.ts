// Owns promotion: delayed work whose time has come enters its lane, a few hundred rows at a time.
import type { Session } from './session.ts';

const ROWS_PER_CLAIM = 300;

const PROMOTE = `
  UPDATE jobs_hot SET promoted = 1
  WHERE seq IN (
    SELECT seq FROM jobs_hot INDEXED BY hot_due WHERE promoted = 0 AND due_at <= ? ORDER BY due_at LIMIT ${ROWS_PER_CLAIM})
  RETURNING queue, type, due_at`;

/** Answers whether anything was promoted. What is left over is due at once for the next claim. */
export function promote(session: Session): boolean {
  const rows = session.rows<[string, string, number]>(PROMOTE, session.now);
  for (const [queue, type, dueAt] of rows) session.counters.move({ queue, type, dueAt }, 'scheduled', 'pending');
  return rows.length > 0;
}
