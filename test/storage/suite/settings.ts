// Owns the law of stored settings: all changes or none, against the revision that was seen, and every node hears of them.
import { expect } from 'vitest';
import type { Law } from './world.ts';

const NODE = { id: 'host/1/1/boot', host: 'host', version: '1', concurrency: 5 };

export function settingsLaw(law: Law): void {
  law(
    'I8 · What is stored on one node is read on the other, with when and by whom, and removed by null',
    async stage => {
      const { revision } = await stage.a.settings.read();
      const stored = await stage.a.settings.change({ pollInterval: '5s', concurrency: '7' }, 'alice', revision);
      expect(stored?.revision).toBeGreaterThan(revision);
      expect(await stage.b.settings.read()).toEqual(stored);
      expect(stored?.settings).toEqual([
        { name: 'concurrency', value: '7', updatedAt: expect.any(Number), updatedBy: 'alice' },
        { name: 'pollInterval', value: '5s', updatedAt: expect.any(Number), updatedBy: 'alice' },
      ]);
      const changes = { pollInterval: null, concurrency: '8', never: null };
      const again = await stage.b.settings.change(changes, 'bob', stored?.revision ?? 0);
      expect(again?.settings).toMatchObject([{ name: 'concurrency', value: '8', updatedBy: 'bob' }]);
    },
  );

  law('A change against a revision that is no longer the last changes nothing', async stage => {
    const { revision } = await stage.a.settings.read();
    const both = await Promise.all([
      stage.a.settings.change({ concurrency: '1' }, 'alice', revision),
      stage.b.settings.change({ concurrency: '2', pollInterval: '2s' }, 'bob', revision),
    ]);
    const [won] = both.filter(answer => answer !== null);
    expect(both.filter(answer => answer === null)).toHaveLength(1);
    expect(await stage.a.settings.read()).toEqual(won);
  });

  law('I8 · Every claim and every sign of life of any node tells the revision of the settings', async stage => {
    const { revision } = await stage.a.settings.read();
    expect((await stage.look({}, stage.b)).settingsRevision).toBe(revision);
    const stored = await stage.a.settings.change({ concurrency: '7' }, 'alice', revision);
    expect((await stage.look({ limit: 0 }, stage.b)).settingsRevision).toBe(stored?.revision);
    expect(await stage.b.nodes.announce(NODE)).toEqual({ settingsRevision: stored?.revision });
  });

  law('I8 · Stored settings survive a restart', async stage => {
    if (!stage.world.reopen) return;
    const { revision } = await stage.a.settings.read();
    const stored = await stage.a.settings.change({ concurrency: '7' }, 'alice', revision);
    const restarted = await stage.world.reopen();
    expect(await restarted.settings.read()).toEqual(stored);
    await restarted.close();
  });
}
