// Owns the proof of `chokaq jobs`, `dlq`, `queues` and `types` against a real service.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { World } from '../process/fixture/world.ts';
import { chokaq } from './fixture/command.ts';

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start({ CHOKAQ_STORAGE: 'memory' });
  const schema = { type: 'object', required: ['to'], properties: { to: { type: 'string' }, n: { type: 'integer' } } };
  const handler = { url: 'http://127.0.0.1:9/', maxAttempts: 1, schema };
  await service.call('PUT', '/handlers/email.send.v1', JSON.stringify(handler));
  await service.call('PUT', '/handlers/tick.v1', JSON.stringify({ url: 'http://127.0.0.1:9/', maxAttempts: 1 }));
}, 60_000);
afterAll(() => world.end());

const run = (...args: string[]) => chokaq(args, { env: { CHOKAQ_URL: service.url } });

async function ok(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(...args);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return stdout;
}

async function post(job: object | string): Promise<void> {
  const answer = await service.call('POST', '/jobs', typeof job === 'string' ? job : JSON.stringify(job));
  expect(answer.status).toBe(201);
}

async function dead(id: string, type = 'tick.v1'): Promise<void> {
  await post({ id, type, payload: { to: 'x' } });
  expect(await run('jobs', 'wait', id)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('MaxRetriesExceeded'),
  });
}

describe('chokaq jobs', () => {
  test('lists, shows exactly, edits under the version that was read, cancels, each with its result', async () => {
    await post('{"id":"j1","type":"email.send.v1","delay":"1h","payload":{"to":"x","n":9007199254740993}}');
    expect(await ok('jobs', 'list', '--type', 'email.send.v1')).toMatch(
      /^ID +TYPE .*\nj1 +email\.send\.v1 +default +scheduled/,
    );
    expect(await ok('jobs', 'show', 'j1')).toMatch(/\npayload:\n\{"to":"x","n":9007199254740993\}\n$/);
    await ok(
      'jobs',
      'edit',
      'j1',
      '--payload',
      '{"to":"y","n":12345678901234567890}',
      '--priority',
      '-5',
      '--tag',
      'a',
      'b',
    );
    const json = await ok('jobs', 'show', 'j1', '--json');
    expect(json).toContain('{"to":"y","n":12345678901234567890}');
    expect(JSON.parse(json)).toMatchObject({ priority: -5, tags: ['a', 'b'] });
    const cancelled = await run('jobs', 'cancel', 'j1', 'nope', '--json');
    expect([cancelled.code, JSON.parse(cancelled.stdout)]).toEqual([
      1,
      [
        { id: 'j1', ok: true, code: null },
        { id: 'nope', ok: false, code: 'not-found' },
      ],
    ]);
  });

  test('says what is wrong, and what to do', async () => {
    expect(await run('jobs', 'show', 'nope')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is no job nope'),
    });
    expect(await run('jobs', 'edit', 'x')).toMatchObject({ code: 2, stderr: expect.stringContaining('--payload') });
    expect(await run('jobs', 'edit', 'x', '--payload', '{')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('JSON'),
    });
    expect(await run('queues', 'show', '..')).toMatchObject({ code: 2 });
    const away = await chokaq(['jobs', 'list', '--url', 'http://127.0.0.1:1']);
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining('CHOKAQ_URL') });
  });
});

describe('chokaq dlq', () => {
  test('shows why and what to check, previews by filter, and acts only with --yes', async () => {
    for (const id of ['d1', 'd2']) await dead(id);
    expect(await ok('dlq', 'show', 'd1')).toMatch(/advice: Every attempt failed/);
    expect(await ok('dlq', 'errors')).toMatch(/FAMILY +JOBS/);
    const preview = await ok('dlq', 'resurrect', '--type', 'tick.v1');
    expect(preview).toMatch(/2 match, 2 would be affected[\s\S]*add --yes/);
    expect(JSON.parse(await ok('dlq', 'list', '--type', 'tick.v1', '--json'))).toHaveLength(2);
    expect(await ok('dlq', 'purge', '--type', 'tick.v1', '--max', '1', '--yes')).toBe('1 of 1 jobs: purge\n');
    const [left] = JSON.parse(await ok('dlq', 'list', '--type', 'tick.v1', '--json'));
    expect(await ok('dlq', 'resurrect', left.id, '--payload', '{"to":1.0}')).toContain('round 2');
  });

  test('wants to know which jobs', async () => {
    for (const args of [[], ['x', '--all'], ['x', 'y', '--payload', '1']]) {
      expect(await run('dlq', 'resurrect', ...args)).toMatchObject({ code: 2 });
    }
  });
});

test('chokaq queues shows counts, pauses, bounds and unbounds, resumes', async () => {
  await post({ type: 'tick.v1', queue: 'q ü', delay: '1h', payload: 1 });
  expect(await ok('queues', 'list')).toMatch(/^QUEUE +STATE[\s\S]*\nq ü +running +0 +1 /);
  expect(await ok('queues', 'pause', 'q ü')).toBe('q ü is paused, max workers unbounded\n');
  expect(await ok('queues', 'set', 'q ü', '--max-workers', '3')).toBe('q ü is paused, max workers 3\n');
  expect(await ok('queues', 'set', 'q ü', '--max-workers', 'none')).toBe('q ü is paused, max workers unbounded\n');
  expect(JSON.parse(await ok('queues', 'resume', 'q ü', '--json'))).toMatchObject({ isPaused: false });
  expect(await run('queues', 'remove', 'q ü')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('conflict-state'),
  });
});

test('chokaq types writes what the compiler checks payloads by', async () => {
  expect(
    await ok('types'),
  ).toBe(`// Written by \`chokaq types\`: the type keys that were registered, with the payloads that their schemas allow.
import '@chokaq/sdk';

declare module '@chokaq/sdk' {
  interface JobTypes {
    "email.send.v1": {
      "to": string;
      "n"?: number;
    };
    "tick.v1": unknown;
  }
}
`);
});
