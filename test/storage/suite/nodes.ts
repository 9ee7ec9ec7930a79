// Owns the law of nodes: who is there, what each holds, and who is about to leave.
import { expect } from 'vitest';
import { newJobs } from '../../fixtures/jobs.ts';
import { type Law, only } from './world.ts';

const NODE = { id: 'host/1/1/boot', host: 'host', version: '1', concurrency: 5 };

export function nodesLaw(law: Law): void {
  law('A node is seen by the other with what it says of itself, until it is forgotten', async stage => {
    await stage.a.nodes.announce(NODE);
    const first = only(await stage.b.nodes.list());
    expect(first).toMatchObject({ ...NODE, running: 0, isDraining: false, queuesRevision: null });
    stage.advance(5_000);
    await stage.a.nodes.announce({ ...NODE, concurrency: 9 });
    const { startedAt, seenAt, concurrency } = only(await stage.b.nodes.list());
    expect({ startedAt, concurrency }).toEqual({ startedAt: first.startedAt, concurrency: 9 });
    expect(seenAt).toBeGreaterThanOrEqual(first.seenAt + 5_000);
    await stage.b.nodes.forget(NODE.id);
    expect(await stage.a.nodes.list()).toEqual([]);
  });

  law('What a node holds, claimed or running, is counted with it and with no other', async stage => {
    await stage.register();
    await stage.a.nodes.announce(NODE);
    await stage.a.nodes.announce({ ...NODE, id: 'host/2/2/boot' });
    await stage.a.jobs.insert(newJobs(5));
    await stage.claim({ owner: NODE.id, limit: 2, start: true });
    await stage.claim({ owner: NODE.id, limit: 1 });
    const running = (await stage.b.nodes.list()).map(node => [node.id, node.running]);
    expect(running).toEqual([
      [NODE.id, 3],
      ['host/2/2/boot', 0],
    ]);
  });

  law('A node that drains says so until it is gone, whatever its heartbeat still tells', async stage => {
    await stage.a.nodes.announce(NODE);
    await stage.a.nodes.drain(NODE.id);
    await stage.a.nodes.announce(NODE);
    expect(only(await stage.b.nodes.list()).isDraining).toBe(true);
    await stage.a.nodes.drain('nobody');
    expect(await stage.b.nodes.list()).toHaveLength(1);
  });
}
