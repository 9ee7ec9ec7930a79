// Owns the proof that every route of openapi.yaml has a named call, and that each call goes to a route of it.
import { ChokaQ } from '@chokaq/sdk';
import { expect, test } from 'vitest';
import { operations } from '../api/fixture/contract.ts';

/** What is for machines and browsers: `client.api` reaches it. */
const UNNAMED = ['/livez', '/readyz', '/metrics', '/problems/{code}', '/openapi.yaml', '/openapi.json', '/docs'];

const CALLS: readonly ((client: ChokaQ) => Promise<unknown>)[] = [
  c => c.enqueue('a', 1),
  c => c.enqueueBatch([{ type: 'a', payload: 1 }]),
  c => c.waitFor('x', { timeout: 0 }),
  c => c.jobs.list().all(),
  c => c.jobs.attempts('x').all(),
  c => c.jobs.edit('x', '"1-1"', { priority: 1 }),
  c => c.jobs.delete('x'),
  c => c.jobs.cancel('x'),
  c => c.jobs.cancelMany(['x']),
  c => c.dlq.list().all(),
  c => c.dlq.get('x'),
  c => c.dlq.resurrect('x'),
  c => c.dlq.purge('x'),
  c => c.dlq.preview({ action: 'purge', all: true }),
  c => c.dlq.resurrectMany({ ids: ['x'] }),
  c => c.dlq.purgeMany({ ids: ['x'] }),
  c => c.dlq.errors().all(),
  c => c.operations.get('x'),
  c => c.operations.cancel('x'),
  c => c.queues.list().all(),
  c => c.queues.get('x'),
  c => c.queues.configure('x', { isActive: true }),
  c => c.queues.remove('x'),
  c => c.queues.pause('x'),
  c => c.queues.resume('x'),
  c => c.handlers.list().all(),
  c => c.handlers.get('x'),
  c => c.handlers.put('x', { url: 'http://x/' }),
  c => c.handlers.remove('x'),
  c => c.handlers.test('x'),
  c => c.circuits.list().all(),
  c => c.circuits.open('x'),
  c => c.circuits.reset('x'),
  c => c.stats.get(),
  c => c.stats.series(),
  c => c.nodes.list().all(),
  c => c.settings.list().all(),
  c => c.settings.change({ concurrency: 1 }),
  c => c.audit.list().all(),
  c => c.events().next(),
];

test('every route has a named call, and every named call a route', async () => {
  const called: string[] = [];
  const fetch = async (request: Request) => {
    called.push(`${request.method} ${new URL(request.url).pathname.replace(/(?<=^\/\w+\/)x/, '{}')}`);
    return new Response('{"code":"not-found","status":404}', { status: 404 });
  };
  const client = new ChokaQ({ url: 'http://x', fetch, retryFor: 0 });
  for (const call of CALLS) await expect(call(client)).rejects.toMatchObject({ code: 'not-found' });
  const routes = operations()
    .filter(([path]) => !UNNAMED.includes(path))
    .map(([path, method]) => `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect([...new Set(called)].sort()).toEqual(routes.sort());
});
