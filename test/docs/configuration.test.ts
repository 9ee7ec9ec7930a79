// Owns the proof that the generated parts of the documentation are those of the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#service/config.js';
import { page, ROOT } from './fixture/page.ts';

test('settings, metrics and log events are documented as they are in the code', async () => {
  const { freshPage, GENERATED_PAGES } = await import(join(ROOT, 'docs/generate.mjs'));
  expect(GENERATED_PAGES).toEqual(['configuration.md', 'metrics.md', 'log-events.md']);
  for (const name of GENERATED_PAGES)
    expect(readFileSync(join(ROOT, 'docs', name), 'utf8'), name).toBe(freshPage(name));
});

test('the chokaq.yaml shown there is a valid one', () => {
  const text = page('docs/configuration.md')
    .blocksIn('yaml')
    .find(({ under }) => under === 'A file instead of variables')?.text;
  expect(loadConfig({}, text)).toMatchObject({
    pollIntervalMs: 500,
    concurrency: 20,
    maxJobAgeMs: null,
    webhookAllow: { length: 2 },
  });
});
