// Owns the proof of `chokaq migrate`: what it says it applied, and that nothing else changes the schema once nothing else may.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chokaq } from './fixture/command.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-migrate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function run(args: readonly string[], env: Record<string, string> = {}) {
  return chokaq(args, { env: { CHOKAQ_SQLITE_PATH: join(folder, 'chokaq.db'), ...env }, cwd: folder });
}

it('K1 · names what it applied, for starts that may not do so themselves: they refuse a database without its schema', async () => {
  const env = { CHOKAQ_AUTO_MIGRATE: 'false' };
  const refused = await run(['keys', 'list'], env);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toContain('lacks the migrations 1 (initial), ');
  expect(refused.stderr).toContain('run `chokaq migrate`');
  const first = await run(['migrate'], env);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout.split('\n').slice(0, 1)).toEqual(['applied initial']);
  expect(JSON.parse((await run(['migrate', '--json'], env)).stdout)).toEqual({ applied: [] });
  expect(await run(['keys', 'list'], env)).toMatchObject({ code: 0, stdout: 'no API key holds\n' });
}, 60_000);

it('has nothing to do for memory storage', async () => {
  expect(await run(['migrate'], { CHOKAQ_STORAGE: 'memory' })).toMatchObject({ code: 2, stdout: '' });
});
