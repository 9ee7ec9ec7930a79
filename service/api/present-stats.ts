// Owns what figures look like on the wire.
import type { Series } from '../application/stats.ts';
import { formatDuration } from '../domain/duration.ts';
import { formatInstant } from '../domain/instant.ts';
import { ratesOf } from '../domain/stats.ts';
import type { Stats } from '../ports/stats.ts';

/** Rows now apart from lifetime totals, which a queue has in one object. */
export function presentStats({ counts, lifetime, lagMs, recent, at }: Stats): object {
  const { failed: _, retried: __, ...now } = counts;
  return { at: formatInstant(at), counts: now, lifetime, lagMs, rates: ratesOf(recent) };
}

export function presentSeries({ queue, from, to, stepMs, points }: Series): object {
  return {
    ...{ queue, from: formatInstant(from), to: formatInstant(to), step: formatDuration(stepMs) },
    points: points.map(point => ({ ...point, at: formatInstant(point.at) })),
  };
}
