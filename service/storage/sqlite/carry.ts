// Owns the columns that survive every move between the job tables, and how a move selects them.
import { CARRIED_COLUMNS } from '../rows.ts';

type Column = (typeof CARRIED_COLUMNS)[number];

/** For the column list of an INSERT. */
export const CARRIED = CARRIED_COLUMNS.join(', ');

/** For the SELECT beside it: each column as it is, or as `changes` says; placeholders are bound in the order of the columns. */
export function carried(changes: Partial<Record<Column, string>>): string {
  return CARRIED_COLUMNS.map(column => changes[column] ?? column).join(', ');
}
