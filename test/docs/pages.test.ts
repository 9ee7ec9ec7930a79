// Owns the proof that the documentation is whole: its links lead somewhere, what it names exists, and its figures are right.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '#service/config/settings.js';
import { FAILURE_REASONS } from '#service/domain/failure.js';
import { JOB_STATES } from '#service/domain/job.js';
import { DEFAULT_ATTEMPT_POLICY, retryDelayMs } from '#service/domain/retry.js';
import { EVENTS } from '#service/log.js';
import { filesUnder, PAGES, page, ROOT } from './fixture/page.ts';

const READ_FIRST = 7;

test.each(PAGES)('every link of $path leads somewhere', ({ links }) => {
  const broken = links.filter(({ path, anchor }) => {
    const target = path.replace(/\/$/, '');
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== '' && !page(target).anchors.includes(anchor);
  });
  expect(broken.map(({ written }) => written)).toEqual([]);
});

test('what the source says about a page, a heading of that page included, is there', () => {
  const references = filesUnder('service', '.ts').flatMap(file => {
    const text = readFileSync(join(ROOT, file), 'utf8').replace(/\n\s*(?:\*|\/\/) ?/g, ' ');
    return [...text.matchAll(/(docs\/[\w/-]+\.md)(?:,? \(?"([^"]+)")?/g)].map(([, path = '', heading]) => ({
      file,
      path,
      heading,
    }));
  });
  const broken = references.filter(
    ({ path, heading }) =>
      !existsSync(join(ROOT, path)) || (heading !== undefined && !page(path).headings.includes(heading)),
  );
  expect(references.length).toBeGreaterThan(0);
  expect(broken).toEqual([]);
});

test('every setting that a page names exists', () => {
  const known = Object.values(SETTINGS).map(({ env }) => env);
  const allowed = ['CHOKAQ_SECRET', 'CHOKAQ_API_KEY', 'CHOKAQ_URL', ...known];
  for (const { path, mentions } of PAGES.map(each => ({
    path: each.path,
    mentions: each.mentions(/\bCHOKAQ_[A-Z_]*[A-Z]\b(?!_)/g),
  }))) {
    expect({ path, unknown: mentions.filter(name => !allowed.includes(name)) }).toEqual({ path, unknown: [] });
  }
});

test('every event that a page numbers exists', () => {
  const known: readonly string[] = Object.values(EVENTS).map(({ id }) => `event ${id}`);
  const named = PAGES.flatMap(each => each.mentions(/event \d{4}/g));
  expect(named.filter(name => !known.includes(name))).toEqual([]);
});

test('all failure reasons and all states are explained', () => {
  const explained = page('docs/delivery-guarantees.md')
    .mentions(/^\| `\w+` \|/gm)
    .map(row => row.slice(3, -3));
  expect(explained).toEqual(expect.arrayContaining([...FAILURE_REASONS, ...JOB_STATES]));
});

test('the waits in the retry table are those of the arithmetic', () => {
  const rows = page('docs/delivery-guarantees.md').mentions(/^\| (?:After failed attempt|Wait) \|.*$/gm);
  const [attempts = [], waits = []] = rows.map(row =>
    row
      .split('|')
      .slice(2, -1)
      .map(cell => cell.trim()),
  );
  const expected = attempts.map(cell => {
    const [low = 0, high = 0] = [0, 1].map(
      random => retryDelayMs(DEFAULT_ATTEMPT_POLICY.retry, Number.parseInt(cell, 10), random) / 1_000,
    );
    return low === high ? `${low / 3_600} h` : `${low}–${high} s`;
  });
  expect(waits).toHaveLength(6);
  expect(waits).toEqual(expected);
});

test('the files to read first are there, and are as many as the text says', () => {
  const files = page('README.md')
    .mentions(/^\d\. \[`[^`]+`\]/gm)
    .map(line => line.replace(/^\d\. \[`|`\]$/g, ''));
  expect(files).toHaveLength(READ_FIRST);
  expect(files.filter(path => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('the list of decisions is complete', () => {
  const listed = page('docs/decisions/README.md').links.map(({ path }) => path);
  expect(listed).toEqual(filesUnder('docs/decisions', '.md').filter(path => !path.endsWith('README.md')));
});

test('every decision says context, choice and price', () => {
  const decisions = PAGES.filter(({ path }) => /decisions\/\d{4}-/.test(path));
  const parts = decisions.map(each => each.mentions(/^\*\*(?:Context|Choice|Price)\.\*\*/gm).join(' '));
  expect(new Set(parts)).toEqual(new Set(['**Context.** **Choice.** **Price.**']));
});

test('every JSON block is JSON', () => {
  for (const { text } of PAGES.flatMap(each => each.blocksIn('json')))
    expect(() => JSON.parse(text), text).not.toThrow();
});
