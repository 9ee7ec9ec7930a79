// Owns the reading of stored operations: how a row of the table of operations becomes an operation.
import type { Operation } from '../ports/operations.ts';
import type { Cursor } from '../ports/store.ts';

export interface OperationRow {
  readonly id: string;
  readonly action: Operation['action'];
  readonly filter: string;
  readonly mark: number;
  readonly total: number;
  readonly last_failed_at: number | null;
  readonly last_id: string | null;
  readonly position_at: number | null;
  readonly position_id: string | null;
  readonly started_by: string;
  readonly owner: string | null;
  readonly affected: number;
  readonly key_taken: number;
  readonly no_handler: number;
  readonly schema: number;
  readonly started_at: number;
  readonly moved_at: number;
  readonly failures: number;
  readonly error: string | null;
  readonly finished_at: number | null;
  readonly ended: Operation['ended'];
}

export function operationFrom(row: OperationRow): Operation {
  return {
    ...{ id: row.id, action: row.action, filter: JSON.parse(row.filter), mark: row.mark, total: row.total },
    last: cursorFrom(row.last_failed_at, row.last_id),
    position: cursorFrom(row.position_at, row.position_id),
    ...{ by: row.started_by, owner: row.owner, affected: row.affected },
    ...{ keyTaken: row.key_taken, noHandler: row.no_handler, schema: row.schema },
    ...{ startedAt: row.started_at, movedAt: row.moved_at, failures: row.failures, error: row.error },
    ...{ finishedAt: row.finished_at, ended: row.ended },
  };
}

function cursorFrom(at: number | null, id: string | null): Cursor | null {
  return at === null || id === null ? null : { at, id };
}
