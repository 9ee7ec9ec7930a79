// Owns the proof that many nodes may start and change the same things at once. Registered only where CHOKAQ_TEST_MSSQL_URL names a server.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Store } from '#service/ports/store.js';
import { openMssql } from '#service/storage/mssql/store.js';
import { handlerFor, newJob } from '../fixtures/jobs.ts';
import { freshSchema, type MssqlWorld, openWorld, TEST_URL } from './mssql/world.ts';

const STARTED_AT_ONCE = 5;
const NODES = 10;
/** A server that is met for the first time, by ten connections at once, takes its time. */
const SLOW_MS = 120_000;

const url = TEST_URL ?? '';
let world: MssqlWorld;
let nodes: readonly Store[] = [];
/** Those that no world closes. */
let own: readonly Store[] = [];

beforeAll(async () => {
  const schema = freshSchema();
  const open = () => openMssql({ kind: 'mssql', url, schema });
  own = await Promise.all(Array.from({ length: STARTED_AT_ONCE }, open));
  world = await openWorld(url, schema);
  while (own.length + world.nodes.length < NODES) own = [...own, await open()];
  nodes = [...world.nodes, ...own];
}, SLOW_MS);

afterAll(async () => {
  for (const node of own) await node.close();
  await world.close();
}, SLOW_MS);

/** What each node does at the same time as the others. */
function atOnce<T>(act: (node: Store, n: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(nodes.map(act));
}

async function turn(): Promise<number> {
  const [row] = await world.ask<{ value: string }>("SELECT value FROM chokaq.revisions WHERE name = 'turn'");
  return Number(row?.value);
}

it('Five nodes that start at once on an empty schema apply each migration once', async () => {
  const ledger = await world.ask<{ number: number; times: number }>(
    'SELECT number, COUNT(*) AS times FROM chokaq.schema_migrations GROUP BY number ORDER BY number',
  );
  expect(ledger.length).toBeGreaterThan(0);
  expect(ledger.every(({ times }, n) => times === 1 && ledger[n]?.number === n + 1)).toBe(true);
  expect((await world.ask("SELECT name FROM chokaq.revisions WHERE name = 'turn'")).length).toBe(1);
});

it(
  'Ten nodes that put the same handler at once make it once, and each change is a revision of its own',
  async () => {
    const [first] = nodes;
    const before = (await first?.handlers.list())?.revision ?? 0;
    const puts = await atOnce((node, n) => node.handlers.put(handlerFor('same', { concurrency: n + 1 })));
    expect(puts.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(puts.map(({ handler }) => handler.createdAt)).size).toBe(1);
    const lists = await Promise.all([nodes[0]?.handlers.list(), nodes[9]?.handlers.list()]);
    expect(new Set(lists.map(list => list?.revision))).toEqual(new Set([before + NODES]));
    expect(new Set(lists.map(list => JSON.stringify(list?.handlers))).size).toBe(1);
  },
  SLOW_MS,
);

it(
  'Ten nodes that make and set up the same queue at once make one, and no setting is lost to another',
  async () => {
    const settings = [
      { maxWorkers: 7 },
      { isPaused: true },
      { zombieTimeoutMs: 40_000 },
      { executionTimeoutMs: 9_000 },
    ];
    // A small server takes seconds to understand a statement on a connection that has not sent it before.
    for (const node of nodes) await node.queues.get('new');
    const answers = await atOnce((node, n) => node.queues.configure('new', settings[n % 4] ?? {}, true));
    expect(new Set(answers.map(answer => answer?.revision)).size).toBe(NODES);
    expect(await nodes[0]?.queues.get('new')).toMatchObject(Object.assign({}, ...settings));
    expect(await world.ask("SELECT queue FROM chokaq.stats_summary WHERE queue = 'new'")).toHaveLength(1);
  },
  SLOW_MS,
);

it(
  'Ten nodes that announce themselves at once, two of them under one name, are nine',
  async () => {
    const identity = (n: number) => ({ id: `node-${Math.min(n, 8)}`, host: 'h', version: '1', concurrency: 1 });
    await atOnce((node, n) => node.nodes.announce(identity(n)));
    const seen = (await nodes[0]?.nodes.list())?.map(({ id }) => id).sort();
    expect(seen).toEqual(Array.from({ length: 9 }, (_, n) => `node-${n}`));
  },
  SLOW_MS,
);

const READS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  'queues.list': store => store.queues.list(),
  'queues.get': store => store.queues.get('new'),
  'handlers.list': store => store.handlers.list(),
  'nodes.list': store => store.nodes.list(),
  'settings.read': store => store.settings.read(),
  'stats.read': store => store.stats.read(),
  'stats.series': store => store.stats.series({ from: 0, to: 600_000, stepMs: 60_000, queue: null }),
  'jobs.list': store => store.jobs.list({}, { order: 'created', limit: 10, after: null, withPayload: true }),
  'jobs.get': store => store.jobs.get('nothing'),
};

it(
  'No read takes the turn of the writers, and a write does',
  async () => {
    const reader = world.nodes[0];
    const before = await turn();
    for (const [what, read] of Object.entries(READS)) {
      await read(reader);
      expect(await turn(), what).toBe(before);
    }
    await reader.jobs.insert([newJob()]);
    expect(await turn()).toBe(before + 1);
  },
  SLOW_MS,
);
