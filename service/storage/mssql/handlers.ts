// Owns registered handlers: stored whole, with a revision that tells every node of each change.
import { type Handler, handlerChanged, type LastResponse } from '../../domain/handler.ts';
import type { HandlerStore } from '../../ports/store.ts';
import { type HandlerRow, handlerFrom, lastResponse } from '../handler-rows.ts';
import { EXACT } from './counters.ts';
import { removeHandler } from './handler-removal.ts';
import { nameList } from './names.ts';
import { ADVANCE_HANDLERS } from './revisions.ts';
import type { Session, Values } from './session.ts';

const CONTENT = [
  'url',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'attempts',
  'fatal_statuses',
  'circuit',
  'headers',
  '[schema]',
  'concurrency',
  'managed_by',
] as const;

const parameterOf = (column: string) => `@${column.replaceAll(/[[\]]/g, '')}`;

const LIST = `
  SELECT value FROM chokaq.revisions WHERE name = 'handlers';
  SELECT type, ${CONTENT.join(', ')}, last_response_status, last_response_at, created_at, updated_at
  FROM chokaq.handlers ORDER BY type;`;

/** When it was created, and what it answered, survives every replacement. `@seen` is -1 for none. */
const PUT = `
  DECLARE @created_at BIGINT, @changed_at BIGINT, @status INT, @heard_at BIGINT;
  SELECT @created_at = created_at, @changed_at = updated_at, @status = last_response_status, @heard_at = last_response_at
  FROM chokaq.handlers WHERE type = @type;
  DECLARE @is_other INT = IIF(@is_seen = 1 AND @seen <> COALESCE(@changed_at, -1), 1, 0);
  DECLARE @updated_at BIGINT = IIF(@changed_at >= @now, @changed_at + 1, @now);
  IF @is_other = 0
  BEGIN
    IF @created_at IS NULL
      INSERT INTO chokaq.handlers (type, ${CONTENT.join(', ')}, created_at, updated_at)
      VALUES (@type, ${CONTENT.map(parameterOf).join(', ')}, @updated_at, @updated_at);
    ELSE
      UPDATE chokaq.handlers SET ${CONTENT.map(column => `${column} = ${parameterOf(column)}`).join(', ')},
        updated_at = @updated_at
      WHERE type = @type;
    ${ADVANCE_HANDLERS}
  END`;

const PUT_ANSWER = `
  SELECT @created_at AS created_at, @updated_at AS updated_at, @status AS status, @heard_at AS heard_at, @is_other AS is_other;`;

/** Of the handlers that have answered: `@heard_rows` has the figures, `names` the type keys by their place. */
const heardText = (names: string) => `
  DECLARE @heard TABLE (type NVARCHAR(510) ${EXACT} NOT NULL, status INT NOT NULL, at BIGINT NOT NULL);
  INSERT INTO @heard (type, status, at)
  SELECT type.name, j.status, j.at FROM ${names}
  JOIN OPENJSON(@heard_rows) WITH (i INT '$.i', status INT '$.status', at BIGINT '$.at') j ON j.i = type.i
  WHERE type.name IS NOT NULL;
  UPDATE chokaq.handlers SET last_response_status = h.status, last_response_at = h.at
  FROM @heard h WHERE h.type = handlers.type AND COALESCE(handlers.last_response_at, 0) <= h.at;`;

interface Put {
  readonly created_at: number | null;
  readonly updated_at: number;
  readonly status: number | null;
  readonly heard_at: number | null;
  readonly is_other: number;
}

export function handlersOver(session: Session): HandlerStore {
  return {
    list: () => listHandlers(session),
    put: (handler, seen) => putHandler(session, handler, seen),
    heard: responses => heardHandlers(session, responses),
    remove: (type, force, rejection) => removeHandler(session, { type, force, rejection }),
  };
}

async function listHandlers(session: Session) {
  const answer = await session.read('listHandlers', LIST);
  const { value: revision } = answer.row<{ value: number }>() ?? { value: 0 };
  return { handlers: answer.rows<HandlerRow>(1).map(handlerFrom), revision };
}

async function putHandler(session: Session, given: Handler, seen: number | null | undefined) {
  const values = { ...valuesOf(given), is_seen: seen === undefined ? 0 : 1, seen: seen ?? -1 };
  const answer = await session.write('putHandler', { work: PUT, answer: PUT_ANSWER }, values);
  const put = answer.row<Put>();
  if (put === undefined) throw new Error('a put of a handler answered nothing');
  if (put.is_other === 1) throw handlerChanged(given.type);
  const { created_at: createdAt, updated_at: updatedAt } = put;
  const times = { createdAt: createdAt ?? updatedAt, updatedAt };
  const handler: Handler = { ...given, ...times, lastResponse: lastResponse(put.status, put.heard_at) };
  return { handler, created: createdAt === null };
}

async function heardHandlers(session: Session, responses: Readonly<Record<string, LastResponse>>): Promise<void> {
  const { rows, values } = nameList('type', Object.keys(responses));
  const heard = Object.values(responses).map((response, i) => ({ i, ...response }));
  await session.write('heardHandlers', { work: heardText(rows) }, { heard_rows: JSON.stringify(heard), ...values });
}

function valuesOf(handler: Handler): Values {
  return {
    type: handler.type,
    url: handler.url,
    secret: handler.secret,
    previous_secret: handler.previousSecret,
    previous_secret_until: handler.previousSecretUntil,
    attempts: JSON.stringify(handler.attempts),
    fatal_statuses: JSON.stringify(handler.fatalStatuses),
    circuit: JSON.stringify(handler.circuit),
    headers: JSON.stringify(handler.headers),
    schema: handler.schema === null ? null : JSON.stringify(handler.schema),
    concurrency: handler.concurrency,
    managed_by: handler.managedBy,
  };
}
