// Owns the proof of `chokaq keys`: what it prints where, in words and as JSON, and what it refuses with which exit code.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chokaq, type Run } from './fixture/command.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function keys(...args: readonly string[]): Promise<Run> {
  return chokaq(['keys', ...args], { env: { CHOKAQ_SQLITE_PATH: join(folder, 'new', 'chokaq.db') }, cwd: folder });
}

it('makes a key in a database that it makes too: the secret alone on stdout, what it is on stderr', async () => {
  const made = await keys('create', 'web', '--scopes', 'read, produce', '--rate-limit', '5/1m');
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ck_[\w-]{43}\n$/) });
  expect(made.stderr).toContain('web (produce, read)');
  const listed = await keys('list');
  expect(listed.stdout).toMatch(/^NAME +SCOPES +RATE LIMIT +MANAGED BY/);
  expect(listed.stdout).toMatch(/^web +produce,read +5\/1m +cli /m);
  expect(listed.stdout).not.toContain(made.stdout.trim());
}, 60_000);

it('prints JSON that a script can use, the secret only when it is made', async () => {
  const { key, ...made } = JSON.parse((await keys('create', 'web', '--scopes', 'all', '--json')).stdout);
  expect(key).toMatch(/^ck_/);
  expect(made).toMatchObject({ name: 'web', managedBy: 'cli', rateLimit: null, lastUsedAt: null, revokedAt: null });
  expect(JSON.parse((await keys('list', '--json')).stdout)).toEqual([made]);
  const revoked = JSON.parse((await keys('revoke', made.id, '--json')).stdout);
  expect(revoked).toMatchObject({ name: 'web', revokedBy: expect.stringMatching(/^cli:/) });
  expect(JSON.parse((await keys('list', '--json')).stdout)).toEqual([]);
  expect(JSON.parse((await keys('list', '--all', '--json')).stdout)).toEqual([revoked]);
}, 60_000);

it.each<[string, string[], string]>([
  ['no name', ['create', '--scopes', 'read'], "'name'"],
  ['no scopes', ['create', 'web'], '--scopes'],
  ['a scope that is none', ['create', 'web', '--scopes', 'read,fly'], 'produce, read, read:payload'],
  ['a rate limit that is none', ['create', 'web', '--scopes', 'read', '--rate-limit', '5'], '100/1m'],
  ['a reserved name', ['create', 'cli:root', '--scopes', 'read'], 'reserved'],
  ['a key that is not there', ['revoke', 'nobody'], 'keys list'],
])('refuses %s with 2, and says what would do', async (_what, args, help) => {
  const run = await keys(...args);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(help);
  expect(run.stderr).not.toMatch(/\n {4}at /);
});

it('refuses a name that is taken until its key is revoked, and memory storage always', async () => {
  await keys('create', 'web', '--scopes', 'read');
  expect(await keys('create', 'web', '--scopes', 'read')).toMatchObject({ code: 2, stdout: '' });
  await keys('revoke', 'web');
  expect(await keys('create', 'web', '--scopes', 'read')).toMatchObject({ code: 0 });
  const memory = await chokaq(['keys', 'list'], { env: { CHOKAQ_STORAGE: 'memory' }, cwd: folder });
  expect(memory).toMatchObject({ code: 2, stderr: expect.stringContaining('CHOKAQ_API_KEYS_FILE') });
}, 60_000);
