// Owns the figures: rounds in turn (A B A B), medians, quantiles and the spread that is printed beside them.

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Comparison {
  readonly subject: Spread;
  readonly baseline: Spread;
  /** Subject / baseline of the same round. */
  readonly ratio: Spread;
}

/** Runs both in turn, so that what the machine does meanwhile hits both; each answers its rate. One round before warms up. */
export async function inTurn(
  rounds: number,
  subject: () => Promise<number>,
  baseline: () => Promise<number>,
): Promise<Comparison> {
  const subjects: number[] = [];
  const baselines: number[] = [];
  await subject();
  await baseline();
  for (let round = 0; round < rounds; round++) {
    subjects.push(await subject());
    baselines.push(await baseline());
  }
  const ratios = subjects.map((rate, round) => rate / (baselines[round] ?? Number.NaN));
  return { subject: spread(subjects), baseline: spread(baselines), ratio: spread(ratios) };
}

export function spread(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), min: Math.min(...values), max: Math.max(...values) };
}

/** Linear between the two nearest values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}
