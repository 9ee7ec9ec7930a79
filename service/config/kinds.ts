// Owns the kinds of setting: how a value is read from text or YAML, which values are allowed, and how it is shown.
import { formatDuration, parseDuration } from '../domain/duration.ts';

export interface Setting<T> extends Facts<T> {
  readonly kind: 'duration' | 'integer' | 'number' | 'text' | 'boolean' | 'choice' | 'list';
  readonly unit: string | null;
  readonly range: string | null;
  /** What a valid value is, to finish the sentence "… must be". */
  readonly expected: string;
  /** The value of what was given in the environment (text) or in YAML, or undefined when it is not a valid one. */
  parse(given: unknown): T | undefined;
  /** The text which `parse` reads back as `value`. */
  show(value: T): string;
}

interface Facts<T> {
  readonly env: string;
  readonly default: T;
  readonly meaning: string;
  readonly isSecret?: boolean;
  /** It can be stored for all nodes while they run; every part that uses it reads it anew each time. */
  readonly isChangeable?: boolean;
}

interface Range {
  readonly min: number;
  readonly max: number;
}

const A_DURATION = 'a duration such as 250ms, 30s or 1h30m';
const NONE = 'none';

/** Milliseconds. */
export function duration(facts: Facts<number> & Range): Setting<number> {
  const range = `${formatDuration(facts.min)} to ${formatDuration(facts.max)}`;
  return {
    ...facts,
    kind: 'duration',
    unit: null,
    range,
    expected: `${A_DURATION}, from ${range}`,
    parse: given => inRange(typeof given === 'string' ? parseDuration(given) : undefined, facts),
    show: formatDuration,
  };
}

/** Milliseconds, or null for `none` (in YAML also null): no limit. */
export function durationOrNone(facts: Facts<number | null> & Range): Setting<number | null> {
  const limited = duration({ ...facts, default: facts.min });
  return {
    ...limited,
    default: facts.default,
    expected: `${limited.expected}, or ${NONE}`,
    parse: given => (given === NONE || given === null ? null : limited.parse(given)),
    show: value => (value === null ? NONE : limited.show(value)),
  };
}

export function integer(facts: Facts<number> & Range & { readonly unit: string }): Setting<number> {
  const range = `${facts.min} to ${facts.max}`;
  return {
    ...facts,
    kind: 'integer',
    range,
    expected: `a whole number from ${range}`,
    parse: given => inRange(toNumber(given, /^-?\d{1,15}$/), facts),
    show: String,
  };
}

export function decimal(facts: Facts<number> & Range): Setting<number> {
  const range = `${facts.min} to ${facts.max}`;
  return {
    ...facts,
    kind: 'number',
    unit: null,
    range,
    expected: `a number from ${range}`,
    parse: given => inRange(toNumber(given, /^-?\d{1,15}(?:\.\d{1,15})?$/), facts),
    show: String,
  };
}

export function boolean(facts: Facts<boolean>): Setting<boolean> {
  return {
    ...facts,
    kind: 'boolean',
    unit: null,
    range: null,
    expected: 'true or false',
    parse: given => (String(given) === 'true' ? true : String(given) === 'false' ? false : undefined),
    show: String,
  };
}

export function choice<T extends string>(facts: Facts<T> & { readonly choices: readonly T[] }): Setting<T> {
  const range = facts.choices.join(', ');
  return {
    ...facts,
    kind: 'choice',
    unit: null,
    range,
    expected: `one of ${range}`,
    parse: given => facts.choices.find(one => one === given),
    show: String,
  };
}

export function text<T extends string | null>(facts: Facts<T> & Shape): Setting<string | T> {
  return {
    ...facts,
    kind: 'text',
    unit: null,
    range: null,
    expected: facts.shape,
    parse: given => (typeof given === 'string' && given !== '' && facts.isValid(given) ? given : undefined),
    show: value => value ?? '',
  };
}

export function file<T extends string | null>(env: string, path: T, meaning: string): Setting<string | T> {
  return text({ env, default: path, shape: 'the path of a file', isValid: value => !value.includes('\0'), meaning });
}

/** In the environment separated by commas, in YAML a list. */
export function list(facts: Facts<readonly string[]> & Shape): Setting<readonly string[]> {
  return {
    ...facts,
    kind: 'list',
    unit: null,
    range: null,
    expected: `a list of ${facts.shape}`,
    parse: given => {
      const items = typeof given === 'string' ? given.split(',').map(item => item.trim()) : given;
      return Array.isArray(items) && items.every(item => isValidItem(item, facts)) ? items : undefined;
    },
    show: items => items.join(','),
  };
}

interface Shape {
  readonly shape: string;
  isValid(value: string): boolean;
}

function isValidItem(item: unknown, { isValid }: Shape): boolean {
  return typeof item === 'string' && item !== '' && isValid(item);
}

function toNumber(given: unknown, shape: RegExp): number | undefined {
  return (typeof given === 'string' || typeof given === 'number') && shape.test(String(given))
    ? Number(given)
    : undefined;
}

function inRange(value: number | undefined, { min, max }: Range): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}
