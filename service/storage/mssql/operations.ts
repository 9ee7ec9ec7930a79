// Owns operations on many jobs: one row each, from its beginning to its retention, and the secret that signs previews.
import type { Advance, NewOperation, Operation, OperationFailure, OperationStore } from '../../ports/operations.ts';
import type { Cursor, Page } from '../../ports/store.ts';
import { type OperationRow, operationFrom } from '../operation-rows.ts';
import type { Answer, Session, Values, WriteText } from './session.ts';
import { markDead, surveyDead } from './survey.ts';

const READ_SECRET = "SELECT value FROM chokaq.secrets WHERE name = 'preview'";
const MAKE_SECRET = {
  work: `
    IF NOT EXISTS (SELECT 1 FROM chokaq.secrets WHERE name = 'preview')
      INSERT INTO chokaq.secrets (name, value) VALUES ('preview', @candidate);`,
  answer: `${READ_SECRET};`,
};

const SELECT = `
  id, action, filter, mark, total, last_failed_at, last_id, position_at, position_id, started_by, owner,
  affected, key_taken, no_handler, [schema], started_at, moved_at, failures, error, finished_at, ended
  FROM chokaq.operations`;
const GET = `SELECT ${SELECT} WHERE id = @id`;
const UNFINISHED_PAGE = 50;
const UNFINISHED = `
  SELECT TOP (${UNFINISHED_PAGE}) ${SELECT}
  WHERE finished_at IS NULL AND (started_at > @at OR (started_at = @at AND id > @id)) ORDER BY started_at, id`;

/** A change of one operation; answers whether it held, and the operation as it is then. */
function changing(change: string): WriteText {
  return {
    work: `DECLARE @held INT = 0; ${change} SET @held = @@ROWCOUNT;`,
    answer: `SELECT @held AS held; ${GET};`,
  };
}

const BEGIN = changing(`
  INSERT INTO chokaq.operations (
    id, action, filter, mark, total, last_failed_at, last_id, started_by, owner, started_at, moved_at)
  SELECT @id, @action, @filter, @mark, @total, @last_at, @last_id, @by, @owner, @now, @now
  WHERE NOT EXISTS (SELECT 1 FROM chokaq.operations WHERE id = @id);`);

const TAKE = changing(`
  UPDATE chokaq.operations SET owner = @owner, moved_at = @now
  WHERE id = @id AND finished_at IS NULL AND moved_at = @moved_at
    AND (owner = @seen_owner OR (owner IS NULL AND @seen_owner IS NULL));`);

const ADVANCE = changing(`
  UPDATE chokaq.operations SET position_at = @position_at, position_id = @position_id, key_taken = key_taken + @key_taken,
    no_handler = no_handler + @no_handler, [schema] = [schema] + @schema, failures = 0, error = NULL, moved_at = @now,
    finished_at = CASE WHEN @is_finished = 1 THEN @now END, ended = CASE WHEN @is_finished = 1 THEN 'finished' END
  WHERE id = @id AND owner = @owner AND finished_at IS NULL;`);

const FAIL = changing(`
  UPDATE chokaq.operations SET failures = failures + 1, error = @error, moved_at = @now,
    finished_at = CASE WHEN @is_last = 1 THEN @now END, ended = CASE WHEN @is_last = 1 THEN 'failed' END
  WHERE id = @id AND owner = @owner AND finished_at IS NULL;`);

const CANCEL = changing(`
  UPDATE chokaq.operations SET moved_at = @now, finished_at = @now, ended = 'cancelled' WHERE id = @id AND finished_at IS NULL;`);

const RELEASE = { work: 'UPDATE chokaq.operations SET owner = NULL WHERE finished_at IS NULL AND owner = @owner;' };

export function operationsOver(session: Session): OperationStore {
  const change = (verb: string, text: WriteText) => async (values: Values) => {
    const answer = await session.write(verb, text, values);
    return answer.row<{ readonly held: number }>()?.held === 1 ? operationIn(answer, 1) : null;
  };
  return {
    secret: candidate => secret(session, candidate),
    mark: () => markDead(session),
    survey: (filter, request) => surveyDead(session, filter, request),
    begin: operation => change('beginOperation', BEGIN)(beginning(operation)),
    get: id => getOperation(session, id),
    unfinished: after => unfinishedOperations(session, after),
    take: (seen, owner) => takeOperation(session, seen, owner),
    advance: batch => change('advanceOperation', ADVANCE)(advancing(batch)),
    fail: failure => change('failOperation', FAIL)(failing(failure)),
    cancel: id => change('cancelOperation', CANCEL)({ id }),
    release: async owner => void (await session.write('releaseOperations', RELEASE, { owner })),
  };
}

export async function getOperation(session: Session, id: string): Promise<Operation | null> {
  return operationIn(await session.read('getOperation', GET, { id }), 0);
}

function operationIn(answer: Answer, set: number): Operation | null {
  const row = answer.row<OperationRow>(set);
  return row === undefined ? null : operationFrom(row);
}

async function secret(session: Session, candidate: string): Promise<string> {
  const read = (answer: Answer) => answer.row<{ readonly value: string }>()?.value;
  const known = read(await session.read('readSecret', READ_SECRET));
  return known ?? read(await session.write('makeSecret', MAKE_SECRET, { candidate })) ?? candidate;
}

async function unfinishedOperations(session: Session, after: Cursor | null): Promise<Page<Operation>> {
  const answer = await session.read('unfinishedOperations', UNFINISHED, { at: after?.at ?? -1, id: after?.id ?? '' });
  const items = answer.rows<OperationRow>().map(operationFrom);
  const last = items.length < UNFINISHED_PAGE ? undefined : items.at(-1);
  return { items, next: last === undefined ? null : { at: last.startedAt, id: last.id } };
}

/** A try whose answer was lost may have taken it: then it is owned, and was not before. */
async function takeOperation(session: Session, seen: Operation, owner: string): Promise<boolean> {
  const values = { id: seen.id, owner, seen_owner: seen.owner, moved_at: seen.movedAt };
  const answer = await session.write('takeOperation', TAKE, values);
  if (answer.row<{ readonly held: number }>()?.held === 1) return true;
  const now = operationIn(answer, 1);
  return now !== null && now.finishedAt === null && now.owner === owner && seen.owner !== owner;
}

function beginning(operation: NewOperation): Values {
  const { id, action, filter, mark, total, last, by, owner } = operation;
  const set = { filter: JSON.stringify(filter), mark, total, last_at: last?.at ?? null, last_id: last?.id ?? null };
  return { id, action, by, owner, ...set };
}

function advancing({ id, owner, position, isFinished, ...skipped }: Advance): Values {
  const place = { position_at: position?.at ?? null, position_id: position?.id ?? null };
  const counts = { key_taken: skipped.keyTaken, no_handler: skipped.noHandler, schema: skipped.schema };
  return { id, owner, ...place, ...counts, is_finished: isFinished ? 1 : 0 };
}

function failing({ id, owner, error, isLast }: OperationFailure): Values {
  return { id, owner, error, is_last: isLast ? 1 : 0 };
}
