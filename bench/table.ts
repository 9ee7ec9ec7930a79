// Owns how results are printed: one line per measurement, its notes beneath the table.
import type { Row } from './measures/measure.ts';
import type { Spread } from './statistics.ts';

const HEAD = ['', 'Work', 'ChokaQ', 'Baseline', 'Ratio (min..max)', 'Aim', ''];

export function table(rows: ReadonlyMap<string, Row>): string {
  const cells = [HEAD, ...[...rows].map(([id, row]) => cellsOf(id, row))];
  const widths = HEAD.map((_, column) => Math.max(...cells.map(line => line[column]?.length ?? 0)));
  const lines = cells.map(line =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const rule = widths.map(width => '─'.repeat(width)).join('  ');
  const notes = [...rows].flatMap(([id, row]) => row.notes.map(note => `${id}  ${note}`));
  return [lines[0], rule, ...lines.slice(1), '', ...notes].join('\n');
}

function cellsOf(id: string, { work, subject, baseline, ratio, aim, isMet }: Row): string[] {
  return [id, work, subject, baseline, ratio ? spreadText(ratio) : '', aim, verdict(isMet)];
}

function spreadText({ median, min, max }: Spread): string {
  return `${median.toFixed(2)} (${min.toFixed(2)}..${max.toFixed(2)})`;
}

function verdict(isMet: boolean | undefined): string {
  if (isMet === undefined) return '';
  return isMet ? 'met' : 'missed';
}
