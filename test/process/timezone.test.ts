// Owns the promise that no time zone changes anything: rules and the core path run again in zones with odd offsets.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');

/** The rules that reckon with time, and attempts from end to end. */
const FILES = [
  ...['duration', 'instant', 'lifecycle', 'retry', 'retry-after'].map(name => `test/domain/${name}.test.ts`),
  'test/process/retry.test.ts',
];

test.each(['Asia/Tokyo', 'America/St_Johns'])(
  'K5 · the rules and the core path pass under TZ=%s',
  async zone => {
    const args = [VITEST, 'run', ...FILES, '--reporter=dot', '--no-color', '--testTimeout=120000'];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, TZ: zone },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', chunk => {
        output += chunk;
      });
    }
    const [code] = await once(child, 'close');
    expect(code, output).toBe(0);
    expect(output).toMatch(/Tests +\d+ passed/);
  },
  90_000,
);
