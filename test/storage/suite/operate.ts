// Owns the law of what operators do to jobs that have ended or wait: resurrect, edit, purge, remove.
import { expect } from 'vitest';
import { resurrect } from '#service/domain/lifecycle.js';
import { bytes, FATAL, move, text } from '../../fixtures/jobs.ts';
import { heldCount, type Law, only } from './world.ts';

export function operateLaw(law: Law): void {
  law('I1 · Resurrecting brings the job back as it was: same id, attempts 0, next round, history kept', async stage => {
    const dead = await stage.dead({
      json: '{"a":1}',
      tags: ['t'],
      priority: 7,
      idempotencyKey: 'k',
      overrides: { maxAttempts: 9 },
    });
    stage.advance(5_000);
    const applied = await stage.apply(resurrect(dead, {}, 'ann'), stage.b);
    const at = applied.held ? applied.at : 0;
    const job = await stage.job(dead.id);
    expect(job).toMatchObject({
      state: 'pending',
      attempts: 0,
      round: 2,
      dueAt: at,
      resurrectedAt: at,
      leaseId: null,
      workerId: null,
    });
    expect(job).toMatchObject({
      tags: ['t'],
      priority: 7,
      idempotencyKey: 'k',
      overrides: { maxAttempts: 9 },
      createdAt: dead.createdAt,
    });
    expect(job).toMatchObject({ failureReason: null, finishedAt: null, startedAt: null });
    expect(text(job.payload)).toBe('{"a":1}');
    expect(await stage.a.jobs.attempts(dead.id)).toHaveLength(1);
    expect(await stage.all()).toHaveLength(1);
    expect(await stage.runAgain(dead.id)).toMatchObject({ attempts: 1, round: 2 });
  });

  law('I1 · Edits of a resurrection are applied in the same move', async stage => {
    const dead = await stage.dead({ json: '"broken"', tags: ['a'], priority: 1 });
    const edits = { payload: bytes('"mended"'), tags: ['b', 'c'], priority: 500, due: { inMs: 60_000 } };
    const applied = await stage.apply(resurrect(dead, edits, 'ann'));
    const job = await stage.job(dead.id);
    expect(job).toMatchObject({
      state: 'scheduled',
      tags: ['b', 'c'],
      priority: 500,
      dueAt: (applied.held ? applied.at : 0) + 60_000,
    });
    expect(text(job.payload)).toBe('"mended"');
    expect(await stage.claim()).toEqual([]);
    stage.advance(60_001);
    expect(text(only(await stage.claim()).payload)).toBe('"mended"');
  });

  law('I1 · 5 parallel resurrections over both nodes bring it back once', async stage => {
    const dead = await stage.dead();
    const applied = await Promise.all(
      [0, 1, 2, 3, 4].map(i => stage.apply(resurrect(dead, {}, `ops${i}`), stage.world.nodes[i % 2 ? 1 : 0])),
    );
    expect(heldCount(applied)).toBe(1);
    expect(await stage.job(dead.id)).toMatchObject({ state: 'pending', round: 2 });
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 1, dead: 0, failed: 1 } });
  });

  law(
    'I2 · An edit changes a waiting or dead job under its version, and a stale version changes nothing',
    async stage => {
      const waiting = await stage.addOne({ json: '"w"' });
      const dead = await stage.dead({ json: '"d"' });
      for (const [name, id] of [
        ['edit', waiting.id],
        ['editDead', dead.id],
      ] as const) {
        const seen = await stage.job(id);
        if (seen.state === 'fetched')
          await stage.a.jobs.apply([move('release', seen, { to: 'pending', dueInMs: null })]);
        const job = await stage.job(id);
        const edits = { payload: bytes('"new"'), tags: ['x'], priority: 42 };
        const transition = move(name, job, { to: 'edited', edits, by: 'ann' }, { version: job.version });
        expect(await stage.apply(transition, stage.b)).toMatchObject({ held: true });
        const edited = await stage.job(id);
        expect(edited).toMatchObject({
          state: job.state,
          tags: ['x'],
          priority: 42,
          round: job.round,
          attempts: job.attempts,
        });
        expect(edited.version).toBeGreaterThan(job.version);
        expect(text(edited.payload)).toBe('"new"');
        expect(await stage.apply(transition)).toMatchObject({ held: false, why: 'lost' });
        expect(await stage.job(id)).toEqual(edited);
      }
    },
  );

  law('I2 · Two edits under one version at once: one holds', async stage => {
    const job = await stage.addOne();
    const edits = [1, 2, 3, 4].map(priority =>
      move('edit', job, { to: 'edited', edits: { priority }, by: 'ann' }, { version: job.version }),
    );
    expect(heldCount(await Promise.all(edits.map((edit, i) => stage.apply(edit, i % 2 ? stage.a : stage.b))))).toBe(1);
  });

  law('I2 · An edited due time is obeyed in both directions', async stage => {
    await stage.register();
    const [soon, late] = await stage.add({ queue: 's' }, { queue: 'l', due: { inMs: 600_000 } });
    if (!soon || !late) throw new Error('two jobs were stored');
    await stage.apply(move('edit', soon, { to: 'edited', edits: { due: { inMs: 300_000 } }, by: 'ann' }));
    await stage.apply(move('edit', late, { to: 'edited', edits: { due: { inMs: 0 } }, by: 'ann' }));
    expect((await stage.claim()).map(({ id }) => id)).toEqual([late.id]);
    expect(await stage.a.queues.get('s')).toMatchObject({ counts: { pending: 0, scheduled: 1 } });
    stage.advance(300_001);
    expect((await stage.claim()).map(({ id }) => id)).toEqual([soon.id]);
  });

  law('I6 · Resurrecting and purging leave lifetime totals and buckets alone', async stage => {
    const [one, two] = [await stage.dead({ queue: 'q' }), await stage.dead({ queue: 'q' })];
    const buckets = await stage.world.buckets?.('q');
    await stage.apply(resurrect(one, {}, 'ops'));
    expect(await stage.apply(move('purge', two, { to: 'gone' }))).toMatchObject({ held: true });
    expect(await stage.a.queues.get('q')).toMatchObject({ counts: { pending: 1, dead: 0, failed: 2 } });
    expect(await stage.world.buckets?.('q')).toEqual(buckets);
    expect(await stage.a.jobs.get(two.id)).toBeNull();
    expect(await stage.a.jobs.attempts(two.id)).toEqual([]);
  });

  law('I1 · What was decided about an earlier round of a dead job does not hold in a later one', async stage => {
    const seen = await stage.dead();
    await stage.apply(resurrect(seen, {}, 'ops'));
    await stage.finish(await stage.runAgain(seen.id), FATAL);
    const edits = { tags: ['late'] };
    const late = [
      resurrect(seen, {}, 'late'),
      move('purge', seen, { to: 'gone' }),
      move('editDead', seen, { to: 'edited', edits, by: 'late' }),
    ];
    for (const transition of late) expect(await stage.apply(transition)).toMatchObject({ held: false, why: 'lost' });
    expect(await stage.job(seen.id)).toMatchObject({ state: 'dead', round: 2, tags: [] });
  });

  law('An archived job can be removed, a dead one purged, and neither in another state', async stage => {
    const [archived, dead] = [await stage.succeeded(), await stage.dead()];
    expect(await stage.apply(move('purge', archived, { to: 'gone' }))).toMatchObject({ held: false });
    expect(await stage.apply(move('remove', dead, { to: 'gone' }))).toMatchObject({ held: false });
    expect(await stage.apply(move('remove', archived, { to: 'gone' }))).toMatchObject({ held: true });
    expect((await stage.all()).map(({ id }) => id)).toEqual([dead.id]);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { succeeded: 0, dead: 1 } });
  });
}
