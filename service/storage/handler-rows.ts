// Owns how stored rows read as handlers, for every SQL adapter.
import type { Handler, LastResponse } from '../domain/handler.ts';

/** `schema` is a word of SQL's: what it is called in a statement is the adapter's business. */
export interface HandlerRow {
  readonly type: string;
  readonly url: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_until: number | null;
  readonly attempts: string;
  readonly fatal_statuses: string;
  readonly circuit: string;
  readonly headers: string;
  readonly schema: string | null;
  readonly concurrency: number | null;
  readonly managed_by: Handler['managedBy'];
  readonly last_response_status: number | null;
  readonly last_response_at: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function handlerFrom(row: HandlerRow): Handler {
  return {
    type: row.type,
    url: row.url,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousSecretUntil: row.previous_secret_until,
    attempts: JSON.parse(row.attempts),
    fatalStatuses: JSON.parse(row.fatal_statuses),
    circuit: JSON.parse(row.circuit),
    headers: JSON.parse(row.headers),
    schema: row.schema === null ? null : JSON.parse(row.schema),
    concurrency: row.concurrency,
    managedBy: row.managed_by,
    lastResponse: lastResponse(row.last_response_status, row.last_response_at),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function lastResponse(status: number | null = null, at: number | null = null): LastResponse | null {
  return status === null || at === null ? null : { status, at };
}
