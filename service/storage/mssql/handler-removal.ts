// Owns the removal of a handler: refused while its jobs need it, or forced, with an operation for the jobs that nobody takes then.
import { CATCH_ALL } from '../../domain/handler.ts';
import type { NewRejection, Operation } from '../../ports/operations.ts';
import { ADVANCE_CIRCUITS } from './circuit-copy.ts';
import { getOperation } from './operations.ts';
import { ADVANCE_HANDLERS } from './revisions.ts';
import type { Session } from './session.ts';

const TYPE_IN_USE = `
  EXISTS (SELECT 1 FROM chokaq.lanes WHERE type = @type AND ready + scheduled + fetched + processing > 0)
  OR EXISTS (SELECT 1 FROM chokaq.jobs_dlq WHERE type = @type)`;

const CATCH_ALL_IN_USE = `
  EXISTS (SELECT 1 FROM chokaq.lanes l WHERE l.ready + l.scheduled + l.fetched + l.processing > 0
    AND NOT EXISTS (SELECT 1 FROM chokaq.handlers h WHERE h.type = l.type))
  OR EXISTS (SELECT 1 FROM chokaq.jobs_dlq j WHERE NOT EXISTS (SELECT 1 FROM chokaq.handlers h WHERE h.type = j.type))`;

/** Of one type, or of all types, the waiting jobs that no handler takes. */
const ORPHANS = `
  SELECT @orphans = COALESCE(SUM(l.ready + l.scheduled + l.fetched), 0) FROM chokaq.lanes l
  WHERE (@type = '${CATCH_ALL}' OR l.type = @type)
    AND NOT EXISTS (SELECT 1 FROM chokaq.handlers h WHERE h.type = l.type OR h.type = '${CATCH_ALL}');`;

/** Also for what is left of an earlier removal, or came back since. What is enqueued from the next millisecond on waits for a handler to come, as whoever enqueues it has been told. */
const BEGIN_REJECTION = `
  IF @outcome = 'removed' OR @type <> '${CATCH_ALL}' ${ORPHANS}
  IF @orphans > 0
    INSERT INTO chokaq.operations (id, action, filter, mark, total, started_by, owner, started_at, moved_at)
    VALUES (@id, 'reject', @before_created + CAST(@now + 1 AS NVARCHAR(20)) + '}', 0, @orphans, @by, @owner, @now, @now);`;

const remove = (inUse: string, then: string) => ({
  work: `
    DECLARE @outcome VARCHAR(10) = 'absent';
    DECLARE @orphans BIGINT = 0;
    IF EXISTS (SELECT 1 FROM chokaq.handlers WHERE type = @type)
      SET @outcome = CASE WHEN @force = 0 AND (${inUse}) THEN 'in-use' ELSE 'removed' END;
    IF @outcome = 'removed'
    BEGIN
      DELETE FROM chokaq.handlers WHERE type = @type;
      DELETE FROM chokaq.circuits WHERE type = @type;
      ${ADVANCE_HANDLERS}
      ${ADVANCE_CIRCUITS}
    END
    ${then}`,
  answer: 'SELECT @outcome AS outcome, @orphans AS orphans;',
});

const REMOVE = remove(TYPE_IN_USE, '');
const REMOVE_CATCH_ALL = remove(CATCH_ALL_IN_USE, '');
const REMOVE_BY_FORCE = remove('1 = 0', BEGIN_REJECTION);

export interface RemoveInput {
  readonly type: string;
  readonly force: boolean;
  readonly rejection?: NewRejection | undefined;
}

export type Removal = 'removed' | 'absent' | 'in-use' | Operation;

interface Outcome {
  readonly outcome: Exclude<Removal, Operation>;
  readonly orphans: number;
}

export async function removeHandler(session: Session, input: RemoveInput): Promise<Removal> {
  const { type, force, rejection } = input;
  const isRejecting = force && rejection !== undefined;
  const gentle = type === CATCH_ALL ? REMOVE_CATCH_ALL : REMOVE;
  const values = { type, force: force ? 1 : 0, ...(isRejecting && rejectionValues(type, rejection)) };
  const answer = await session.write('removeHandler', isRejecting ? REMOVE_BY_FORCE : gentle, values);
  const { outcome, orphans } = answer.row<Outcome>() ?? { outcome: 'absent', orphans: 0 };
  if (!isRejecting || orphans === 0) return outcome;
  return (await getOperation(session, rejection.id)) ?? outcome;
}

/** The filter is completed on the server, whose time it is. */
function rejectionValues(type: string, { id, by, owner }: NewRejection) {
  const filter = JSON.stringify(type === CATCH_ALL ? {} : { type }).slice(0, -1);
  return { id, by, owner, before_created: `${filter}${filter === '{' ? '' : ','}"createdBefore":` };
}
