// Owns the first thing a new user sees: the demo ends with every payload accounted for, also when its service is killed on the way.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const MAIN = join(import.meta.dirname, '../../dist/examples/demo/main.js');
const LIMIT_MS = 240_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chokaq-demo-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test(
  'the demo archives every GitHub payload, compared byte for byte, and leaves with 0; again on the same database, too',
  async () => {
    for (const _ of ['first', 'second']) {
      const demo = start('--once');
      expect(await demo.exit, demo.output()).toBe(0);
      expect(demo.output()).toContain('Everything matched.');
      expect(demo.figures()).toMatchObject({
        github: 726,
        githubArchived: 726,
        dead: 5,
        byReason: 'FatalError 5',
        unsigned: 0,
      });
      expect(demo.figures().equal).toBe(demo.figures().posted);
      expect(demo.figures().retries).toBeGreaterThan(14);
      expect(demo.figures().seconds).toBeLessThan(50);
    }
  },
  LIMIT_MS,
);

test(
  'kill -9 of the service in the middle: the demo starts it again, started jobs are Zombie, all others are delivered',
  async () => {
    const demo = start('--once');
    await vi.waitFor(() => expect(demo.archivedSoFar()).toBeGreaterThan(50), { timeout: 90_000, interval: 5 });
    process.kill(demo.servicePid(), 'SIGKILL');
    expect(await demo.exit, demo.output()).toBe(0);
    const { posted, archived, dead, byReason, github } = demo.figures();
    expect(demo.output()).toContain('the service died (SIGKILL)');
    expect(demo.output()).toMatch(/service deaths +1/);
    expect(github).toBe(726);
    expect(archived + dead).toBe(posted);
    expect(byReason).toContain('FatalError 5');
    expect(dead).toBeLessThanOrEqual(5 + 50);
  },
  LIMIT_MS,
);

test(
  'with its port taken the demo finds another, stays after the summary, its curl lines work, and SIGTERM ends all of it',
  async () => {
    const squatter = createServer().listen(8080, '127.0.0.1');
    const isOurs = await Promise.race([
      once(squatter, 'listening').then(() => true),
      once(squatter, 'error').then(() => false),
    ]);
    const demo = start();
    await vi.waitFor(() => expect(demo.output()).toContain('Ctrl-C stops everything'), {
      timeout: 60_000,
      interval: 50,
    });
    expect(demo.output()).toContain('port 8080 is taken');
    const lines = demo
      .output()
      .split('\n')
      .filter(line => line.startsWith('  curl '));
    expect(lines).toHaveLength(3);
    const answers = [];
    for (const line of lines) answers.push(JSON.parse(await shell(line)));
    expect(answers).toMatchObject([
      { type: 'demo.hello.v1', duplicate: false },
      { state: 'dead', failureReason: 'FatalError', advice: expect.any(String) },
      { type: 'demo.refused.v1', round: 2 },
    ]);
    const url = lines[0]?.match(/http:\/\/[^/]+/)?.[0];
    for (const { id } of answers) {
      const job = await (await fetch(`${url}/jobs/${id}?wait=10s`)).json();
      expect(job).toMatchObject({ state: 'succeeded' });
    }
    for (const page of ['/docs', '/jobs', '/dlq']) expect((await fetch(url + page)).status).toBe(200);
    const pid = demo.servicePid();
    demo.signal('SIGTERM');
    expect(await demo.exit).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    if (isOurs) squatter.close();
  },
  LIMIT_MS,
);

function start(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk;
    });
  }
  const found = (pattern: RegExp) => pattern.exec(output)?.slice(1) ?? [];
  return {
    output: () => output,
    exit: once(child, 'close').then(([code]) => code as number | null),
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    servicePid: () => Number(found(/\(process (\d+),/)[0]),
    archivedSoFar: () => Number([...output.matchAll(/archived (\d+), dead/g)].at(-1)?.[1] ?? 0),
    figures: () => {
      const [posted, github, seconds] = found(/posted +(\d+) jobs: (\d+) GitHub payloads .* in ([\d.]+) s/).map(Number);
      const [archived, githubArchived] = found(/archived +(\d+) jobs, (\d+) of/).map(Number);
      const [dead, byReason] = found(/dead +(\d+) jobs: (.*)/);
      const [equal, delivered] = found(/byte for byte +(\d+) of (\d+)/).map(Number);
      const [retries, unsigned] = found(/retries +(\d+), .*, (\d+) of them without/).map(Number);
      const numbers = {
        posted,
        github,
        seconds,
        archived,
        githubArchived,
        equal,
        delivered,
        retries,
        unsigned,
        dead: Number(dead),
      };
      return { ...(numbers as Record<keyof typeof numbers, number>), byReason: String(byReason) };
    },
  };
}

async function shell(line: string): Promise<string> {
  const child = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', chunk => {
    output += chunk;
  });
  await once(child, 'close');
  return output;
}
