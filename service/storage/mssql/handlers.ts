// Owns registered handlers: stored whole, with a revision that tells every node of each change.
import type { Handler } from '../../domain/handler.ts';
import type { HandlerStore } from '../../ports/store.ts';
import { type HandlerRow, handlerFrom } from '../handler-rows.ts';
import { removeHandler } from './handler-removal.ts';
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
  SELECT type, ${CONTENT.join(', ')}, created_at, updated_at FROM chokaq.handlers ORDER BY type;`;

/** When it was created survives every replacement. */
const PUT = `
  DECLARE @created_at BIGINT = (SELECT created_at FROM chokaq.handlers WHERE type = @type);
  IF @created_at IS NULL
    INSERT INTO chokaq.handlers (type, ${CONTENT.join(', ')}, created_at, updated_at)
    VALUES (@type, ${CONTENT.map(parameterOf).join(', ')}, @now, @now);
  ELSE
    UPDATE chokaq.handlers SET ${CONTENT.map(column => `${column} = ${parameterOf(column)}`).join(', ')}, updated_at = @now
    WHERE type = @type;
  ${ADVANCE_HANDLERS}`;

export function handlersOver(session: Session): HandlerStore {
  return {
    list: () => listHandlers(session),
    put: handler => putHandler(session, handler),
    remove: (type, force, rejection) => removeHandler(session, { type, force, rejection }),
  };
}

async function listHandlers(session: Session) {
  const answer = await session.read('listHandlers', LIST);
  const { value: revision } = answer.row<{ value: number }>() ?? { value: 0 };
  return { handlers: answer.rows<HandlerRow>(1).map(handlerFrom), revision };
}

async function putHandler(session: Session, given: Handler) {
  const text = { work: PUT, answer: 'SELECT @created_at AS created_at;' };
  const answer = await session.write('putHandler', text, valuesOf(given));
  const createdAt = answer.row<{ created_at: number | null }>()?.created_at ?? null;
  const handler: Handler = { ...given, createdAt: createdAt ?? answer.now, updatedAt: answer.now };
  return { handler, created: createdAt === null };
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
