// Owns how a command prints what the service told: tables for people, the service's own JSON with `--json`.
import Table from 'cli-table3';

export type Cell = string | number | boolean | null | undefined;

const BARE = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};
const STYLE = { head: [], border: [], 'padding-left': 0, 'padding-right': 0 };

/** Without borders, so that it can be cut with ordinary tools. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const grid = new Table({ head: [...head], chars: BARE, style: STYLE });
  for (const row of rows) grid.push(row.map(shown));
  return grid
    .toString()
    .split('\n')
    .map(line => line.trimEnd())
    .join('\n');
}

/** One thing, a line per fact; what is absent is left out. */
export function sheet(facts: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(facts).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${plain(value)}`).join('\n');
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : shown(value as Cell);
}

/** In one line, whatever a handler has answered; control characters would reach the terminal. */
function shown(value: Cell): string {
  if (value === null || value === undefined) return '–';
  return String(value).replace(/\p{Cc}+/gu, ' ');
}
