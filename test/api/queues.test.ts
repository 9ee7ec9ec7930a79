// Owns the proof of an operator's verbs on queues over HTTP: pause, resume, configure, remove.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

const JOB = { type: 'work.v1', payload: null };
const NODE = { id: 'host/1/1/boot', host: 'host', version: '0', concurrency: 1 };

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
afterAll(() => api.close());

const claimed = async () => (await api.run()).map(({ queue }) => queue);

test('B3 · A paused queue starts nothing and keeps taking jobs, until it is resumed', async () => {
  await api.post('/jobs', { ...JOB, queue: 'paused' });
  const { status, json } = await api.post('/queues/paused/pause');
  expect({ status, json }).toMatchObject({ status: 200, json: { isPaused: true, unacknowledgedBy: [] } });
  expect((await api.post('/jobs', { ...JOB, queue: 'paused' })).status).toBe(201);
  expect(await claimed()).toEqual([]);
  expect((await api.post('/queues/paused/resume')).json).toMatchObject({ isPaused: false, counts: { pending: 2 } });
  expect(await claimed()).toEqual(['paused', 'paused']);
});

test('A pause waits for every live node, and names the one that does not answer', async () => {
  await api.post('/jobs', { ...JOB, queue: 'awaited', delay: '1h' });
  await api.store.nodes.announce(NODE);
  expect((await api.post('/queues/awaited/pause')).json.unacknowledgedBy).toEqual([NODE.id]);
  const answering = api.post('/queues/awaited/pause');
  await expect.poll(async () => (await api.get('/queues/awaited')).json.isPaused).toBe(true);
  await api.store.nodes.acknowledge(NODE.id, 1_000);
  expect((await answering).json.unacknowledgedBy).toEqual([]);
  await api.store.nodes.forget(NODE.id);
});

test('A node that has been silent for long does not hold a pause up', async () => {
  await api.store.nodes.announce(NODE);
  api.clock.advance(60_000);
  expect((await api.post('/queues/awaited/pause')).json.unacknowledgedBy).toEqual([]);
  await api.store.nodes.forget(NODE.id);
});

test('B5 · maxWorkers holds from the next claim on, and null clears it', async () => {
  for (let n = 0; n < 5; n++) await api.post('/jobs', { ...JOB, queue: 'narrow' });
  const patched = (body: unknown) => api.call('PATCH', '/queues/narrow', { body });
  expect((await patched({ maxWorkers: 2, executionTimeout: '90s' })).json).toMatchObject({
    maxWorkers: 2,
    executionTimeout: '1m30s',
  });
  expect(await claimed()).toHaveLength(2);
  expect(await claimed()).toHaveLength(0);
  expect((await patched({ maxWorkers: null })).json).toMatchObject({ maxWorkers: null, executionTimeout: '1m30s' });
  expect(await claimed()).toHaveLength(3);
});

test('I8 · Settings outside their range are refused with their place, and change nothing', async () => {
  const before = (await api.get('/queues/narrow')).json;
  const wrong = [
    [{ maxWorkers: 0 }, '#/maxWorkers'],
    [{ maxWorkers: 10_001 }, '#/maxWorkers'],
    [{ maxWorkers: '3' }, '#/maxWorkers'],
    [{ executionTimeout: '99ms' }, '#/executionTimeout'],
    [{ executionTimeout: '25h' }, '#/executionTimeout'],
    [{ zombieTimeout: '35s' }, '#/zombieTimeout'],
    [{ zombieTimeout: 'soon' }, '#/zombieTimeout'],
    [{ archiveRetention: '999ms' }, '#/archiveRetention'],
    [{ dlqRetention: '3651d' }, '#/dlqRetention'],
    [{ isPaused: true }, '#/isPaused'],
    [{}, '#'],
  ] as const;
  for (const [body, pointer] of wrong) {
    const { status, json } = await api.call('PATCH', '/queues/narrow', { body });
    expect({ status, pointer: json.errors[0]?.pointer }, JSON.stringify(body)).toEqual({ status: 422, pointer });
  }
  const { json } = await api.call('PATCH', '/queues/narrow', { body: { zombieTimeout: '35s' } });
  expect(json.errors[0]?.detail).toBe(
    'must be between 36s and 1d: below three heartbeats a running job would be taken from a node that lives',
  );
  expect((await api.get('/queues/narrow')).json).toEqual(before);
});

test('An inactive queue starts nothing', async () => {
  await api.post('/jobs', { ...JOB, queue: 'inactive' });
  expect((await api.call('PATCH', '/queues/inactive', { body: { isActive: false } })).json.isActive).toBe(false);
  expect(await claimed()).toEqual([]);
  await api.call('PATCH', '/queues/inactive', { body: { isActive: true } });
  expect(await claimed()).toEqual(['inactive']);
});

test('Only an empty queue is removed; its name can be used again', async () => {
  const { id } = (await api.post('/jobs', { ...JOB, queue: 'leaving', delay: '1h' })).json;
  expect((await api.call('DELETE', '/queues/leaving')).json).toMatchObject({ status: 409, code: 'conflict-state' });
  await api.post(`/jobs/${id}/cancel`);
  expect((await api.call('DELETE', '/queues/leaving')).status, 'a dead job is left in it').toBe(409);
  await api.call('DELETE', `/dlq/${id}`);
  expect((await api.call('DELETE', '/queues/leaving')).status).toBe(204);
  expect((await api.get('/queues/leaving')).status).toBe(404);
  await api.post('/jobs', { ...JOB, queue: 'leaving' });
  expect((await api.get('/queues/leaving')).json.counts).toMatchObject({ pending: 1, failed: 0 });
  expect(await claimed()).toEqual(['leaving']);
});

test('What does not exist is not found, under any verb', async () => {
  for (const [method, path] of [
    ['DELETE', '/queues/nowhere'],
    ['POST', '/queues/nowhere/pause'],
    ['POST', '/queues/nowhere/resume'],
  ] as const) {
    expect((await api.call(method, path)).json, path).toMatchObject({ status: 404, code: 'not-found' });
  }
});

test('I8 · A queue can be given limits and retention before its first job, and null takes them back', async () => {
  const limits = { maxWorkers: 2, archiveRetention: '1h30m', dlqRetention: '90d' };
  const made = await api.call('PATCH', '/queues/prepared', { body: limits });
  expect(made).toMatchObject({ status: 200, json: { name: 'prepared', ...limits, counts: { pending: 0 } } });
  await api.post('/jobs', { ...JOB, queue: 'prepared' });
  expect((await api.get('/queues/prepared')).json).toMatchObject({ ...limits, counts: { pending: 1 } });
  const body = { archiveRetention: null, dlqRetention: null };
  expect((await api.call('PATCH', '/queues/prepared', { body })).json).toMatchObject({ ...body, maxWorkers: 2 });
  expect(await claimed()).toEqual(['prepared']);
});
