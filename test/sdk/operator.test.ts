// Owns the proof that what operators do has a named call, each against a real service.
import { ChokaQ, type ServiceEvent } from '@chokaq/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { eventually, World } from '../process/fixture/world.ts';

let world: World;
let service: ServiceProcess;
let client: ChokaQ;

beforeAll(async () => {
  world = await World.create();
  service = await world.start();
  client = new ChokaQ({ url: service.url });
  world.handlers.on('bad.v1', () => ({ status: 422, body: 'no' }));
  await world.register(service, ['good.v1', 'bad.v1']);
}, 60_000);
afterAll(() => world.end());

describe('A named call', () => {
  test('for jobs and the DLQ', async () => {
    const { id } = await client.enqueue('good.v1', { to: 'x' }, { queue: 'mail', delay: '1h', tags: ['later'] });
    const { etag } = await client.jobs.read(id);
    expect(await client.jobs.edit(id, etag, { priority: 7 })).toMatchObject({ priority: 7 });
    await expect(client.jobs.edit(id, etag, { priority: 8 })).rejects.toMatchObject({ status: 412 });
    expect(await client.jobs.list({ tag: 'later' }).all()).toMatchObject([{ id, state: 'scheduled' }]);
    expect(await client.jobs.cancelMany([id])).toEqual({ results: [{ id, ok: true, code: null }] });
    expect(await client.dlq.get(id)).toMatchObject({ failureReason: 'Cancelled' });
    const { token, willAffect } = await client.dlq.preview({ action: 'purge', filter: { reason: 'Cancelled' } });
    expect(await client.dlq.purgeMany({ token })).toMatchObject({ affected: willAffect });
    const done = await client.enqueue('good.v1', {});
    expect(await client.waitFor(done.id)).toMatchObject({ state: 'succeeded' });
    await client.jobs.delete(done.id);
    await expect(client.jobs.get(done.id)).rejects.toMatchObject({ code: 'not-found' });
  });

  test('for queues, handlers and circuits', async () => {
    await client.enqueue('good.v1', {}, { queue: 'mail' });
    expect((await client.queues.configure('mail', { maxWorkers: 3 })).maxWorkers).toBe(3);
    expect((await client.queues.pause('mail')).isPaused).toBe(true);
    expect((await client.queues.resume('mail')).isPaused).toBe(false);
    expect(await client.queues.list().all()).toMatchObject([{ name: 'default' }, { name: 'mail' }]);
    expect((await client.handlers.test('good.v1')).responseStatus).toBe(200);
    expect(await client.circuits.open('good.v1')).toMatchObject({ state: 'open', isForced: true });
    expect(await client.circuits.list().all()).toMatchObject([{ type: 'bad.v1' }, { type: 'good.v1', isForced: true }]);
    expect(await client.circuits.reset('good.v1')).toMatchObject({ state: 'closed' });
    await client.handlers.put('brief.v1', { url: world.handlers.url });
    await client.handlers.remove('brief.v1', { force: true });
    await expect(client.handlers.get('brief.v1')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('for nodes, settings, figures and the audit log', async () => {
    expect(await client.nodes.list().all()).toMatchObject([{ isSelf: true }]);
    const changed = await client.settings.change({ concurrency: 21 });
    expect(changed.find(({ name }) => name === 'concurrency')).toMatchObject({ value: 21, source: 'stored' });
    await expect(client.settings.change({ concurrency: 0 })).rejects.toMatchObject({ code: 'validation-failed' });
    await client.settings.change({ concurrency: null });
    const settings = await client.settings.list().all();
    expect(settings.find(({ name }) => name === 'concurrency')).toMatchObject({ source: 'default' });
    expect((await client.stats.get()).counts).toMatchObject({ processing: 0 });
    expect((await client.stats.series({ step: '1m' })).points.length).toBeGreaterThan(1);
    const rows = await client.audit.list({ action: 'settings.change', limit: 1 }).all();
    expect(rows.map(({ outcome }) => outcome)).toEqual(['succeeded', 'validation-failed', 'succeeded']);
  });

  test('for what goes on behind its answer', async () => {
    const later = Array.from({ length: 1_000 }, () => ({ type: 'good.v1', payload: 1, delay: '1h' }));
    const { results } = await client.enqueueBatch(later);
    const dead = await client.enqueue('bad.v1', 1);
    await client.waitFor(dead.id);
    await client.jobs.cancelMany(results.map(({ id }) => id));
    expect(await client.dlq.errors({ limit: 1 }).all()).toMatchObject([{ reason: expect.any(String) }]);
    const { token } = await client.dlq.preview({ action: 'purge', all: true, maxJobs: 2_000 });
    const answer = await client.dlq.purgeMany({ token });
    if (!('id' in answer)) throw new Error('it was done at once');
    expect(await client.operations.waitFor(answer.id)).toMatchObject({ state: 'finished', affected: 1_001 });
    await expect(client.operations.get('none')).rejects.toMatchObject({ code: 'not-found' });
  });

  test('can be ended by a signal, each of them', async () => {
    const signal = AbortSignal.abort(new Error('enough'));
    const calls = [
      client.jobs.get('x', { signal }),
      client.dlq.resurrect('x', {}, { signal }),
      client.queues.pause('x', { signal }),
      client.handlers.test('x', { signal }),
      client.settings.list({ signal }).all(),
      client.operations.waitFor('x', { signal }),
    ];
    for (const call of calls) await expect(call).rejects.toThrow('enough');
  });
});

test('live events are followed through a restart of the service, and what was missed is told', async () => {
  const port = new URL(service.url).port;
  const seen: ServiceEvent[] = [];
  const abort = new AbortController();
  const patient = new ChokaQ({ url: service.url, retryFor: '1m' });
  const following = (async () => {
    for await (const event of patient.events({ type: 'good.v1', signal: abort.signal })) seen.push(event);
  })();
  const movesOf = (id: string) =>
    seen.flatMap(({ event, data }) => (event === 'job' && data.id === id ? [`${data.move} ${data.state}`] : []));
  // Events from before the stream began are nobody's: so enqueue until one was seen.
  const first = await eventually(async () => {
    const { id } = await client.enqueue('good.v1', {});
    await client.waitFor(id);
    expect(movesOf(id).at(-1)).toMatch(/ succeeded$/);
    return id;
  });
  expect(movesOf(first)[0]).toBe('enqueue pending');
  await service.stop();
  service = await world.start({ CHOKAQ_PORT: port });
  await eventually(() => expect(seen.some(({ event }) => event === 'reset')).toBe(true));
  const { id } = await client.enqueue('good.v1', {});
  await client.waitFor(id);
  await eventually(() => expect(movesOf(id).at(-1)).toMatch(/ succeeded$/));
  abort.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});
