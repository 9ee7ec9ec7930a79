// Owns this process's instruments: made from the catalogue, read as Prometheus text.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CATALOGUE, type MetricName } from './catalogue.ts';
import { LabelBudget } from './labels.ts';

type Labels = Readonly<Record<string, string>>;

/** Read at each scrape, at most once per `GAUGES_FRESH_MS`. */
export type GaugeSource = (metrics: Metrics) => Promise<void>;

const GAUGES_FRESH_MS = 1_000;

export class Metrics {
  readonly budget = new LabelBudget();
  readonly #registry = new Registry();
  readonly #instruments = new Map<MetricName, Counter | Gauge | Histogram>();
  #gauges: GaugeSource = async () => undefined;
  #readAt = Number.NEGATIVE_INFINITY;

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
    (this.#instruments.get(name) as Counter | Gauge).inc(labels, by);
  }

  set(name: MetricName, labels: Labels, value: number): void {
    (this.#instruments.get(name) as Gauge).set(labels, value);
  }

  observe(name: MetricName, labels: Labels, seconds: number): void {
    (this.#instruments.get(name) as Histogram).observe(labels, seconds);
  }

  /** Forgets all values of a gauge, so that what no longer exists is no longer told. */
  clear(name: MetricName): void {
    this.#instruments.get(name)?.reset();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The whole exposition as Prometheus text. */
  async text(): Promise<string> {
    if (performance.now() - this.#readAt > GAUGES_FRESH_MS) {
      this.#readAt = performance.now();
      await this.#gauges(this);
    }
    return this.#registry.metrics();
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
