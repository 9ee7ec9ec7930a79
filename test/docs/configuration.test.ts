// Owns the proof that the documented settings are those of the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '#service/config.js';
import { page, ROOT } from './fixture/page.ts';

test('docs/configuration.md has the table of settings as it is in the code', async () => {
  const { withSettings } = await import(join(ROOT, 'docs/generate.mjs'));
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  expect(page).toBe(withSettings(page));
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
