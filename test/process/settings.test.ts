// Owns the proof that settings stored at run time hold on every node without a restart, and from the start after one.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServiceProcess } from './fixture/service.ts';
import { eventually, World } from './fixture/world.ts';

let world: World;
beforeEach(async () => {
  world = await World.create();
  world.handlers.on('hanging.v1', () => undefined);
});
afterEach(() => world.end());

const setting = async (service: ServiceProcess, name: string) =>
  (await service.read('/settings')).items.find((one: { name: string }) => one.name === name);

async function change(service: ServiceProcess, changes: object): Promise<void> {
  const { status, text } = await service.call('PATCH', '/settings', changes);
  if (status !== 200) throw new Error(`PATCH /settings was answered with ${status}: ${text}`);
}

const endedAs = async (service: ServiceProcess, type: string) => {
  const { failureReason, attempts } = await service.ended(await service.enqueue(type));
  return { failureReason, attempts };
};

test('I8 · settings changed on one node hold on the other without a restart, and on every node after one', async () => {
  const first = await world.start();
  // Its claim loop sleeps, so it hears of the change from its heartbeat.
  const second = await world.start({ CHOKAQ_POLL_INTERVAL: '1h', CHOKAQ_MAX_ATTEMPTS: '9' });
  await world.register(first, ['hanging.v1', 'broken.v1']);
  world.handlers.on('broken.v1', () => ({ status: 500 }));
  await change(first, {
    executionTimeout: '1s',
    maxAttempts: 2,
    retryBase: '10ms',
    concurrency: 3,
    logLevel: 'info',
  });
  await eventually(async () =>
    expect(await setting(second, 'maxAttempts')).toMatchObject({ value: 2, source: 'stored', updatedBy: 'anonymous' }),
  );
  await first.stop();

  expect(await endedAs(second, 'hanging.v1')).toEqual({ failureReason: 'Timeout', attempts: 1 });
  expect(await endedAs(second, 'broken.v1')).toEqual({ failureReason: 'MaxRetriesExceeded', attempts: 2 });
  await eventually(async () => expect((await second.read('/nodes')).items[0].concurrency).toBe(3));
  const started = second.logged('attemptStarted').length;
  await second.stop();
  expect(second.logged('attemptStarted'), 'debug events are no longer logged').toHaveLength(started);

  const third = await world.start();
  expect(await setting(third, 'executionTimeout')).toMatchObject({ value: '1s', source: 'stored' });
  expect(await endedAs(third, 'hanging.v1')).toEqual({ failureReason: 'Timeout', attempts: 1 });
  await change(third, { executionTimeout: null, maxAttempts: null });
  expect(await setting(third, 'maxAttempts')).toMatchObject({ value: 3, source: 'default' });
});

test('I8 · more or fewer calls at once take effect with the next claim', async () => {
  const service = await world.start({ CHOKAQ_CONCURRENCY: '2', CHOKAQ_POLL_INTERVAL: '1h' });
  await world.register(service, ['hanging.v1']);
  await service.enqueueMany(20, 'hanging.v1');
  await eventually(() => expect(world.handlers.calls).toHaveLength(1));
  await change(service, { concurrency: 8 });
  await eventually(() => expect(world.handlers.calls.length).toBeGreaterThanOrEqual(6));
  await change(service, { concurrency: 1 });
  const before = world.handlers.calls.length;
  world.handlers.calls[0]?.response.end();
  await eventually(async () => expect((await service.read('/queues/default')).counts.succeeded).toBe(1));
  expect(world.handlers.calls).toHaveLength(before);
});

test('K2 · a queue’s own zombieTimeout that is too short for the heartbeats stops the start, naming both', async () => {
  const often = { CHOKAQ_HEARTBEAT_MIN: '1s', CHOKAQ_HEARTBEAT_MAX: '1s' };
  const service = await world.start(often);
  expect((await service.call('PATCH', '/queues/slow', { zombieTimeout: '2s' })).status).toBe(422);
  expect((await service.call('PATCH', '/queues/slow', { zombieTimeout: '4s' })).status).toBe(200);
  await service.stop();
  const refused = world.spawn({ CHOKAQ_HEARTBEAT_MIN: '8s', CHOKAQ_HEARTBEAT_MAX: '12s' });
  expect(await refused.exit).toEqual({ code: 2, signal: null });
  for (const part of ['CHOKAQ_HEARTBEAT_MAX: 12s', 'queue "slow" (4s)', 'PATCH /queues'])
    expect(refused.output).toContain(part);
  expect(refused.output).not.toContain('listening on');
  await (await world.start(often)).stop();
});

test('K2 · a stored value that this version refuses stops the start and is named; one it does not know is left alone', async () => {
  const service = await world.start();
  await change(service, { zombieTimeout: '1s' });
  await service.stop();
  const refused = world.spawn({ CHOKAQ_HEARTBEAT_MIN: '1s', CHOKAQ_HEARTBEAT_MAX: '1s' });
  expect(await refused.exit).toEqual({ code: 2, signal: null });
  expect(refused.output).toContain('zombieTimeout: 1s is less than three times heartbeatMax (1s)');
  expect(refused.output).toContain('chokaq config --unset zombieTimeout');
  expect(refused.output).not.toContain('listening on');

  const database = world.connect({ readonly: false });
  const store = database.prepare('INSERT INTO settings (name, value, updated_at) VALUES (?, ?, 1)');
  store.run('fromTheFuture', 'x');
  const started = await world.start();
  expect(started.logged('settingsUnknown')).toMatchObject([{ names: ['fromTheFuture'] }]);
  await started.stop();
  store.run('pollInterval', 'soon');
  const wrong = world.spawn();
  expect((await wrong.exit).code).toBe(2);
  expect(wrong.output).toContain('pollInterval: must be a duration');
});
