// Owns what a measurement is given and what it leaves: one row of the table, and notes beneath it.
import type { Comparison, Spread } from '../statistics.ts';

export interface Conditions {
  /** Rounds of A and B. */
  readonly rounds: number;
  /** How long one side of a round lasts, where it is time that is given. */
  readonly roundMs: number;
  readonly warmUpMs: number;
  /** 1, or less for a quick look: scales numbers of jobs. */
  readonly scale: number;
  /** An empty directory of the measurement's own, on the disk that is measured. */
  readonly dir: string;
  readonly profileDir: string | undefined;
}

export interface Row {
  readonly work: string;
  readonly subject: string;
  readonly baseline: string;
  readonly ratio: Spread | undefined;
  readonly aim: string;
  readonly isMet: boolean | undefined;
  readonly notes: readonly string[];
}

export interface Measure {
  readonly id: string;
  run(conditions: Conditions): Promise<Row>;
}

/** A row of rates per second with an aim for their ratio. */
export function rateRow(
  work: string,
  comparison: Comparison,
  baselineName: string,
  aim: number,
  notes: readonly string[],
): Row {
  const { subject, baseline, ratio } = comparison;
  return {
    work,
    subject: rate(subject),
    baseline: `${rate(baseline)} ${baselineName}`,
    ratio,
    aim: `≥ ${aim.toFixed(2)}`,
    isMet: ratio.median >= aim,
    notes,
  };
}

function rate({ median }: Spread): string {
  return `${whole(median)}/s`;
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB').replaceAll(',', ' ');
}
