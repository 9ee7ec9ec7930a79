// Owns the proof that the documented settings are those of the code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './fixture/page.ts';

test('docs/configuration.md has the table of settings as it is in the code', async () => {
  const { withSettings } = await import(join(ROOT, 'docs/generate.mjs'));
  const page = readFileSync(join(ROOT, 'docs/configuration.md'), 'utf8');
  expect(page).toBe(withSettings(page));
});
