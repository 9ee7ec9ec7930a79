// Owns promotion: delayed work whose time has come enters its lane, a few hundred rows at a time.
import { COUNT_PLACES, DUE_EPOCH, EXACT } from './counters.ts';

const ROWS_PER_CLAIM = 300;

/** Whether a claim would promote anything. */
export const IS_DUE = 'EXISTS (SELECT 1 FROM chokaq.jobs_hot WHERE promoted = 0 AND due_at <= @now)';

export const DECLARE_DUE = `
  DECLARE @due TABLE (seq BIGINT, queue NVARCHAR(510) ${EXACT}, type NVARCHAR(510) ${EXACT}, due_at BIGINT);`;

/** Leaves `@moves` empty. What is left over is due at once for the next claim. */
export const PROMOTE = `
  IF ${IS_DUE} BEGIN
    INSERT INTO @due
    SELECT TOP (${ROWS_PER_CLAIM}) seq, queue, type, due_at FROM chokaq.jobs_hot
    WHERE promoted = 0 AND due_at <= @now ORDER BY due_at;
    UPDATE chokaq.jobs_hot SET promoted = 1 FROM @due d WHERE d.seq = jobs_hot.seq AND jobs_hot.promoted = 0;
    INSERT INTO @moves (queue, type, ready, scheduled, due_sum)
    SELECT queue, type, COUNT(*), -COUNT(*), SUM(due_at - ${DUE_EPOCH}) FROM @due GROUP BY queue, type;
    ${COUNT_PLACES}
    DELETE FROM @moves;
  END`;
