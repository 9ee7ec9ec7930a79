// Owns the verbs of statistics: figures over all queues, and series over time that stay small.
import { formatDuration, parseDuration } from '../domain/duration.ts';
import { DomainError, type Fault } from '../domain/errors.ts';
import { BY_SECOND_MS, MINUTE_MS, SECOND_MS } from '../domain/stats.ts';
import type { SeriesPoint, SeriesRange, Stats, StatsStore } from '../ports/stats.ts';
import type { Clock } from '../ports/store.ts';

/** Instants in epoch ms, the step as people write it. */
export interface SeriesRequest {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly step?: string | undefined;
  readonly queue?: string | undefined;
}

export interface Series extends SeriesRange {
  readonly points: readonly SeriesPoint[];
}

export const MOST_POINTS = 1_000;
const POINTS_UNASKED = 120;
const RANGE_UNASKED_MS = 60 * MINUTE_MS;
const LONGEST_STEP_MS = 30 * 86_400_000;
/** Steps that people can read, from which one is taken when none was asked for. */
const STEPS_MS = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 21_600, 86_400].map(seconds => seconds * SECOND_MS);

export class StatsReader {
  readonly #store: { readonly stats: StatsStore; readonly clock: Clock };

  constructor(store: { readonly stats: StatsStore; readonly clock: Clock }) {
    this.#store = store;
  }

  read(): Promise<Stats> {
    return this.#store.stats.read();
  }

  async series(request: SeriesRequest): Promise<Series> {
    const range = rangeOf(request, this.#store.clock.now());
    return { ...range, points: await this.#store.stats.series(range) };
  }
}

/** The range with whole steps, counted from 1970, so that the same instant is in the same point whenever it is asked for. */
export function rangeOf(request: SeriesRequest, now: number): SeriesRange {
  const { to = now + 1, queue = null } = request;
  const from = request.from ?? to - RANGE_UNASKED_MS;
  if (from >= to) throw refusal({ detail: 'must be earlier than the end of the range', parameter: 'from' });
  const finestMs = from < now - BY_SECOND_MS ? MINUTE_MS : SECOND_MS;
  const stepMs = request.step === undefined ? stepFor(to - from, finestMs) : readStep(request.step, finestMs);
  const start = from - modulo(from, stepMs);
  const points = Math.ceil((to - start) / stepMs);
  if (points > MOST_POINTS) throw refusal(tooMany(points, to - from));
  return { from: start, to: start + points * stepMs, stepMs, queue };
}

function stepFor(rangeMs: number, finestMs: number): number {
  const fitting = STEPS_MS.filter(stepMs => stepMs >= finestMs);
  return fitting.find(stepMs => rangeMs / stepMs <= POINTS_UNASKED) ?? LONGEST_STEP_MS;
}

function readStep(step: string, finestMs: number): number {
  const stepMs = parseDuration(step);
  if (stepMs !== undefined && stepMs >= finestMs && stepMs % finestMs === 0 && stepMs <= LONGEST_STEP_MS) return stepMs;
  const finest = formatDuration(finestMs);
  const why =
    finestMs === MINUTE_MS ? `; what is older than ${formatDuration(BY_SECOND_MS)} is kept by the minute` : '';
  const detail = `must be a whole number of ${finestMs === MINUTE_MS ? 'minutes' : 'seconds'}, from ${finest} to 30d${why}`;
  throw refusal({ detail, parameter: 'step' });
}

function tooMany(points: number, rangeMs: number): Fault {
  const enough = STEPS_MS.find(stepMs => rangeMs / stepMs < MOST_POINTS) ?? LONGEST_STEP_MS;
  const detail = `gives ${points} points, and ${MOST_POINTS} is the most; ${formatDuration(enough)} would do`;
  return { detail, parameter: 'step' };
}

function refusal(fault: Fault): DomainError {
  return new DomainError('malformed-request', 'Correct what is listed in errors and send the request again.', [fault]);
}

/** Also for instants before 1970. */
function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}
