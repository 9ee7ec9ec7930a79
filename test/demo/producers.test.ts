// Owns the proof that the Python producer does what it says: it enqueues to a real service, comes again with the same id, and tells refusals.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../docs/fixture/page.ts';
import { freePort } from '../docs/fixture/shell.ts';
import { World } from '../process/fixture/world.ts';
import { TestServer } from '../sdk/fixture/server.ts';

const PRODUCER = join(ROOT, 'examples/producers/python.py');
const HANDLER = join(ROOT, 'examples/handlers/python.py');
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const KEY = `ck_${'k'.repeat(43)}`;

let world: World;
beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

interface Ended {
  readonly code: number;
  readonly output: string;
}

function produce(url: string, to: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const options = { env: { ...process.env, CHOKAQ_URL: url, ...env } };
  return new Promise(resolve => {
    execFile('python3', [PRODUCER, to], options, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
    );
  });
}

test('from the Python producer to the Python handler, through a real service', async () => {
  const port = String(await freePort());
  const handler = spawn('python3', [HANDLER], { env: { ...process.env, CHOKAQ_SECRET: SECRET, PORT: port } });
  try {
    await once(handler.stdout, 'data');
    const service = await world.start();
    await world.register(service, ['email.send.v1'], { url: `http://127.0.0.1:${port}/`, secret: SECRET });
    const { code, output } = await produce(service.url, 'ü@example.com');
    expect(output).toMatch(/^job [0-9a-f-]{36} is stored\njob [0-9a-f-]{36} succeeded\n$/);
    expect(code).toBe(0);
    const [job] = await service.jobs('&queue=mail');
    expect(job).toMatchObject({ type: 'email.send.v1', state: 'succeeded', idempotencyKey: 'welcome:ü@example.com' });
  } finally {
    handler.kill('SIGKILL');
  }
});

test('a refusal is told with what to do, and ends it with 1', async () => {
  const service = await world.start({ CHOKAQ_STORAGE: 'memory' });
  const { code, output } = await produce(service.url, 'x');
  expect(code).toBe(1);
  expect(output).toMatch(/^422 type-not-registered: .*#\/type/);
});

test('it comes again with the same id when the service hangs up, throttles or is away, and sends its key', async () => {
  const server = await TestServer.scripted(({ url, text }, calls) => {
    if (url.startsWith('/jobs/')) return { status: 200, body: { id: 'x', state: 'dead', failureReason: 'Timeout' } };
    if (calls === 1) return 'hang up';
    if (calls === 2) return { status: 429, body: {}, headers: { 'retry-after': '1' } };
    return { status: 200, body: { ...JSON.parse(text), duplicate: true } };
  });
  try {
    const { code, output } = await produce(server.url, 'x', { CHOKAQ_API_KEY: KEY });
    expect(output).toMatch(/is there already\njob x Timeout\n$/);
    expect(code).toBe(0);
    const posts = server.seen.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map(({ text }) => text)).size).toBe(1);
    expect(server.seen.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
  } finally {
    await server.stop();
  }
});
