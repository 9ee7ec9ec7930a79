// Owns the proof that the commands and bodies in docs/ are accepted by a real service.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { World } from '../process/fixture/world.ts';
import { type Block, PAGES } from './fixture/page.ts';
import { runShell } from './fixture/shell.ts';

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start({ CHOKAQ_STORAGE: 'memory' });
}, 60_000);
afterAll(() => world.end());

/** Walked by tests of their own, from top to bottom or beside a file: each command builds on what was there before. */
const WALKED = ['README.md', 'docs/access.md', 'docs/sql.md'];
const shown = PAGES.filter(({ path }) => !WALKED.includes(path)).flatMap(({ path, blocks }) =>
  blocks.map((block, at) => ({ name: `${path}, block ${at + 1}`, ...block })),
);

/** Every type that a block names has a handler, as it would have for a reader who comes to this block. */
async function registerTypes({ text }: Block): Promise<void> {
  const types = [...text.matchAll(/"type": ?"([a-z.]+\.v\d)"|\/handlers\/([a-z.]+\.v\d)/g)].map(
    ([, a, b]) => a ?? b ?? '',
  );
  const ownType = /-X PUT [^\n]*\/handlers\/([a-z.]+\.v\d)/.exec(text)?.[1];
  await world.register(
    service,
    types.filter(type => type !== ownType),
  );
}

describe('commands', () => {
  const commands = shown.filter(({ language }) => language === 'sh');

  test.each(commands)('$name is what a shell can read', ({ text }) => {
    expect(() => execFileSync('bash', ['-n', '-c', text])).not.toThrow();
  });

  test.each(commands.filter(({ text }) => /http:\/\/127\.0\.0\.1:8080|^node /.test(text)))(
    '$name is accepted',
    async block => {
      await registerTypes(block);
      const ports = { service: Number(new URL(service.url).port), handler: Number(new URL(world.handlers.url).port) };
      await expect(runShell(block.text, ports)).resolves.toBeTypeOf('string');
    },
  );
});

describe('bodies', () => {
  const bodies = shown.filter(({ language, text }) => language === 'json' && text.startsWith('{'));

  test.each(bodies.filter(({ text }) => text.includes('"payload"')))('the job in $name is stored', async block => {
    await registerTypes(block);
    expect(await service.call('POST', '/jobs', block.text)).toMatchObject({ status: 201 });
  });

  test.each(bodies.filter(({ text }) => text.includes('"url"')))(
    'the handler in $name is registered',
    async ({ text }) => {
      expect(await service.call('PUT', '/handlers/shown.v1', text)).toMatchObject({ status: 201 });
    },
  );
});
