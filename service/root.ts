// Owns where the package's own files lie, whether the code runs from its source folder or compiled into `dist`.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = findRoot(dirname(fileURLToPath(import.meta.url)));

/** The absolute path of a file that ships with the package, e.g. `packageFile('openapi.yaml')`. */
export function packageFile(path: string): string {
  return join(ROOT, path);
}

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('the package.json of chokaq was not found above its own code');
  return findRoot(parent);
}
