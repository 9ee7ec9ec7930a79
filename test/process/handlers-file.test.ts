// Owns the proof of the file of handlers over processes: it holds from the first job on, across restarts, and a wrong one keeps the service from starting.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret, Verifier } from '@chokaq/sdk/receiver';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { page, ROOT } from '../docs/fixture/page.ts';
import { World } from './fixture/world.ts';

const SECRET = newSecret();
let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

function file(text: string): { CHOKAQ_HANDLERS_FILE: string; CHOKAQ_SECRET: string } {
  const path = join(world.folder, 'handlers.yaml');
  writeFileSync(path, text.replaceAll('http://127.0.0.1:3000/', world.handlers.url));
  return { CHOKAQ_HANDLERS_FILE: path, CHOKAQ_SECRET: SECRET };
}

test('the example holds from the first job on, signed with its secret, also on memory storage', async () => {
  const text = readFileSync(join(ROOT, 'examples/handlers.yaml'), 'utf8');
  const service = await world.start({ ...file(text), CHOKAQ_STORAGE: 'memory' });
  expect(service.logged('handlersFromFile')).toMatchObject([{ created: 2, changed: 0, removed: 0 }]);
  const { items } = await service.read('/handlers');
  expect(items).toMatchObject([
    { type: 'email.digest.v1', managedBy: 'file', concurrency: 2, maxAttempts: 5 },
    { type: 'email.welcome.v1', managedBy: 'file', timeout: '30s', schema: null },
  ]);
  const id = await service.enqueue('email.welcome.v1', {}, '{"to":"x"}');
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded' });
  const [call] = world.handlers.callsFor(id);
  const header = (name: string) => String(call?.headers[name]);
  const [one, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header);
  const signed = {
    id: one ?? '',
    timestamp: timestamp ?? '',
    signatures: signatures ?? '',
    body: call?.body ?? Buffer.of(),
  };
  expect(await new Verifier(SECRET).isSigned(signed)).toBe(true);
  expect(service.output).not.toContain(SECRET);
});

test('a restart brings the handlers in line with it: for running nodes too', async () => {
  const entry = (type: string) => `  - { type: ${type}, url: "${world.handlers.url}", secret: ${SECRET} }\n`;
  const running = await world.start(file(`handlers:\n${entry('a.v1')}${entry('b.v1')}`));
  await running.ended(await running.enqueue('a.v1'));
  const waiting = await running.enqueue('b.v1', { delay: '1h' });
  const next = await world.start(file(`handlers:\n${entry('c.v1')}`));
  expect(next.logged('handlersFromFile')).toMatchObject([{ created: 1, changed: 0, removed: 1 }]);
  expect(next.logged('handlerReleased')).toMatchObject([{ type: 'b.v1' }]);
  expect(await running.ended(await running.enqueue('c.v1'))).toMatchObject({ state: 'succeeded' });
  expect(await running.job(waiting)).toMatchObject({ state: 'scheduled' });
  const refused = await running.call('PUT', '/handlers/c.v1', { url: world.handlers.url });
  expect(refused.json).toMatchObject({ status: 409, code: 'handler-managed-by-file' });
});

test('a wrong one keeps the service from starting, with every fault, its line, and no secret', async () => {
  const entries = `handlers:\n  - type: a.v1\n    url: ftp://x\n    secret: ${SECRET}\n    circuit: { breakTime: 1m, maxBreakTime: 1s }`;
  const judged = world.spawn(file(entries));
  expect((await judged.exit).code).toBe(2);
  expect(judged.output).toContain('handlers.yaml:3: handlers[0].url');
  expect(judged.output).toContain(
    'handlers.yaml:5: handlers[0].circuit.maxBreakTime must not be shorter than breakTime.',
  );
  const misread = world.spawn(file(`handlers:\n  - type: a.v1\n    secret: ${SECRET.slice(0, 20)}`));
  expect((await misread.exit).code).toBe(2);
  for (const said of ['handlers.yaml:2: handlers[0].url is required', 'handlers.yaml:3: handlers[0].secret must be'])
    expect(misread.output).toContain(said);
  expect(judged.output + misread.output).not.toContain('whsec_A');
  expect(judged.output + misread.output).not.toContain(SECRET.slice(6, 20));
  const absent = world.spawn({ CHOKAQ_HANDLERS_FILE: join(world.folder, 'none.yaml') });
  expect((await absent.exit).code).toBe(2);
  expect(absent.output).toContain('none.yaml cannot be read');
});

test('the file in docs/handlers.md is one that a service takes', async () => {
  const [shown] = page('docs/handlers.md').blocksIn('yaml');
  const secret = join(world.folder, 'secret');
  writeFileSync(secret, SECRET);
  const text = (shown?.text ?? '').replace('/run/secrets/chokaq-reports', secret);
  expect(parse(text).handlers).toHaveLength(2);
  const service = await world.start({
    ...file(text),
    ...{ CHOKAQ_STORAGE: 'memory', APP_URL: 'https://app.example.com', MAIL_SECRET: SECRET, MAIL_TOKEN: 't' },
  });
  expect((await service.read('/handlers')).items).toHaveLength(2);
});
