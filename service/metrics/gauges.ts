// Owns the gauges: what the store and the worker say of themselves at a scrape, from counters, whatever the table sizes.
import type { QueueStore } from '../ports/store.ts';
import type { GaugeSource } from './metrics.ts';

export interface WorkerLoad {
  readonly capacity: number;
  /** Calls in flight on this node, by queue. */
  activeByQueue(): ReadonlyMap<string, number>;
}

const STATES = ['pending', 'scheduled', 'fetched', 'processing', 'dead', 'unroutable'] as const;

export function gaugesOf(queues: QueueStore, worker: WorkerLoad): GaugeSource {
  return async metrics => {
    const all = await queues.list();
    for (const name of ['depth', 'oldestLag', 'active'] as const) metrics.clear(name);
    const oldest = new Map<string, number>();
    for (const { name, counts, lagMs } of all) {
      const queue = metrics.budget.queue(name);
      for (const state of STATES) metrics.count('depth', { queue, state }, counts[state]);
      oldest.set(queue, Math.max(oldest.get(queue) ?? 0, lagMs.max));
    }
    for (const [queue, lagMs] of oldest) metrics.set('oldestLag', { queue }, lagMs / 1_000);
    for (const [name, count] of worker.activeByQueue())
      metrics.count('active', { queue: metrics.budget.queue(name) }, count);
    metrics.set('capacity', {}, worker.capacity);
  };
}
