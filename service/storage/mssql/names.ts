// Owns how names travel to the server: as parameters, which are exact in any script, in lists of few lengths so that texts stay few.
import type { Values } from './session.ts';

export interface NameList {
  /** For FROM: rows of `i` (from 0) and `name`; those beyond the given names have a null name. */
  readonly rows: string;
  readonly values: Values;
}

/** A request has at most 2 100 parameters. */
const MOST_NAMES = 2_000;

/** `prefix` tells the parameters of this list from others of the request, and is the name of its rows. */
export function nameList(prefix: string, names: readonly string[]): NameList {
  if (names.length > MOST_NAMES) throw new Error(`${names.length} names are more than one request can carry`);
  const length = Math.min(MOST_NAMES, 2 ** Math.ceil(Math.log2(Math.max(1, names.length))));
  const places = Array.from({ length }, (_, i) => i);
  const values = Object.fromEntries(places.map(i => [`${prefix}${i}`, names[i] ?? null]));
  return { rows: `(VALUES ${places.map(i => `(${i}, @${prefix}${i})`).join(', ')}) AS ${prefix} (i, name)`, values };
}
