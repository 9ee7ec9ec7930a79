// Owns the law of queues, handlers and nodes: what is set is what is read, on every node.
import { expect } from 'vitest';
import { handlerFor, newJob } from '../../fixtures/jobs.ts';
import { type Law, only } from './world.ts';

export function registryLaw(law: Law): void {
  law('A new queue runs, without limits of its own', async stage => {
    expect(await stage.a.queues.list()).toEqual([]);
    await stage.addOne({ queue: 'mail' });
    expect(only(await stage.b.queues.list())).toMatchObject({
      name: 'mail',
      isPaused: false,
      isActive: true,
      maxWorkers: null,
      zombieTimeoutMs: null,
      executionTimeoutMs: null,
      counts: {
        pending: 1,
        unroutable: 1,
        scheduled: 0,
        fetched: 0,
        processing: 0,
        succeeded: 0,
        dead: 0,
        failed: 0,
        retried: 0,
      },
    });
  });

  law('I8 · Queue settings change one by one, reach the other node and survive a restart', async stage => {
    await stage.addOne({ queue: 'mail' });
    const all = { isPaused: true, isActive: false, maxWorkers: 7, zombieTimeoutMs: 40_000, executionTimeoutMs: 9_000 };
    for (const [name, value] of Object.entries(all)) {
      const before = await stage.b.queues.get('mail');
      const after = await stage.a.queues.configure('mail', { [name]: value });
      expect(after?.queue).toMatchObject({
        ...before,
        [name]: value,
        updatedAt: expect.any(Number),
        lagMs: expect.anything(),
      });
    }
    expect(await stage.b.queues.get('mail')).toMatchObject(all);
    const again = await stage.world.reopen?.();
    if (again) expect(await again.queues.get('mail')).toMatchObject(all);
    await again?.close();
    const cleared = { maxWorkers: null, zombieTimeoutMs: null, executionTimeoutMs: null };
    expect(await stage.b.queues.configure('mail', cleared)).toMatchObject({ queue: { ...cleared, isPaused: true } });
  });

  law('An unknown queue is null, and setting it up makes none', async stage => {
    expect(await stage.a.queues.get('nobody')).toBeNull();
    expect(await stage.a.queues.configure('nobody', { isPaused: true })).toBeNull();
    expect(await stage.a.queues.list()).toEqual([]);
  });

  law('Queues are listed by name', async stage => {
    await stage.a.jobs.insert(['b', 'a', 'B', 'ä', '1'].map(queue => newJob({ queue })));
    expect(new Set((await stage.a.queues.list()).map(({ name }) => name))).toEqual(new Set(['b', 'a', 'B', 'ä', '1']));
    expect((await stage.a.queues.list()).map(({ name }) => name).filter(name => 'ab'.includes(name))).toEqual([
      'a',
      'b',
    ]);
  });

  law('A handler is read back as it was put, with the store’s times', async stage => {
    const given = handlerFor('send.v1', {
      url: 'https://example.org/ü',
      previousSecret: 'whsec_old',
      previousSecretUntil: 1_234,
      attempts: { maxAttempts: 5, timeoutMs: 100, retry: { baseMs: 1, maxAgeMs: null }, retryOnZombie: true },
      fatalStatuses: [409, 500],
      circuit: { failureThreshold: 2 },
      headers: { 'x-tenant': 'a' },
      schema: { type: 'object', properties: { a: { enum: [1.5, 'é'] } } },
      concurrency: 20,
      managedBy: 'file',
    });
    const before = stage.a.clock.now();
    const { handler, created } = await stage.a.handlers.put(given);
    expect(created).toBe(true);
    const { createdAt, updatedAt, ...rest } = given;
    expect(handler).toMatchObject(rest);
    expect([handler.createdAt >= before, handler.updatedAt]).toEqual([true, handler.createdAt]);
    expect((await stage.b.handlers.list()).handlers).toEqual([handler]);
  });

  law('Putting a handler again replaces it whole and keeps when it was created', async stage => {
    const first = await stage.a.handlers.put(handlerFor('t', { schema: true, concurrency: 3, headers: { a: 'b' } }));
    stage.advance(5_000);
    const second = await stage.b.handlers.put(handlerFor('t', { url: 'http://127.0.0.1:9/other', schema: false }));
    expect(second).toMatchObject({ created: false, handler: { schema: false, concurrency: null, headers: {} } });
    expect(second.handler.createdAt).toBe(first.handler.createdAt);
    expect(second.handler.updatedAt).toBeGreaterThanOrEqual(first.handler.updatedAt + 5_000);
    expect((await stage.a.handlers.list()).handlers).toEqual([second.handler]);
  });

  law(
    'A handler is replaced only as it was seen, when that is asked for: each put makes it another one',
    async stage => {
      const changed = { code: 'conflict-state' };
      await expect(stage.a.handlers.put(handlerFor('t'), 1_234)).rejects.toMatchObject(changed);
      const { handler: first } = await stage.a.handlers.put(handlerFor('t'), null);
      await expect(stage.b.handlers.put(handlerFor('t', { concurrency: 1 }), null)).rejects.toMatchObject(changed);
      const { handler: second } = await stage.b.handlers.put(handlerFor('t', { concurrency: 2 }), first.updatedAt);
      expect(second.updatedAt).toBeGreaterThan(first.updatedAt);
      await expect(stage.a.handlers.put(handlerFor('t'), first.updatedAt)).rejects.toMatchObject(changed);
      expect((await stage.a.handlers.list()).handlers).toEqual([second]);
      const races = Array.from({ length: 8 }, (_, n) =>
        (n % 2 ? stage.a : stage.b).handlers.put(handlerFor('t', { concurrency: n + 1 }), second.updatedAt),
      );
      const held = (await Promise.allSettled(races)).filter(({ status }) => status === 'fulfilled');
      expect(held).toHaveLength(1);
    },
  );

  law('What handlers answered last is told with them, changes nothing else, and is not told back', async stage => {
    const { handler } = await stage.a.handlers.put(handlerFor('t'));
    const { revision } = await stage.a.handlers.list();
    await stage.a.handlers.heard({ t: { status: 503, at: 2_000 }, gone: { status: 200, at: 2_000 } });
    await stage.b.handlers.heard({ t: { status: 200, at: 1_000 } });
    const lastResponse = { status: 503, at: 2_000 };
    expect(await stage.b.handlers.list()).toEqual({ handlers: [{ ...handler, lastResponse }], revision });
    const again = await stage.b.handlers.put(handlerFor('t', { lastResponse: { status: 1, at: 9_000 } }));
    expect(again.handler.lastResponse).toEqual(lastResponse);
    await stage.a.handlers.remove('t', true);
    expect((await stage.b.handlers.put(handlerFor('t'))).handler.lastResponse).toBeNull();
  });

  law('The handlers’ revision grows with every change on any node, and claims tell it', async stage => {
    const seen: number[] = [];
    const note = async () => {
      const { revision } = await stage.a.handlers.list();
      expect((await stage.look({ limit: 0 }, stage.b)).handlersRevision).toBe(revision);
      seen.push(revision);
    };
    await note();
    await stage.a.handlers.put(handlerFor('t'));
    await note();
    await stage.b.handlers.put(handlerFor('t', { concurrency: 1 }));
    await note();
    await stage.b.handlers.remove('t', false);
    await note();
    expect(seen).toEqual([...new Set(seen)].sort((one, two) => one - two));
    expect(seen).toHaveLength(4);
  });

  law('A handler with waiting, running or dead jobs is in use, with archived ones it is not', async stage => {
    expect(await stage.a.handlers.remove('work.v1', false)).toBe('absent');
    const running = await stage.running();
    expect(await stage.b.handlers.remove('work.v1', false)).toBe('in-use');
    await stage.finish(running, { kind: 'succeeded', responseStatus: 200, responseBody: null, error: null });
    await stage.register('other');
    expect(await stage.b.handlers.remove('work.v1', false)).toBe('removed');
    await stage.dead({ type: 'other' });
    await stage.addOne({ type: 'third' });
    await stage.register('third');
    expect(await stage.a.handlers.remove('other', false)).toBe('in-use');
    expect(await stage.a.handlers.remove('third', false)).toBe('in-use');
    expect(await stage.a.handlers.remove('third', true)).toBe('removed');
    expect((await stage.b.handlers.list()).handlers.map(({ type }) => type)).toEqual(['other']);
  });

  law('Nodes are seen by each other until they are forgotten', async stage => {
    const node = { id: 'n1', host: 'h', version: '1.0.0', concurrency: 50 };
    await stage.a.nodes.announce(node);
    const first = only(await stage.b.nodes.list());
    expect(first).toMatchObject(node);
    expect(first.seenAt).toBe(first.startedAt);
    stage.advance(9_000);
    await stage.a.nodes.announce(node);
    const second = only(await stage.b.nodes.list());
    expect(second.startedAt).toBe(first.startedAt);
    expect(second.seenAt).toBeGreaterThanOrEqual(first.seenAt + 9_000);
    await stage.b.nodes.announce({ ...node, id: 'n2' });
    await stage.a.nodes.forget('n1');
    expect((await stage.a.nodes.list()).map(({ id }) => id)).toEqual(['n2']);
    await stage.a.nodes.forget('n1');
  });

  law('A store that answers and serves its schema says so', async stage => {
    await expect(stage.a.check()).resolves.toBeUndefined();
    await expect(stage.b.check()).resolves.toBeUndefined();
  });
}
