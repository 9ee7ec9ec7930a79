// Owns the bounds of what metrics can say, so that no producer can grow their text without end.
import { CATALOGUE, type Labels, LIMITS, type MetricName } from './catalogue.ts';

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

/** The exposition may have 2 MB; what is left of it is for the Node.js defaults and the lines of help. */
const MOST_BYTES = 1_900_000;
/** The signs around labels, and the longest value of a line. */
const BYTES_AROUND = 32;
const LINES_BESIDE_BUCKETS = 3;
const OPEN_LABELS = ['queue', 'type', 'route'];

/** Counts what the series take in the exposition. When it is full, new ones are told under `other`, which closed labels bound. */
export class TextBudget {
  readonly #series = new Map<MetricName, Map<string, number>>();
  #bytes = 0;

  /** The labels under which these are told. */
  fit(name: MetricName, labels: Labels): Labels {
    const key = Object.values(labels).join('\n');
    const known = this.#series.get(name) ?? new Map<string, number>();
    this.#series.set(name, known);
    if (known.has(key)) return labels;
    const bytes = bytesOf(name, labels);
    if (this.#bytes + bytes > MOST_BYTES) return folded(labels);
    known.set(key, bytes);
    this.#bytes += bytes;
    return labels;
  }

  /** The series of this metric are told no more. */
  release(name: MetricName): void {
    for (const bytes of this.#series.get(name)?.values() ?? []) this.#bytes -= bytes;
    this.#series.delete(name);
  }
}

/** At most; JSON escapes no less than the exposition does. */
function bytesOf(key: MetricName, labels: Labels): number {
  const metric = CATALOGUE[key];
  const lines = metric.kind === 'histogram' ? metric.buckets.length + LINES_BESIDE_BUCKETS : 1;
  return lines * (metric.name.length + Buffer.byteLength(JSON.stringify(labels)) + BYTES_AROUND);
}

function folded(labels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(labels).map(([label, value]) => [label, OPEN_LABELS.includes(label) ? OTHER : value]),
  );
}
