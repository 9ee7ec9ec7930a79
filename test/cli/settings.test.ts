// Owns the proof that `chokaq config` shows what `chokaq serve` would take, and that both refuse wrong settings readably.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MachineClock } from '#service/clock.js';
import { openStore } from '#service/storage/open.js';
import { chokaq } from './fixture/command.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-cli-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

describe('chokaq config', () => {
  it('prints a table of effective values with their source; chokaq.yaml lies in the working directory', async () => {
    writeFileSync(join(folder, 'chokaq.yaml'), 'concurrency: 7\npollInterval: 2s\n');
    const env = { CHOKAQ_POLL_INTERVAL: '250ms', CHOKAQ_MSSQL_URL: 'Server=db;Password=hunter2' };
    const run = await chokaq(['config'], { cwd: folder, env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/^CHOKAQ_CONCURRENCY +7 +chokaq\.yaml$/m);
    expect(run.stdout).toMatch(/^CHOKAQ_POLL_INTERVAL +250ms +environment$/m);
    expect(run.stdout).toMatch(/^CHOKAQ_PORT +8080 +default$/m);
    expect(run.stdout).toMatch(/^CHOKAQ_MSSQL_URL +\(hidden\) +environment$/m);
    expect(run.stdout).not.toContain('hunter2');
  });

  it('prints JSON, and reads the file that --config names', async () => {
    const file = join(folder, 'other.yaml');
    writeFileSync(file, 'concurrency: 9\n');
    const run = await chokaq(['config', '--json', '--config', file], { cwd: folder });
    const settings = JSON.parse(run.stdout) as { name: string }[];
    expect(settings.find(({ name }) => name === 'concurrency')).toEqual({
      name: 'concurrency',
      env: 'CHOKAQ_CONCURRENCY',
      value: '9',
      source: 'chokaq.yaml',
      default: '50',
      allowed: 'a whole number from 1 to 10000',
      unit: 'calls',
      meaning: expect.any(String),
    });
  });

  it('refuses a file that --config names and that is not there', async () => {
    const run = await chokaq(['config', '--config', join(folder, 'none.yaml')]);
    expect(run).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('none.yaml cannot be read') });
  });
});

describe.each(['serve', 'config'])('K2 · chokaq %s with wrong settings', command => {
  it('names all of them at once, without a stack, and ends with 2', async () => {
    writeFileSync(join(folder, 'chokaq.yaml'), 'concurrency: many\n');
    const run = await chokaq([command], {
      cwd: folder,
      env: { CHOKAQ_PORT: 'x', CHOKAQ_NONE: '1', CHOKAQ_RETRY_MAX: '2s' },
    });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr.split('\n')).toEqual([
      'chokaq: 4 settings are wrong; nothing was started.',
      '  - concurrency: must be a whole number from 1 to 10000, not "many" (chokaq.yaml).',
      '  - CHOKAQ_PORT: must be a whole number from 0 to 65535, not "x" (environment).',
      '  - CHOKAQ_NONE: no such setting (environment); `chokaq config` lists those that exist.',
      expect.stringContaining('  - CHOKAQ_RETRY_BASE: 3s is longer'),
      '',
    ]);
  });
});

describe('chokaq', () => {
  it('tells its version and its commands', async () => {
    expect((await chokaq(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await chokaq(['--help']);
    expect(help.code).toBe(0);
    for (const command of ['serve', 'enqueue', 'config']) expect(help.stdout).toContain(command);
  });

  it.each([[['fly']], [['serve', '--fast']], [['config', 'extra']], [[]]])(
    '%j is refused with exit code 2',
    async args => {
      expect(await chokaq(args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(/--help|Usage/) });
    },
  );
});

describe('chokaq config and what is stored for all nodes', () => {
  it('is shown before variables and files, removed by --unset, and looking makes no database', async () => {
    const path = join(folder, 'chokaq.db');
    const env = { CHOKAQ_SQLITE_PATH: path, CHOKAQ_CONCURRENCY: '7' };
    expect((await chokaq(['config'], { env })).stdout).toMatch(/^CHOKAQ_CONCURRENCY +7 +environment$/m);
    expect(existsSync(path)).toBe(false);
    const store = await openStore({ kind: 'sqlite', path }, { clock: new MachineClock() });
    await store.settings.change({ concurrency: '5', pollInterval: 'soon' }, 'alice', 0);
    const wrong = await chokaq(['config'], { env });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('remove it with `chokaq config --unset pollInterval`');
    const right = await chokaq(['config', '--unset', 'pollInterval'], { env });
    expect(right).toMatchObject({ code: 0, stderr: '' });
    expect(right.stdout).toMatch(/^CHOKAQ_CONCURRENCY +5 +stored$/m);
    expect((await store.settings.read()).settings.map(({ name }) => name)).toEqual(['concurrency']);
    expect((await store.audit.list({}, 10, null)).items).toMatchObject([
      {
        actor: expect.stringMatching(/^cli:./),
        action: 'settings.change',
        details: { settings: { pollInterval: null } },
      },
    ]);
    await store.close();
    const missing = await chokaq(['config', '--unset', 'port'], { env });
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('port: not stored') });
  }, 60_000);
});
