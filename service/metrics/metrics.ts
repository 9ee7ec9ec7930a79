// Owns this process's instruments: made from the catalogue, read as Prometheus text.
import { setTimeout as pause } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CATALOGUE, type Labels, type MetricName } from './catalogue.ts';
import { LabelBudget, TextBudget } from './labels.ts';

/** Gauges that say what storage says. */
export const STORED_GAUGES = ['depth', 'oldestLag', 'circuitState'] as const satisfies MetricName[];

/** Read at each scrape, at most once per `GAUGES_FRESH_MS`. */
export type GaugeSource = (metrics: Metrics) => Promise<void>;

const GAUGES_FRESH_MS = 1_000;
/** A scrape waits no longer for storage: the counters are there all the same. */
const GAUGES_WITHIN_MS = 2_000;

export class Metrics {
  readonly budget = new LabelBudget();
  readonly #registry = new Registry();
  readonly #instruments = new Map<MetricName, Counter | Gauge | Histogram>();
  #gauges: GaugeSource = async () => undefined;
  readonly #budget = new TextBudget();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  constructor(info: { readonly version: string; readonly storage: string }) {
    for (const name of Object.keys(CATALOGUE) as MetricName[]) this.#instruments.set(name, this.#make(name));
    collectDefaultMetrics({ register: this.#registry });
    this.set('build', info, 1);
  }

  readGaugesFrom(source: GaugeSource): void {
    this.#gauges = source;
  }

  /** Adds to a counter or a gauge. */
  count(name: MetricName, labels: Labels, by = 1): void {
    (this.#instruments.get(name) as Counter | Gauge).inc(this.#budget.fit(name, labels), by);
  }

  set(name: MetricName, labels: Labels, value: number): void {
    (this.#instruments.get(name) as Gauge).set(this.#budget.fit(name, labels), value);
  }

  observe(name: MetricName, labels: Labels, seconds: number): void {
    (this.#instruments.get(name) as Histogram).observe(this.#budget.fit(name, labels), seconds);
  }

  /** Forgets all values of a gauge, so that what no longer exists is no longer told. */
  clear(name: MetricName): void {
    this.#budget.release(name);
    this.#instruments.get(name)?.reset();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The whole exposition as Prometheus text; without gauges of storage while that is away. */
  async text(): Promise<string> {
    if (performance.now() - this.#readAt > GAUGES_FRESH_MS) {
      this.#reading ??= this.#read().finally(() => {
        this.#reading = null;
      });
      await Promise.race([this.#reading, pause(GAUGES_WITHIN_MS, undefined, { ref: false })]);
    }
    return this.#registry.metrics();
  }

  /** What cannot be read now is not told, rather than as it was. */
  async #read(): Promise<void> {
    try {
      await this.#gauges(this);
      this.#readAt = performance.now();
    } catch {
      for (const name of STORED_GAUGES) this.clear(name);
    }
  }

  #make(key: MetricName): Counter | Gauge | Histogram {
    const metric = CATALOGUE[key];
    const options = {
      name: metric.name,
      help: metric.help,
      labelNames: [...metric.labels],
      registers: [this.#registry],
    };
    if (metric.kind === 'counter') return new Counter(options);
    if (metric.kind === 'gauge') return new Gauge(options);
    return new Histogram({ ...options, buckets: [...metric.buckets] });
  }
}
