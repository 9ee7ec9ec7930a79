// Owns the law of the audit log: every entry is kept, refusals by scope are counted, and lists go newest first.
import { expect } from 'vitest';
import type { AuditEntry, AuditFilter, AuditRow, ScopeRefusals } from '#service/ports/audit.js';
import type { Store } from '#service/ports/store.js';
import { type Law, only } from './world.ts';

const ENTRY: AuditEntry = {
  actor: 'ops',
  keyId: 'key-1',
  action: 'queue.pause',
  target: 'mail',
  filter: null,
  affected: 1,
  outcome: 'succeeded',
  requestId: 'r-1',
  details: null,
};
const REFUSED: ScopeRefusals = {
  ...{ actor: 'web', keyId: 'key-2', action: 'queue.pause', route: 'POST /queues/{name}/pause' },
  ...{ count: 1, details: { scope: 'operate' } },
};

async function allOf(store: Store, filter: AuditFilter = {}, limit = 200): Promise<readonly AuditRow[]> {
  const page = await store.audit.list(filter, limit, null);
  expect(page.next).toBeNull();
  return page.items;
}

export function auditLaw(law: Law): void {
  law('An entry is read back as it was recorded, on the other node too, with the store’s time', async stage => {
    const entry = { ...ENTRY, filter: { queue: 'ü' }, details: { payloadBytes: 3 }, affected: null };
    const before = stage.a.clock.now();
    await stage.a.audit.record(entry);
    const row = only(await allOf(stage.b));
    expect(row).toEqual({ ...entry, id: row.id, at: row.at, count: 1 });
    expect(row.at).toBeGreaterThanOrEqual(before);
  });

  law('Refusals by scope share a row per key, route and minute, whoever counts them', async stage => {
    await stage.a.audit.refuse([{ ...REFUSED, count: 3 }]);
    await stage.b.audit.refuse([REFUSED, { ...REFUSED, keyId: 'key-3' }, { ...REFUSED, route: 'GET /jobs' }]);
    stage.advance(60_000);
    await stage.b.audit.refuse([{ ...REFUSED, count: 5 }]);
    const rows = await allOf(stage.a);
    expect(rows.every(({ outcome, affected }) => outcome === 'forbidden' && affected === 0)).toBe(true);
    // On the edge of a minute the first two calls may fall into two.
    const ofKey = rows.filter(({ keyId, target }) => keyId === 'key-2' && target === REFUSED.route);
    expect(ofKey.reduce((sum, { count }) => sum + count, 0)).toBe(9);
    expect(ofKey.length).toBeLessThanOrEqual(3);
    expect(rows).toHaveLength(ofKey.length + 2);
  });

  law('Rows are listed newest first, page by page, each once', async stage => {
    for (let n = 0; n < 5; n++) {
      await stage.a.audit.record({ ...ENTRY, target: `t${n}` });
      if (n % 2 === 1) stage.advance(1_000);
    }
    const seen: (string | null)[] = [];
    let after = null;
    do {
      const { items, next } = await stage.b.audit.list({}, 2, after);
      seen.push(...items.map(({ target }) => target));
      after = next;
    } while (after !== null);
    expect(seen).toEqual(['t4', 't3', 't2', 't1', 't0']);
  });

  law('Each filter keeps what it names, and all must hold', async stage => {
    await stage.a.audit.record(ENTRY);
    stage.advance(10_000);
    const middle = stage.a.clock.now();
    await stage.a.audit.record({ ...ENTRY, actor: 'web', action: 'job.cancel', target: 'j1' });
    const found = async (filter: AuditFilter) => (await allOf(stage.b, filter)).map(({ actor }) => actor);
    expect(await found({ actor: 'web' })).toEqual(['web']);
    expect(await found({ action: 'queue.pause' })).toEqual(['ops']);
    expect(await found({ target: 'j1' })).toEqual(['web']);
    expect(await found({ after: middle })).toEqual(['web']);
    expect(await found({ before: middle })).toEqual(['ops']);
    expect(await found({ actor: 'web', action: 'queue.pause' })).toEqual([]);
    expect(await found({ actor: '%' })).toEqual([]);
  });

  law('Retention takes what is older than its limit', async stage => {
    await stage.a.audit.record(ENTRY);
    stage.advance(5_000);
    await stage.a.audit.record({ ...ENTRY, target: 'kept' });
    const keep = { archiveMs: 1e9, dlqMs: 1e9, bucketsMs: 1e9 };
    await stage.a.jobs.retain({ ...keep, auditMs: 4_000, batch: 100 });
    expect((await allOf(stage.a)).map(({ target }) => target)).toEqual(['kept']);
  });
}
