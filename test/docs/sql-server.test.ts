// Owns the proof that the page on SQL Server tells of every index and view that the migrations make, and of no other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, page, ROOT } from './fixture/page.ts';

const MIGRATIONS = filesUnder('service/storage/mssql/migrations', '.sql').map(path =>
  readFileSync(join(ROOT, path), 'utf8'),
);
const PAGE = page('docs/sql-server.md');

function made(pattern: RegExp): string[] {
  return MIGRATIONS.flatMap(text => [...text.matchAll(pattern)].map(([, name = '']) => name));
}

test('the atlas has every index, and each that it has exists', () => {
  const rows = PAGE.mentions(/^\| `[a-z].*$/gm).filter(row => !row.includes('CHOKAQ_'));
  const told = new Set(
    rows.flatMap(row => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)),
  );
  const indexes = made(/CREATE (?:UNIQUE )?INDEX (\w+)/g);
  const suffixes = [...told].filter(name => name.startsWith('_')).map(suffix => `dlq_failed${suffix}`);
  expect(indexes.filter(name => !told.has(name) && !suffixes.includes(name))).toEqual([]);
  const known = [...indexes, ...made(/CONSTRAINT (\w+) (?:PRIMARY KEY|UNIQUE)/g)];
  expect([...told].filter(name => !name.startsWith('_') && !known.includes(name))).toEqual([]);
});

test('queries for people read views that exist', () => {
  const views = made(/CREATE VIEW chokaq\.(\w+)/g);
  const read = PAGE.mentions(/FROM chokaq\.(\w+)/g).map(words => words.replace('FROM chokaq.', ''));
  expect(read.length).toBeGreaterThan(3);
  expect(read.filter(name => !views.includes(name))).toEqual([]);
});
