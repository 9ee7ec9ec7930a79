// Owns how lists ask SQLite for what no index answers.
import { folded } from '../residue.ts';
import type { Condition, Dialect } from '../streams.ts';

const HAS_TAG = 'EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)';
const TAG_CONTAINS = 'EXISTS (SELECT 1 FROM json_each(tags) WHERE instr(lower(value), ?) > 0)';

export function dialectAt(now: number): Dialect<number> {
  return { now, hasTag: tag => ({ sql: HAS_TAG, values: [tag] }), contains };
}

/** SQLite's lower() folds ASCII only, which is the rule; instr() is literal. */
function contains(columns: readonly string[], text: string): Condition<number> {
  const wanted = folded(text);
  const parts = columns.map(column => `instr(lower(${column}), ?) > 0`);
  return { sql: `(${[...parts, TAG_CONTAINS].join(' OR ')})`, values: [...columns, 'tags'].map(() => wanted) };
}
