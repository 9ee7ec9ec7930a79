// Owns the proof of API keys over processes: commands and files change who is let in while services run, and secrets stay secret.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { chokaq, type Run } from '../cli/fixture/command.ts';
import { ROOT } from '../docs/fixture/page.ts';
import type { ServiceProcess, Settings } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

const FOLLOWS_WITHIN_MS = 2_000;

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

function keys(...args: readonly string[]): Promise<Run> {
  return chokaq(['keys', ...args], { env: { CHOKAQ_SQLITE_PATH: world.file } });
}

async function made(name: string, scopes: string): Promise<Settings> {
  const { stdout, code, stderr } = await keys('create', name, '--scopes', scopes);
  expect(stderr + code).toMatch(/0$/);
  expect(stdout).toMatch(/^ck_[\w-]{43}\n$/);
  return bearer(stdout.trim());
}

function bearer(secret: string): Settings {
  return { authorization: `Bearer ${secret}` };
}

function newSecret(): string {
  return `ck_${randomBytes(32).toString('base64url')}`;
}

async function statusOf(service: ServiceProcess, headers: Settings = {}): Promise<number> {
  return (await service.call('GET', '/queues', undefined, headers)).status;
}

/** The status on all nodes, once it is that; fails when a node takes longer than it may. */
async function follows(nodes: readonly ServiceProcess[], headers: Settings, status: number): Promise<void> {
  const startedAt = performance.now();
  for (const node of nodes) await eventually(async () => expect(await statusOf(node, headers)).toBe(status));
  // A busy machine gets as much again.
  expect(performance.now() - startedAt).toBeLessThan(2 * FOLLOWS_WITHIN_MS);
}

test('Running nodes take up the first key, and a revocation, within two seconds', async () => {
  const nodes = [await world.start(), await world.start()];
  for (const node of nodes) {
    expect(node.logged('loopbackMode')).toHaveLength(1);
    expect(await statusOf(node)).toBe(200);
  }
  const web = await made('web', 'read');
  await follows(nodes, {}, 401);
  await follows(nodes, web, 200);
  const ops = await made('ops', 'read,operate');
  await follows(nodes, ops, 200);
  expect(await keys('revoke', 'web')).toMatchObject({ code: 0, stdout: expect.stringContaining('web') });
  await follows(nodes, web, 401);
  await keys('revoke', 'ops');
  await follows(nodes, ops, 401);
  for (const node of nodes) {
    expect(await statusOf(node)).toBe(401);
    expect((await node.call('GET', '/livez')).status).toBe(200);
  }
});

test('Whoever reads live events reads on only while the key holds', async () => {
  const web = await made('web', 'read');
  const service = await world.start();
  const response = await fetch(`${service.url}/events`, { headers: web });
  expect(response.status).toBe(200);
  const ended = response.text().then(() => performance.now());
  await keys('revoke', 'web');
  const revokedAt = performance.now();
  expect((await ended) - revokedAt).toBeLessThan(2 * FOLLOWS_WITHIN_MS);
});

test('A restart with keys asks for them, knows who used them, and what the command line did', async () => {
  const ops = await made('ops', 'all');
  const service = await world.start();
  expect(service.logged('loopbackMode')).toEqual([]);
  expect(await statusOf(service, ops)).toBe(200);
  expect(await statusOf(service)).toBe(401);
  const { items } = (await service.call('GET', '/audit', undefined, ops)).json;
  expect(items).toMatchObject([{ actor: expect.stringMatching(/^cli:./), action: 'key.create', target: 'ops' }]);
  await eventually(async () => {
    const [listed] = JSON.parse((await keys('list', '--json')).stdout);
    expect(listed).toMatchObject({ name: 'ops', managedBy: 'cli', lastUsedAt: expect.any(String) });
  });
});

describe('A service that others can reach', () => {
  const EXPOSED = { CHOKAQ_HOST: '0.0.0.0' };

  test('does not start without a key, and the command it prints makes one with which it does', async () => {
    const refused = world.spawn(EXPOSED);
    expect((await refused.exit).code).toBe(2);
    expect(refused.output).not.toMatch(/listening on|\n {4}at /);
    const commands = refused.output.split('\n').map(line => line.trim());
    expect(commands).toContain('CHOKAQ_ALLOW_ANONYMOUS=true CHOKAQ_HOST=0.0.0.0 npm start');
    const command = commands.find(line => line.includes(' keys create ')) ?? 'false';
    const secret = execFileSync('bash', ['-c', command], { cwd: ROOT, encoding: 'utf8' }).trim();
    const service = await world.start(EXPOSED);
    expect(await statusOf(service, bearer(secret))).toBe(200);
    expect(await statusOf(service)).toBe(401);
    expect((await service.call('GET', '/readyz')).status).toBe(200);
  });

  test('starts without a key when that is asked for, and warns', async () => {
    const service = await world.start({ ...EXPOSED, CHOKAQ_ALLOW_ANONYMOUS: 'true' });
    expect(service.logged('anonymousMode')).toHaveLength(1);
    expect(await statusOf(service)).toBe(200);
  });

  test('on memory storage is sent to the file of keys', async () => {
    const refused = world.spawn({ ...EXPOSED, CHOKAQ_STORAGE: 'memory' });
    expect((await refused.exit).code).toBe(2);
    expect(refused.output).toContain('CHOKAQ_API_KEYS_FILE');
    expect(refused.output).not.toContain('keys create');
  });
});

describe('The file of keys', () => {
  const file = (entries: readonly object[]): Settings => {
    const path = join(world.folder, 'keys.yaml');
    // JSON is YAML.
    writeFileSync(path, JSON.stringify({ keys: entries }));
    return { CHOKAQ_API_KEYS_FILE: path };
  };

  test('lets in whom it names, by hash, secret or file of a secret, on memory storage too', async () => {
    const [one, two, three] = [newSecret(), newSecret(), newSecret()];
    writeFileSync(join(world.folder, 'three'), `${three}\n`);
    const settings = file([
      { name: 'one', scopes: ['read'], hash: createHash('sha256').update(one).digest('hex') },
      { name: 'two', scopes: ['read'], key: two, rateLimit: '2/1m' },
      { name: 'three', scopes: ['produce'], keyFile: join(world.folder, 'three') },
    ]);
    const service = await world.start({ ...settings, CHOKAQ_STORAGE: 'memory', CHOKAQ_HOST: '0.0.0.0' });
    const statuses = [one, two, three, newSecret()].map(secret => statusOf(service, bearer(secret)));
    expect(await Promise.all(statuses)).toEqual([200, 200, 403, 401]);
    expect([await statusOf(service, bearer(two)), await statusOf(service, bearer(two))]).toEqual([200, 429]);
    const { items } = (await service.call('GET', '/audit?action=key.create', undefined, bearer(one))).json;
    expect(items.map(({ actor }: { actor: string }) => actor)).toEqual(['file', 'file', 'file']);
    for (const secret of [one, two, three]) expect(service.output).not.toContain(secret);
  });

  test('revokes at the next start what it no longer names, but a person has the last word', async () => {
    const [web, ops] = [newSecret(), newSecret()];
    const entries = [
      { name: 'web', scopes: ['read'], key: web },
      { name: 'ops', scopes: ['read'], key: ops },
    ];
    const both = file(entries);
    const running = await world.start(both);
    expect(await statusOf(running, bearer(ops))).toBe(200);
    const restarted = await world.start(file(entries.slice(0, 1)));
    await follows([running, restarted], bearer(ops), 401);
    await follows([running, restarted], bearer(web), 200);

    await keys('revoke', 'web');
    const again = await world.start(file(entries));
    expect(again.logged('keyStaysRevoked')).toMatchObject([{ name: 'web' }]);
    expect([await statusOf(again, bearer(web)), await statusOf(again, bearer(ops))]).toEqual([401, 200]);
  });

  test('stops the start when it is wrong, naming all faults and no secret', async () => {
    const secret = newSecret();
    const settings = file([
      { name: 'web', scopes: ['read'], key: 'ck_short-secret' },
      { name: 'web', scopes: ['fly'], key: secret, rateLimit: 'often' },
      { scopes: [], hash: 'abc', key: secret },
    ]);
    const refused = world.spawn(settings);
    expect((await refused.exit).code).toBe(2);
    for (const part of ['keys[0]', 'keys[1]', 'keys[2]', '"fly" is no scope', 'exactly one of hash, key and keyFile'])
      expect(refused.output).toContain(part);
    for (const hidden of [secret, 'ck_short-secret']) expect(refused.output).not.toContain(hidden);
    const missing = world.spawn({ CHOKAQ_API_KEYS_FILE: join(world.folder, 'none.yaml') });
    expect((await missing.exit).code).toBe(2);
    expect(missing.output).toContain('CHOKAQ_API_KEYS_FILE');
  });

  test('stops the start when a name in it belongs to a key of the command line', async () => {
    await made('web', 'read');
    const refused = world.spawn(file([{ name: 'web', scopes: ['read'], key: newSecret() }]));
    expect((await refused.exit).code).toBe(2);
    expect(refused.output).toContain('belongs to another key');
  });
});

test('No secret is ever logged, not even at debug, whatever is done with it', async () => {
  const ops = await made('ops', 'all');
  const service = await world.start();
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const handler = { url: 'http://127.0.0.1:9/?token=of-the-url', secret, headers: { 'x-key': 'of-the-header' } };
  const calls: readonly (readonly [string, string, unknown])[] = [
    ['PUT', '/handlers/t.v1', handler],
    ['PUT', '/handlers/t.v1', { ...handler, url: 'not a url' }],
    ['POST', '/handlers/t.v1/test', undefined],
    ['POST', '/jobs', { type: 't.v1', payload: { text: 'of-the-payload' }, maxAttempts: 1 }],
    ['POST', '/jobs', `{"type": "t.v1", "payload": "of-the-payload`],
    ['GET', '/jobs?wait=1', undefined],
  ];
  for (const [method, path, body] of calls) await service.call(method, path, body, ops);
  await statusOf(service, bearer('ck_some-wrong-secret'));
  const { code } = await service.stop();
  expect(code).toBe(0);
  const hidden = [secret, 'of-the-url', 'of-the-header', 'of-the-payload', 'ck_'];
  for (const text of hidden) expect(service.output, text).not.toContain(text);
});
