// Owns the SDK's generated types: writes them from openapi.yaml, or with `--check` tells whether they are stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const CONTRACT = pathToFileURL(join(import.meta.dirname, '../openapi.yaml'));
const GENERATED = join(import.meta.dirname, 'src/openapi.gen.ts');
const BANNER = '// Generated from openapi.yaml by `npm run generate`; do not edit.\n';

/** The text that `src/openapi.gen.ts` should have. */
export async function generatedTypes() {
  return BANNER + astToString(await openapiTS(CONTRACT, { defaultNonNullable: false }));
}

export function presentTypes() {
  return readFileSync(GENERATED, 'utf8');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const fresh = await generatedTypes();
  const isCheck = process.argv.includes('--check');
  const isStale = isCheck ? fresh !== presentTypes() : true;
  if (isStale && isCheck) {
    console.error('sdk/src/openapi.gen.ts is stale: run `npm run generate`');
    process.exit(1);
  }
  if (!isCheck) writeFileSync(GENERATED, fresh);
  console.log(`sdk/src/openapi.gen.ts: ${isCheck ? 'fresh' : 'written'}`);
}
