// Owns the examples that people copy: each verifies real signatures, does its work once, and the curl walk walks.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { World } from '../process/fixture/world.ts';

const ROOT = join(import.meta.dirname, '../..');
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const BODY = '{"to":"user@example.com","n":1.0}';

const children: ChildProcess[] = [];

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

test.each([
  ['Node.js', process.execPath, 'dist/examples/handlers/node.js'],
  ['Python', 'python3', 'examples/handlers/python.py'],
])(
  'the %s handler takes a signed job once, and refuses what is forged, altered, old, or can never work',
  async (_, program, file) => {
    const port = await freePort();
    const handler = run(program, [join(ROOT, file)], { CHOKAQ_SECRET: SECRET, PORT: String(port) });
    await handler.says(/waiting for jobs/);
    const send = (body: string, headers: Record<string, string>) =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers }).then(({ status }) => status);

    expect(await send(BODY, signed('job-1', BODY))).toBeLessThan(300);
    expect(await send(BODY, signed('job-1', BODY))).toBeLessThan(300);
    expect(handler.output().match(/sending to/g)).toHaveLength(1);
    const { 'webhook-signature': signature = '', ...rest } = signed('job-2', BODY);
    expect(await send(BODY, { ...rest, 'webhook-signature': `v1,AAAA ${signature}` })).toBeLessThan(300);

    expect(await send('{"nobody":1}', signed('job-3', '{"nobody":1}'))).toBe(422);
    expect(await send(BODY.replace('1.0', '1'), signed('job-4', BODY))).toBe(401);
    expect(await send(BODY, signed('job-5', BODY, Date.now() - 6 * 60_000))).toBe(401);
    expect(await send(BODY, {})).toBe(401);
    expect(await send(BODY, { ...signed('job-6', BODY), 'webhook-id': 'job-7' })).toBe(401);
    expect(handler.output().match(/sending to/g)).toHaveLength(2);
  },
);

test('the curl walk registers, posts, watches a job fail, finds it in the DLQ and resurrects it', async () => {
  const world = await World.create();
  try {
    const service = await world.start();
    const walk = run('sh', [join(ROOT, 'examples/curl.sh')], { CHOKAQ_URL: service.url });
    const [code] = await once(walk.child, 'close');
    expect(code, walk.output()).toBe(0);
    const [id] = /walk-\d+-\d+/.exec(walk.output()) ?? [];
    expect(await service.job(String(id))).toMatchObject({ type: 'walk.v1', round: 2 });
    expect(walk.output()).toContain('"failureReason":"MaxRetriesExceeded"');
  } finally {
    await world.end();
  }
});

function signed(id: string, body: string, at = Date.now()): Record<string, string> {
  const timestamp = new Date(at);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(id, timestamp, body),
    'chokaq-attempt': '1',
    'content-type': 'application/json',
  };
}

function run(program: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', chunk => {
      output += chunk;
    });
  }
  return {
    child,
    output: () => output,
    says: (pattern: RegExp) => expect.poll(() => output, { timeout: 10_000 }).toMatch(pattern),
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}
