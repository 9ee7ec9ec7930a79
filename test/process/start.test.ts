// Owns what happens at start: an empty file met by many at once, bad settings, a newer schema, and work that waited meanwhile.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { claimAs, storeExpired } from './fixture/storage.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

test('K1 · five nodes start at once on an empty file: one schema, each migration once, and all of them serve', async () => {
  const nodes = await Promise.all(Array.from({ length: 5 }, () => world.start()));
  const [first] = nodes;
  if (first) await world.register(first, ['work.v1']);
  for (const node of nodes) {
    expect((await node.call('GET', '/readyz')).status).toBe(200);
    await node.ended(await node.enqueue('work.v1'));
  }
  const versions = world.connect().prepare('SELECT number FROM schema_migrations').pluck().all();
  expect(versions).toEqual([...new Set(versions)]);
  expect(versions.length).toBeGreaterThan(0);
});

test('K1 · a service older than the schema refuses to start and says why', async () => {
  await (await world.start()).stop();
  const connection = world.connect({});
  connection.prepare(`INSERT INTO schema_migrations VALUES (999, 'from_the_future', 'x', 1, 999)`).run();

  const refused = world.spawn();
  expect((await refused.exit).code).toBe(1);
  expect(refused.output).toContain('this service is too old for the database');
  expect(refused.output).not.toMatch(/\n {4}at /);
});

test.each([
  ['CHOKAQ_PORT', '99999'],
  ['CHOKAQ_PORT', 'tcp://10.0.0.1:8080'],
  ['CHOKAQ_CONCURRENCY', '0'],
  ['CHOKAQ_CONCURRENCY', 'many'],
  ['CHOKAQ_POLL_INTERVAL', '5 seconds'],
  ['CHOKAQ_STORAGE', 'mongodb'],
  ['CHOKAQ_ZOMBIE_TIMEOUT', '500ms'],
  ['CHOKAQ_HEARTBEAT_MAX', '1h'],
  ['CHOKAQ_LOG_LEVEL', 'loud'],
  ['CHOKAQ_SQLITE_PATH', '/dev/null/chokaq.db'],
  ['CHOKAQ_SQLITE_PATH', '/proc/no/chokaq.db'],
  ['CHOKAQ_NO_SUCH_SETTING', '1'],
])('K2 · %s=%s stops the start before any work is claimed, naming the setting', async (name, value) => {
  const service = world.spawn({ [name]: value });
  const { code } = await service.exit;
  expect(code).toBeGreaterThan(0);
  expect(service.output).toContain(name);
  if (name === 'CHOKAQ_SQLITE_PATH') expect(service.output).toContain(value);
  expect(service.output).not.toContain('listening on');
  expect(service.output).not.toMatch(/\n {4}at /);
});

test('K2 · a file that is no database, and a port that is taken, end the start with a message', async () => {
  const path = join(world.folder, 'notes.txt');
  writeFileSync(path, 'these are notes, not a database '.repeat(200));
  const refused = world.spawn({ CHOKAQ_SQLITE_PATH: path });
  expect((await refused.exit).code).toBeGreaterThan(0);
  expect(refused.output).toContain(path);

  const first = await world.start();
  const second = world.spawn({ CHOKAQ_PORT: new URL(first.url).port });
  expect((await second.exit).code).toBeGreaterThan(0);
  expect(second.output).toMatch(/EADDRINUSE|in use|taken/);
  expect(second.output).toContain('CHOKAQ_PORT to a free port');
});

test('A4 · a delayed job is stored at once, is nobody’s before its time, also across a restart, and then runs', async () => {
  const first = await world.start();
  await world.register(first, ['work.v1']);
  const far = await first.enqueue('work.v1', { delay: '10m' });
  const near = await first.enqueue('work.v1', { delay: '3s' });
  const { dueAt } = await first.job(near);
  expect(await first.job(far)).toMatchObject({ state: 'scheduled', attempts: 0, workerId: null });
  await first.stop();

  const second = await world.start();
  expect(await second.ended(near)).toMatchObject({ state: 'succeeded' });
  expect(await second.job(far)).toMatchObject({ state: 'scheduled', attempts: 0, workerId: null });
  const { startedAt } = await second.job(near);
  expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(dueAt));
  expect(world.handlers.calls).toHaveLength(1);
});

test('F6 · 30 000 expired rows at start: a fresh job starts before they are all recovered', async () => {
  const first = await world.start();
  await world.register(first, ['work.v1', 'lost.v1']);
  await first.stop();
  await storeExpired(world.file, 'lost.v1', 30_000);

  const service = await world.start();
  const id = await service.enqueue('work.v1');
  expect(await service.ended(id)).toMatchObject({ state: 'succeeded' });
  const { counts } = await service.read('/queues/default');
  expect(counts.processing).toBeGreaterThan(0);
  await eventually(async () =>
    expect((await service.read('/queues/default')).counts).toMatchObject({ processing: 0, dead: 30_000 }),
  );
});

test('F2 · fetched work of a node on another machine goes back after its own limit; the zombie limit has no say in it', async () => {
  const first = await world.start();
  await world.register(first, ['work.v1']);
  const id = await first.enqueue('work.v1', { delay: '1s' });
  await first.stop();
  await eventually(async () =>
    expect(await claimAs(world.file, 'elsewhere/1/1/boot', { count: 1, isStarted: false })).toHaveLength(1),
  );

  const claimedBefore = Date.now();
  const service = await world.start({ CHOKAQ_FETCHED_TIMEOUT: '3s', CHOKAQ_ZOMBIE_TIMEOUT: '1h' });
  const job = await service.ended(id);
  expect(job).toMatchObject({ state: 'succeeded', attempts: 1 });
  expect(Date.parse(job.startedAt ?? '') - claimedBefore, 'not before its limit').toBeGreaterThan(2_000);
});

test('K1b · a database file that exists is opened with synchronous=FULL again', async () => {
  await (await world.start()).stop();
  const service = await world.start();
  expect(service.output).toContain('listening on');
  expect(new Database(world.file, { readonly: true }).pragma('journal_mode', { simple: true })).toBe('wal');
});
