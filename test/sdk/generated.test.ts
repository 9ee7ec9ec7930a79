// Owns the proof that the SDK's types are those of the contract.
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('sdk/src/openapi.gen.ts is what `npm run generate` makes of openapi.yaml', async () => {
  const { generatedTypes, presentTypes } = await import(join(import.meta.dirname, '../../sdk/generate.mjs'));
  expect(presentTypes() === (await generatedTypes()), 'stale: run `npm run generate`').toBe(true);
});
