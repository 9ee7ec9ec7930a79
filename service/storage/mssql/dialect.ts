// Owns how lists ask SQL Server for what no index answers, and how their conditions become statements.
import { folded } from '../residue.ts';
import type { Condition, Dialect } from '../streams.ts';
import { keptTag } from './json-rows.ts';

/** The present, as the statement itself knows it. */
const NOW = Symbol('now');
export type Now = typeof NOW;

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const EXACTLY = 'COLLATE Latin1_General_BIN2';

export const DIALECT: Dialect<Now> = {
  now: NOW,
  hasTag: tag => ({ sql: `CHARINDEX(?, tags ${EXACTLY}) > 0`, values: [`"${keptTag(tag)}"`] }),
  contains: (columns, text) => {
    const wanted = folded(text);
    const parts = [...columns, 'tags'].map(contained);
    return { sql: `(${parts.join(' OR ')})`, values: [...columns.map(() => wanted), keptTag(wanted)] };
  },
};

/** In a binary collation CHARINDEX is literal, and so TRANSLATE folds ASCII only, which is the rule. */
function contained(column: string): string {
  return `CHARINDEX(?, TRANSLATE(${column} ${EXACTLY}, N'${UPPER}', N'${UPPER.toLowerCase()}')) > 0`;
}

/** The values of a statement that is put together from conditions. */
export class Parameters {
  readonly values: Record<string, string | number> = {};
  #count = 0;

  /** The condition as T-SQL; true when there is none. */
  all(conditions: readonly Condition<Now>[]): string {
    return conditions.length === 0 ? '1 = 1' : conditions.map(condition => this.#bound(condition)).join(' AND ');
  }

  #bound({ sql, values }: Condition<Now>): string {
    let at = 0;
    return sql.replaceAll('?', () => this.#name(values[at++]));
  }

  #name(value: string | number | Now | undefined): string {
    if (value === undefined) throw new Error('a condition has more places than values');
    if (typeof value === 'symbol') return '@now';
    const name = `p${this.#count++}`;
    this.values[name] = value;
    return `@${name}`;
  }
}
