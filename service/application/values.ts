// Owns the reading of single values that people send: names and durations, each with its fault when it breaks a rule.
import { formatDuration, parseDuration } from '../domain/duration.ts';
import { keyFlaw, nameFlaw, trimName } from '../domain/name.ts';
import type { Faults } from './faults.ts';

export interface Range {
  readonly min: number;
  readonly max: number;
  /** Why not less or more, when the numbers do not say it. */
  readonly reason?: string;
}

/** The trimmed name of something that also stands in addresses. */
export function readName(text: string, limit: number, pointer: string, faults: Faults): string {
  const name = trimName(text);
  return noted(name, keyFlaw(name, limit), pointer, faults);
}

/** The trimmed name of something that only people read. */
export function readLabel(text: string, limit: number, pointer: string, faults: Faults): string {
  const label = trimName(text);
  return noted(label, nameFlaw(label, limit), pointer, faults);
}

function noted(text: string, flaw: string | null, pointer: string, faults: Faults): string {
  if (flaw !== null) faults.add(pointer, flaw);
  return text;
}

/** Milliseconds within the range, or undefined when nothing was sent or it was wrong. */
export function readDuration(
  text: string | undefined,
  range: Range,
  pointer: string,
  faults: Faults,
): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDuration(text);
  if (ms === undefined) faults.add(pointer, 'is not a duration such as 250ms, 30s, 5m, 1h30m or 7d');
  else if (ms < range.min || ms > range.max) {
    faults.add(
      pointer,
      `must be between ${formatDuration(range.min)} and ${formatDuration(range.max)}${range.reason ? `: ${range.reason}` : ''}`,
    );
  } else return ms;
  return undefined;
}
