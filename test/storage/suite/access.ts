// Owns the law of API keys: made, listed and revoked on any node, and kept in line with a file without losing what they made.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { NewApiKey } from '#service/domain/api-key.js';
import type { Store } from '#service/ports/store.js';
import { type Law, only } from './world.ts';

let made = 0;

function newKey(name: string, fields: Partial<NewApiKey> = {}): NewApiKey {
  const id = `key-${++made}`;
  return { id, name, hash: hashOf(id), scopes: ['produce', 'read:payload'], rateLimit: null, ...fields };
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function keysOf(store: Store) {
  return (await store.keys.list(null))?.keys ?? [];
}

async function revisionOf(store: Store): Promise<number> {
  return (await store.keys.list(null))?.revision ?? -1;
}

export function accessLaw(law: Law): void {
  law('A key is read back as it was made, on the other node too', async stage => {
    const key = newKey('web', { rateLimit: { requests: 100, perMs: 60_000 } });
    const before = stage.a.clock.now();
    const stored = await stage.a.keys.create(key);
    expect(stored).toMatchObject({ ...key, managedBy: 'cli', revokedAt: null, revokedBy: null, lastUsedAt: null });
    expect(await keysOf(stage.b)).toEqual([stored]);
    expect(only(await keysOf(stage.b)).createdAt).toBeGreaterThanOrEqual(before);
  });

  law('A name belongs to one key that holds, also when both nodes make it at once', async stage => {
    const both = await Promise.all([stage.a, stage.b].map(node => node.keys.create(newKey('web'))));
    expect(both.filter(one => one === 'taken')).toHaveLength(1);
    const first = only(await keysOf(stage.a));
    await stage.b.keys.revoke(first.id, 'cli:ops');
    expect(await stage.a.keys.create(newKey('web'))).toMatchObject({ name: 'web', revokedAt: null });
  });

  law('A revoked key stays in the list, is revoked once, and says by whom', async stage => {
    const key = newKey('web');
    await stage.a.keys.create(key);
    expect(await stage.b.keys.revoke(key.id, 'cli:ops')).toMatchObject({ id: key.id, revokedBy: 'cli:ops' });
    expect(await stage.a.keys.revoke(key.id, 'cli:late')).toBeNull();
    expect(await stage.a.keys.revoke('nobody', 'cli:ops')).toBeNull();
    expect(only(await keysOf(stage.a))).toMatchObject({ revokedBy: 'cli:ops', revokedAt: expect.any(Number) });
  });

  law('Each change is a new revision; without one there is nothing to read; use is no change', async stage => {
    const start = await revisionOf(stage.a);
    const key = newKey('web');
    await stage.a.keys.create(key);
    const created = await revisionOf(stage.b);
    expect(created).toBeGreaterThan(start);
    await stage.a.keys.touch([key.id]);
    expect(await stage.b.keys.list(created)).toBeNull();
    expect(only(await keysOf(stage.b)).lastUsedAt).toEqual(expect.any(Number));
    await stage.a.keys.revoke(key.id, 'x');
    expect(await stage.b.keys.list(created)).not.toBeNull();
  });

  law('The keys of a file are stored, changed in place, and revoked when they leave it', async stage => {
    const [web, ops] = [newKey('web'), newKey('ops')];
    expect((await stage.a.keys.reconcile([web, ops])).created).toHaveLength(2);
    const settled = await revisionOf(stage.a);
    await stage.b.keys.reconcile([web, ops]);
    expect(await revisionOf(stage.a), 'the same file changes nothing').toBe(settled);

    const rotated = newKey('web', { hash: hashOf('another'), scopes: ['admin'] });
    expect(await stage.b.keys.reconcile([rotated])).toMatchObject({
      changed: [{ name: 'web' }],
      revoked: [{ id: ops.id }],
    });
    const [one, two] = await keysOf(stage.a);
    expect([one, two].find(key => key?.name === 'web')).toMatchObject({
      ...{ id: web.id, hash: hashOf('another'), scopes: ['admin'] },
      ...{ managedBy: 'file', revokedAt: null },
    });
    expect([one, two].find(key => key?.name === 'ops')).toMatchObject({ revokedBy: 'file' });
    await stage.a.keys.reconcile([web, ops]);
    expect((await keysOf(stage.b)).map(({ id, revokedAt }) => [id, revokedAt])).toEqual([
      [web.id, null],
      [ops.id, null],
    ]);
  });

  law('What a person has revoked, the file does not bring back; another secret under the name does', async stage => {
    const key = newKey('web');
    await stage.a.keys.reconcile([key]);
    await stage.a.keys.revoke(key.id, 'cli:ops');
    expect(await stage.b.keys.reconcile([key])).toMatchObject({ stayRevoked: [{ name: 'web' }], changed: [] });
    expect(only(await keysOf(stage.a)).revokedBy).toBe('cli:ops');
    await stage.b.keys.reconcile([{ ...key, hash: hashOf('fresh') }]);
    expect(only(await keysOf(stage.a))).toMatchObject({ id: key.id, revokedAt: null, hash: hashOf('fresh') });
  });

  law('A file whose name belongs to a key of the command line changes nothing', async stage => {
    await stage.a.keys.create(newKey('web'));
    expect(await stage.b.keys.reconcile([newKey('ops'), newKey('web')])).toMatchObject({ taken: ['web'] });
    expect((await keysOf(stage.a)).map(({ name }) => name)).toEqual(['web']);
  });

  law('Two nodes that start with the same file at once store each key once', async stage => {
    const file = [newKey('web'), newKey('ops')];
    await Promise.all([stage.a, stage.b].map(node => node.keys.reconcile(file)));
    expect((await keysOf(stage.a)).map(({ name }) => name).sort()).toEqual(['ops', 'web']);
  });
}
