// Owns the gauges: what the store and the worker say of themselves at a scrape, from counters, whatever the table sizes.
import { CIRCUIT_STATES } from '../domain/circuit.ts';
import type { Store } from '../ports/store.ts';
import { type GaugeSource, STORED_GAUGES } from './metrics.ts';

export interface WorkerLoad {
  readonly capacity: number;
  /** Calls in flight on this node, by queue. */
  activeByQueue(): ReadonlyMap<string, number>;
}

const STATES = ['pending', 'scheduled', 'fetched', 'processing', 'dead', 'unroutable'] as const;

export function gaugesOf({ queues, circuits }: Pick<Store, 'queues' | 'circuits'>, worker: WorkerLoad): GaugeSource {
  return async metrics => {
    metrics.clear('active');
    for (const [name, count] of worker.activeByQueue())
      metrics.count('active', { queue: metrics.budget.queue(name) }, count);
    metrics.set('capacity', {}, worker.capacity);
    const [all, breakers] = await Promise.all([queues.list(), circuits.list()]);
    for (const name of STORED_GAUGES) metrics.clear(name);
    for (const { circuit } of breakers) {
      const type = metrics.budget.type(circuit.type);
      for (const state of CIRCUIT_STATES)
        metrics.count('circuitState', { type, state }, Number(state === circuit.state));
    }
    const oldest = new Map<string, number>();
    for (const { name, counts, lagMs } of all) {
      const queue = metrics.budget.queue(name);
      for (const state of STATES) metrics.count('depth', { queue, state }, counts[state]);
      oldest.set(queue, Math.max(oldest.get(queue) ?? 0, lagMs.max));
    }
    for (const [queue, lagMs] of oldest) metrics.set('oldestLag', { queue }, lagMs / 1_000);
  };
}
