// Owns the proof that the packed SDK works in an empty project: what comes along, that it runs, that it compiles, that it shakes.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { newSecret } from '@chokaq/sdk/receiver';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { page } from '../docs/fixture/page.ts';
import { freePort } from '../docs/fixture/shell.ts';
import { World } from '../process/fixture/world.ts';
import { EmptyProject } from './fixture/empty-project.ts';

const PATIENCE_MS = 240_000;
const project = new EmptyProject();
let installed: string[];

beforeAll(() => {
  installed = project.install();
}, PATIENCE_MS);
afterAll(() => project.remove());

const PROGRAM = `
import { ChokaQ, defineJob } from '@chokaq/sdk';
import { createProfile } from '@chokaq/sdk/receiver';
import { FakeChokaQ } from '@chokaq/sdk/testing';

const Greet = defineJob('greet.v1');
const fake = new FakeChokaQ();
await new ChokaQ({ url: 'http://x', fetch: fake.fetch }).enqueue(Greet({ to: 'world' }));
await fake.drain(createProfile('p').handle(Greet, job => console.log('hello ' + job.to)));
`;

describe('in an empty project', () => {
  test('nothing of the service comes along', () => {
    expect(installed).toEqual(['@chokaq/sdk', 'openapi-fetch', 'openapi-typescript-helpers']);
  });

  test('it runs', () => {
    project.write('program.js', PROGRAM);
    expect(project.node('program.js')).toBe('hello world\n');
  });

  test(
    'it compiles without types of Node.js, and checks by the file that `chokaq types` writes',
    () => {
      project.write(
        'jobs.d.ts',
        `import '@chokaq/sdk';\ndeclare module '@chokaq/sdk' { interface JobTypes { 'greet.v1': { to: string } } }\n`,
      );
      project.write('good.ts', PROGRAM.replace("defineJob('greet.v1')", "defineJob<{ to: string }>('greet.v1')"));
      project.write(
        'keys.ts',
        `import { ChokaQ } from '@chokaq/sdk';\nexport const sent = new ChokaQ({ url: 'http://x' }).enqueue('greet.v1', { to: 'x' });\n`,
      );
      project.write(
        'bad.ts',
        `import { ChokaQ } from '@chokaq/sdk';\nexport const sent = new ChokaQ({ url: 'http://x' }).enqueue('greet.v1', { to: 1 });\nexport const lost = new ChokaQ({ url: 'http://x' }).enqueue('other.v1', {});\n`,
      );
      const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
      const said = project.faults(...options, 'good.ts', 'keys.ts', 'bad.ts', 'jobs.d.ts');
      expect(said).toEqual(['bad.ts(2', 'bad.ts(3']);
    },
    PATIENCE_MS,
  );

  test(
    'the program of the README runs against a service, whose types the SDK’s own command then writes',
    async () => {
      const world = await World.create();
      try {
        const service = await world.start({ CHOKAQ_STORAGE: 'memory' });
        const [shown] = page('README.md').blocksIn('ts');
        const handler = await freePort();
        const text = (shown?.text ?? '').replace('http://127.0.0.1:8080', service.url).replaceAll('3000', `${handler}`);
        project.write('mail.js', ts.transpile(text, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }));
        const printed = await project.run(process.execPath, ['mail.js'], { CHOKAQ_SECRET: newSecret() });
        expect(printed).toMatch(/^attempt 1 of .*: sending "Welcome" to user@example\.com\nsucceeded\n$/);
        const types = await project.run('node_modules/.bin/chokaq', ['types', '--url', service.url]);
        expect(types).toContain('"email.welcome.v1": unknown;');
        await expect(project.run('node_modules/.bin/chokaq', ['keys'])).rejects.toThrow(/Usage: chokaq types/);
        await expect(project.run('node_modules/.bin/chokaq', ['types', '--uri=x'])).rejects.toThrow(/Usage/);
      } finally {
        await world.end();
      }
    },
    PATIENCE_MS,
  );

  test('the receiver does not load the client, nor the client the receiver', () => {
    const [client, receiver] = ['index.js', 'receiver/index.js'].map(entry => [...loadedFrom(entry)].join(' '));
    expect(client).toContain('wire.js');
    expect(client).not.toContain('receiver/');
    expect(receiver).toContain('receiver/signature.js');
    expect(receiver).not.toMatch(/wire\.js|client\.js/);
  });
});

/** All files that an entry point loads, from the packed sources. */
function loadedFrom(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(join(project.folder, 'node_modules/@chokaq/sdk/dist', path), 'utf8');
  for (const [, next = ''] of text.matchAll(/from ["'](\.[^"']+)["']/g))
    loadedFrom(posix.join(posix.dirname(path), next), seen);
  return seen;
}
