// Owns the proof that the TypeScript in the documentation compiles and runs, and that the examples do their work.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { newSecret } from '@chokaq/sdk/receiver';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { World } from '../process/fixture/world.ts';
import { ROOT } from './fixture/page.ts';
import { ShownProgram } from './fixture/program.ts';
import { freePort } from './fixture/shell.ts';

const PATIENCE_MS = 120_000;
const children: ChildProcess[] = [];
let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start({ CHOKAQ_STORAGE: 'memory' });
}, 60_000);
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(() => world.end());

/** Type keys that a page enqueues before it registers them. */
const REGISTERED_BEFORE: Readonly<Record<string, readonly string[]>> = {
  'docs/job-contracts.md': ['email.send.v1', 'invoice.print.v1'],
  'README.md': [],
};
const PRINTED: Readonly<Record<string, RegExp>> = {
  'docs/job-contracts.md': /^type-not-registered\n[\s\S]*\nsucceeded\n[\s\S]*\n1 \{ userId: 1 \}\n[\s\S]*422\n$/,
  'README.md': /^attempt 1 of [0-9a-f-]+: sending "Welcome" to user@example\.com\nsucceeded\n$/,
};

test.each(Object.keys(PRINTED))(
  'the program in %s compiles and runs',
  async path => {
    const ports = { service: Number(new URL(service.url).port), handler: await freePort() };
    for (const type of REGISTERED_BEFORE[path] ?? []) {
      await service.call(
        'PUT',
        `/handlers/${type}`,
        `{"url":"http://127.0.0.1:${ports.handler}/","retry":{"base":"1s"},"maxAttempts":20}`,
      );
    }
    const program = new ShownProgram(path, ports);
    try {
      expect(program.compile()).toEqual([]);
      expect(await program.run({ CHOKAQ_SECRET: newSecret() })).toMatch(PRINTED[path] ?? /never/);
    } finally {
      program.remove();
    }
  },
  PATIENCE_MS,
);

test.each(['express', 'hono'])(
  'the %s receiver registers itself and takes what the producer sends',
  async name => {
    const env = { CHOKAQ_URL: service.url, CHOKAQ_SECRET: newSecret(), PORT: String(await freePort()) };
    const receiver = example(`${name}-receiver`, [], env);
    await once(receiver.stdout, 'data');
    const produce = async (to: string) => text(example('producer', [to], env).stdout);
    expect(await produce(`${name}@example.com`)).toMatch(/stored\n.* succeeded: \{"accepted":".*"\}\n$/);
    expect(await produce(`${name} nobody`)).toMatch(/ FatalError: FatalError: .* is no address\n$/);
  },
  PATIENCE_MS,
);

function example(name: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const file = join(ROOT, `dist/examples/typescript/${name}.js`);
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}
