// Owns the law of stopping queues: what a node may rely on after a change of settings, and when a queue may go.
import { expect } from 'vitest';
import { discard } from '#service/domain/lifecycle.js';
import { handlerFor } from '../../fixtures/jobs.ts';
import { FINE, type Law, only } from './world.ts';

const NODE = { id: 'host/1/1/boot', host: 'host', version: '1', concurrency: 5 };

export function queuesLaw(law: Law): void {
  law('Every change of a queue raises the revision that each later claim, on any node, is told', async stage => {
    await stage.addOne({ queue: 'mail' });
    const before = (await stage.look({}, stage.b)).queuesRevision;
    const paused = await stage.a.queues.configure('mail', { isPaused: true });
    const resumed = await stage.a.queues.configure('mail', { isPaused: false });
    expect(paused?.revision).toBeGreaterThan(before);
    expect(resumed?.revision).toBeGreaterThan(paused?.revision ?? 0);
    expect((await stage.look({}, stage.b)).queuesRevision).toBe(resumed?.revision);
    await stage.b.handlers.put(handlerFor('other.v1'));
    expect((await stage.look()).queuesRevision, 'a handler is no queue').toBe(resumed?.revision);
  });

  law('What a node acknowledges is read on the other, and a heartbeat does not undo it', async stage => {
    await stage.a.nodes.announce(NODE);
    expect(only(await stage.b.nodes.list()).queuesRevision).toBeNull();
    await stage.a.nodes.acknowledge(NODE.id, 7);
    await stage.a.nodes.announce(NODE);
    expect(only(await stage.b.nodes.list()).queuesRevision).toBe(7);
    await stage.a.nodes.acknowledge('nobody', 8);
    expect(await stage.b.nodes.list()).toHaveLength(1);
  });

  law('A queue goes only when nothing is left in it, in whatever state', async stage => {
    expect(await stage.a.queues.remove('mail')).toBe('absent');
    const running = await stage.running({ queue: 'mail' });
    expect(await stage.b.queues.remove('mail'), 'running').toBe('in-use');
    const dead = await stage.dead({ queue: 'mail' });
    await stage.finish(running, FINE);
    expect(await stage.b.queues.remove('mail'), 'ended').toBe('in-use');
    for (const job of [dead, await stage.job(running.id)])
      await stage.apply(only([discard(job)].filter(move => move !== null)));
    expect(await stage.b.queues.remove('mail')).toBe('removed');
    expect(await stage.a.queues.get('mail')).toBeNull();
    await stage.addOne({ queue: 'mail', id: 'again' });
    expect(await stage.a.queues.get('mail')).toMatchObject({ counts: { pending: 1, failed: 0 } });
    expect(only(await stage.claim()).id).toBe('again');
  });
}
