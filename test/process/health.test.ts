// Owns what health says of a real node, and that what is mended outside of it makes the node ready again by itself.
import { renameSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  world.handlers.on('held.v1', () => undefined).on('stuck.v1', () => undefined);
  service = await world.start({ CHOKAQ_CONCURRENCY: '2' });
  await world.register(service, ['held.v1', 'stuck.v1', 'work.v1']);
});
afterAll(() => world.end());

const ready = () => service.call('GET', '/readyz?verbose');

async function isHealthy(status = 'ok'): Promise<void> {
  expect(await ready()).toMatchObject({ status: 200, json: { status } });
  expect((await service.call('GET', '/livez')).status).toBe(200);
}

/** Breaks it, sees that the node lives and is not ready, mends it, and sees that it works again. */
async function breakAndMend(fault: RegExp, breakIt: () => void, mend: () => void): Promise<void> {
  breakIt();
  await eventually(async () => {
    const { status, json } = await ready();
    expect(status).toBe(503);
    expect(json.errors.map(({ detail }: { detail: string }) => detail).join()).toMatch(fault);
  });
  expect((await service.call('GET', '/livez')).status).toBe(200);
  mend();
  await eventually(() => isHealthy());
  expect(await service.ended(await service.enqueue('work.v1'))).toMatchObject({ state: 'succeeded' });
}

test('J5 · an idle node is live and ready; one that does all it may is degraded, and ready all the same', async () => {
  await isHealthy();
  for (const query of ['', '?verbose=false'])
    expect((await service.call('GET', `/readyz${query}`)).json).toEqual({ status: 'ok' });
  for (const query of ['?verbose=', '?verbose=true'])
    expect((await service.call('GET', `/readyz${query}`)).json).toHaveProperty('checks.storage', 'ok');
  const { status, json } = await service.call('GET', '/readyz?verbose=maybe');
  expect([status, json.errors]).toEqual([
    400,
    [{ detail: 'must be true, false, or nothing at all', parameter: 'verbose' }],
  ]);
  await service.enqueue('held.v1');
  await service.enqueue('stuck.v1');
  await eventually(async () => {
    await isHealthy('degraded');
    expect((await ready()).json.checks).toMatchObject({ storage: 'ok', load: expect.stringContaining('all 2 calls') });
  });
  world.handlers.release('held.v1');
  world.handlers.release('stuck.v1');
  await eventually(() => isHealthy());
});

test('J3 · a queue that is paused while jobs wait in it does not make the node unhealthy', async () => {
  await service.call('POST', '/queues/default/pause');
  await service.enqueueMany(3, 'work.v1');
  await isHealthy();
  await service.call('POST', '/queues/default/resume');
});

test('J5 · a table that is missing makes the node unready, until it is back', async () => {
  const connection = world.connect({});
  await breakAndMend(
    /storage: .*lacks the tables nodes/,
    () => connection.exec('ALTER TABLE nodes RENAME TO elsewhere'),
    () => connection.exec('ALTER TABLE elsewhere RENAME TO nodes'),
  );
});

test('J5 · a database that is lost makes the node unready, until it is back', async () => {
  const away = `${world.file}.away`;
  await breakAndMend(
    /storage: .*moved or deleted/,
    () => renameSync(world.file, away),
    () => renameSync(away, world.file),
  );
});
