// Owns the bounds of label values, so that no producer can grow the metrics without end.

const LIMITS = { queue: 100, type: 500, pairs: 1_000 };
const LONGEST_VALUE = 128;
const OTHER = 'other';

/** Admits the first values it meets, for as long as the process lives; all later ones are `other`. */
export class LabelBudget {
  readonly #queues = new Set<string>();
  readonly #types = new Set<string>();
  readonly #pairs = new Set<string>();

  queue(name: string): string {
    return admitted(this.#queues, cut(name), LIMITS.queue);
  }

  type(key: string): string {
    return admitted(this.#types, cut(key), LIMITS.type);
  }

  pair(queue: string, type: string): { readonly queue: string; readonly type: string } {
    const labels = { queue: this.queue(queue), type: this.type(type) };
    const pair = `${labels.queue}\n${labels.type}`;
    return admitted(this.#pairs, pair, LIMITS.pairs) === OTHER ? { queue: OTHER, type: OTHER } : labels;
  }
}

function admitted(known: Set<string>, value: string, limit: number): string {
  if (known.has(value)) return value;
  if (known.size >= limit) return OTHER;
  known.add(value);
  return value;
}

function cut(value: string): string {
  return value.trim() === '' ? 'unknown' : value.slice(0, LONGEST_VALUE).toWellFormed();
}
