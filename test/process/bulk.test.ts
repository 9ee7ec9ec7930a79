// Owns the promise that a bulk action does exactly what was previewed, whatever becomes of the node that began it.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceProcess } from './fixture/service.ts';
import { storeDead } from './fixture/storage.ts';
import { eventually, World } from './fixture/world.ts';

const NOTHING = { gone: 0, keyTaken: 0, noHandler: 0, schema: 0 };

let world: World;

beforeEach(async () => {
  world = await World.create();
});
afterEach(() => world.end());

async function preview(
  service: ServiceProcess,
  body: object,
): Promise<{ matched: number; willAffect: number; token: string }> {
  const { status, text, json } = await service.call('POST', '/dlq/preview', body);
  expect({ status, text }).toMatchObject({ status: 200 });
  return json;
}

/** Begins on this node what goes on behind the answer; answers its address. */
async function begin(service: ServiceProcess, action: string, maxJobs: number): Promise<string> {
  const { token, willAffect } = await preview(service, { action, all: true, maxJobs });
  expect(willAffect).toBe(maxJobs);
  const { status, headers } = await service.call('POST', `/dlq/${action}`, { token });
  expect(status).toBe(202);
  return String(headers.get('location'));
}

/** Removes a handler by force on this node; answers the address of what goes on behind the answer. */
async function removeByForce(service: ServiceProcess, type: string): Promise<string> {
  const { status, headers } = await service.call('DELETE', `/handlers/${type}?force=true`);
  expect(status).toBe(202);
  return String(headers.get('location'));
}

function affected(path: string): number {
  const id = path.slice('/operations/'.length);
  return world.connect().prepare<[string], number>('SELECT affected FROM operations WHERE id = ?').pluck().get(id) ?? 0;
}

test('I3 I4 · of 50 000 matches exactly the 1 000 newest go, previewed on one node and executed on another, once', async () => {
  await storeDead(world.file, 'work.v1', 50_000);
  const [first, second] = await Promise.all([world.start(), world.start()]);
  const { matched, willAffect, token } = await preview(first, { action: 'purge', filter: { reason: 'FatalError' } });
  expect({ matched, willAffect }).toEqual({ matched: 50_000, willAffect: 1_000 });

  const answers = await Promise.all([first, second, first].map(node => node.call('POST', '/dlq/purge', { token })));

  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
  expect(answers.find(({ status }) => status === 200)?.json).toEqual({ affected: 1_000, skipped: NOTHING });
  const left = world.connect().prepare('SELECT count(*) AS count, max(failed_at) AS newest FROM jobs_dlq').get();
  const { failedAt } = (await second.read('/dlq?limit=1')).items[0];
  expect(left).toEqual({ count: 49_000, newest: Date.parse(failedAt) });
  expect((await second.read('/dlq?limit=1')).items[0].id).toMatch(/-49000$/);
  expect((await first.read('/queues/default')).counts).toMatchObject({ dead: 49_000, failed: 50_000 });
  expect((await first.read('/dlq/errors')).items).toMatchObject([{ count: 49_000 }]);
});

test('I4 · a node killed in the middle of 20 000 while new jobs die: another finishes, none skipped, the total is true', async () => {
  world.handlers.on('fails.v1', () => ({ status: 400 }));
  await storeDead(world.file, 'work.v1', 20_000);
  const [doomed, other] = await Promise.all([world.start(), world.start()]);
  await world.register(other, ['fails.v1']);
  await other.call('POST', '/queues/default/pause');
  const path = await begin(doomed, 'resurrect', 20_000);
  const later = await other.enqueueMany(100, 'fails.v1', { queue: 'later' });
  await eventually(() => expect(affected(path)).toBeGreaterThan(1_000));
  await doomed.kill();
  expect(affected(path)).toBeLessThan(20_000);

  const operation = await eventually(async () => {
    const seen = await other.read(path);
    expect(seen.state).toBe('finished');
    return seen;
  });

  expect(operation).toMatchObject({ total: 20_000, affected: 20_000, skipped: NOTHING });
  expect(other.logged('operationTaken')).toHaveLength(1);
  expect((await other.read('/queues/default')).counts).toMatchObject({ pending: 20_000, dead: 0, failed: 20_000 });
  await Promise.all(later.map(id => other.ended(id)));
  expect((await other.read('/queues/later')).counts).toMatchObject({ dead: 100 });
});

test('a node that is stopped hands its operation over, and the next one finishes it', async () => {
  await storeDead(world.file, 'work.v1', 8_000);
  const first = await world.start();
  const path = await begin(first, 'purge', 8_000);
  await eventually(() => expect(affected(path)).toBeGreaterThan(0));
  expect(await first.stop()).toMatchObject({ code: 0 });
  const row = world.connect().prepare('SELECT owner, finished_at FROM operations').get();
  expect(row).toEqual({ owner: null, finished_at: null });

  const second = await world.start();
  await eventually(async () => expect((await second.read(path)).state).toBe('finished'));

  expect(await second.read(path)).toMatchObject({ affected: 8_000, skipped: NOTHING });
  expect((await second.read('/queues/default')).counts).toMatchObject({ dead: 0, failed: 8_000 });
});

test('a node killed in the middle of a forced removal: another brings all that waited into the DLQ', async () => {
  const [doomed, other] = await Promise.all([world.start(), world.start()]);
  await world.register(other, ['work.v1', 'kept.v1']);
  await other.enqueueMany(8_000, 'work.v1', { delay: '1h' });
  const [kept] = await other.enqueueMany(1, 'kept.v1', { delay: '1h' });
  const path = await removeByForce(doomed, 'work.v1');
  await eventually(() => expect(affected(path)).toBeGreaterThan(0));
  await doomed.kill();
  expect(affected(path)).toBeLessThan(8_000);
  expect(await removeByForce(other, 'work.v1')).toBe(path);

  await eventually(async () => expect((await other.read(path)).state).toBe('finished'));

  expect(await other.read(path)).toMatchObject({ action: 'reject', total: 8_000, affected: 8_000, skipped: NOTHING });
  const { counts } = await other.read('/queues/default');
  expect(counts).toMatchObject({ scheduled: 1, dead: 8_000 });
  expect((await other.job(String(kept))).state).toBe('scheduled');
  expect((await other.read('/audit?action=handler.remove')).items[0]).toMatchObject({
    affected: 8_000,
    target: 'work.v1',
  });
});
