// Owns the proof that docs/access.md works as it is printed there: keys made, used and revoked while a service runs, and the file of keys.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SCOPES } from '#service/domain/access.js';
import { World } from '../process/fixture/world.ts';
import { page } from './fixture/page.ts';
import { freePort, runShell } from './fixture/shell.ts';

const PAGE = page('docs/access.md');
let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

test('the commands do what the page says, one after another', async () => {
  const service = await world.start();
  const script = PAGE.blocksIn('sh')
    .map(({ text }) => text)
    .join('\n');
  const ports = { service: Number(new URL(service.url).port), handler: await freePort() };
  const printed = await runShell(script, ports, { CHOKAQ_SQLITE_PATH: world.file });
  expect(printed).toMatch(/^ck_[\w-]{43}$/m);
  expect(printed).toMatch(/^shop +produce +600\/1m +cli /m);
  expect(printed).toContain('shop (');
  const [queues, , recent, made] = printed
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
  expect(queues).toMatchObject({ items: [] });
  expect(recent.items[0]).toMatchObject({ actor: 'ops', action: 'queue.pause', outcome: 'not-found' });
  expect(made.items).toMatchObject([{ action: 'key.create', target: 'ops', actor: expect.stringMatching(/^cli:/) }]);
});

test('the file of keys is one that a service takes', async () => {
  const [shown] = PAGE.blocksIn('yaml');
  const secret = join(world.folder, 'secret');
  writeFileSync(secret, `ck_${'s'.repeat(43)}`);
  const path = join(world.folder, 'keys.yaml');
  writeFileSync(path, (shown?.text ?? '').replace('/run/secrets/chokaq-ops', secret));
  const service = await world.start({ CHOKAQ_API_KEYS_FILE: path });
  expect(service.logged('keysFromFile')).toMatchObject([{ created: 2 }]);
  const headers = { authorization: `Bearer ck_${'s'.repeat(43)}` };
  expect((await service.call('GET', '/queues', undefined, headers)).status).toBe(200);
  expect(parse(shown?.text ?? '').keys[0].hash).toBe(createHash('sha256').update('foo').digest('hex'));
});

test('the scopes are those of the code', () => {
  const named = PAGE.mentions(/^\| `[\w:]+` \|/gm).map(row => row.slice(3, -3));
  expect(named.slice(0, SCOPES.length)).toEqual([...SCOPES]);
});
