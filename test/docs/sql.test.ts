// Owns the proof that the tables can be read as docs/sql.md and examples/look.sql do it, beside a running service, and say what the API says.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { World } from '../process/fixture/world.ts';
import { page, ROOT } from './fixture/page.ts';
import { runShell } from './fixture/shell.ts';

const EXAMPLE = readFileSync(join(ROOT, 'examples/look.sql'), 'utf8');
const QUERIES = [...EXAMPLE.matchAll(/^SELECT[^;]+;/gm)].map(([query]) => query);

let world: World;
let service: ServiceProcess;
let waiting: string[];
let dead: string[];

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (query: string) => world.connect().prepare<[], Row>(query).all();

beforeAll(async () => {
  world = await World.create();
  service = await world.start();
  world.handlers
    .on('ill.v1', () => ({ status: 500, body: 'ill' }))
    .on('wrong.v1', () => ({ status: 422, body: 'wrong' }));
  await world.register(service, ['good.v1', 'ill.v1', 'wrong.v1'], { maxAttempts: 2 });
  const done = await service.enqueue('good.v1', { queue: 'mail' });
  dead = [await service.enqueue('wrong.v1'), await service.enqueue('ill.v1', {}, '{"to": "ü"}')];
  for (const id of [done, ...dead]) await service.ended(id);
  await service.call('POST', '/queues/mail/pause');
  waiting = [
    await service.enqueue('good.v1', { queue: 'mail', priority: 1 }),
    await service.enqueue('good.v1', { queue: 'mail', delay: '1h', priority: 99 }),
    await service.enqueue('good.v1', { queue: 'mail', priority: 20 }),
  ];
}, 60_000);
afterAll(() => world.end());

describe('The page', () => {
  const shown = page('docs/sql.md')
    .blocksIn('sql')
    .map(({ text, under }) => [under, text] as const);

  test.each(shown)('shows a query of the example: %s', (_under, text) => expect(QUERIES).toContain(text));

  test('tells what waits, what died and why, and the counts of each queue, as the API does', async () => {
    const [waits = [], died = [], families = [], counts = []] = shown.map(([, text]) => rowsOf(text));
    expect(waits.map(({ id }) => id)).toEqual([waiting[2], waiting[0], waiting[1]]);
    const { items } = await service.read('/dlq');
    expect(died.map(({ id, failure_reason }) => [id, failure_reason])).toEqual(
      items.map((job: Row) => [job.id, job.failureReason]),
    );
    expect(new Set(died.map(({ id }) => id))).toEqual(new Set(dead));
    expect(
      new Set(families.map(({ type, failure_reason, jobs, status }) => [type, failure_reason, jobs, status].join())),
    ).toEqual(new Set(['ill.v1,MaxRetriesExceeded,1,500', 'wrong.v1,FatalError,1,422']));
    const queues = (await service.read('/queues')).items as { name: string; counts: Record<string, number> }[];
    expect(counts).toHaveLength(queues.length);
    for (const { queue, running: _, ...row } of counts)
      expect(queues.find(({ name }) => name === queue)?.counts).toMatchObject(row);
  });

  test('has a command that prints them, read-only, beside the service', async () => {
    const [block] = page('docs/sql.md').blocksIn('sh');
    const printed = await runShell((block?.text ?? '').replace('data/chokaq.db', world.file), {
      service: 0,
      handler: 0,
    });
    for (const text of [...waiting, ...dead, 'MaxRetriesExceeded', '{"to": "ü"}', 'retryable'])
      expect(printed).toContain(text);
    await expect(runShell('node dist/examples/look.js none.db', { service: 0, handler: 0 })).rejects.toThrow(
      /none\.db|open/,
    );
  });
});

test.each(QUERIES.map(query => [query.split('\n')[0], query]))('the example runs: %s', (_first, query = '') => {
  expect(rowsOf(query)).toBeInstanceOf(Array);
});
