// Owns the law of idempotency keys: one active job a key over all nodes, and what happens to those that come second.
import { expect } from 'vitest';
import { cancel, resurrect } from '#service/domain/lifecycle.js';
import { FATAL, newJob, RETRYABLE, SUCCEEDED, text } from '../../fixtures/jobs.ts';
import { type Law, only, type Stage } from './world.ts';

const KEY = { idempotencyKey: 'welcome:42' } as const;
const WAITING = { ...KEY, resultTtlMs: 60_000, onConflict: 'wait' } as const;

export function idempotencyLaw(law: Law): void {
  law('H1 · An active key enqueued again stores nothing and answers with the first job', async stage => {
    const first = await stage.addOne(KEY);
    const before = await stage.a.queues.list();
    const second = only(await stage.b.jobs.insert([newJob(KEY)]));
    expect(second).toMatchObject({ duplicate: true, job: { id: first.id, version: first.version } });
    expect(await stage.all()).toHaveLength(1);
    expect((await stage.a.queues.list()).map(({ counts }) => counts)).toEqual(before.map(({ counts }) => counts));
  });

  law('H1 · 200 parallel enqueues of one key over both nodes give one row and one id', async stage => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 ? stage.a : stage.b).jobs.insert([newJob(KEY)])),
    );
    expect(new Set(answers.flat().map(({ job }) => job.id)).size).toBe(1);
    expect(answers.flat().filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await stage.all()).toHaveLength(1);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 1 } });
  });

  law('H1 · The key stays taken while its job is claimed, runs and waits for a retry', async stage => {
    await stage.register();
    const first = await stage.addOne(KEY);
    const twice = async () =>
      expect(only(await stage.a.jobs.insert([newJob(KEY)]))).toMatchObject({ duplicate: true, job: { id: first.id } });
    const claimed = only(await stage.claim());
    await twice();
    await stage.finish(await stage.begin(claimed), RETRYABLE);
    await twice();
    await stage.runAgain(first.id);
    await twice();
    expect(await stage.all()).toHaveLength(1);
  });

  law('H1 · Two of one batch with one key are one job', async stage => {
    const answers = await stage.a.jobs.insert([newJob(KEY), newJob(KEY)]);
    expect(answers.map(({ duplicate }) => duplicate)).toEqual([false, true]);
    expect(answers[1]?.job.id).toBe(answers[0]?.job.id);
  });

  law('H2 · The same key with another payload, type or queue is refused and names the job', async stage => {
    const first = await stage.addOne(KEY);
    for (const other of [{ json: '{"n":2}' }, { type: 'other.v1' }, { queue: 'other' }, { json: '{"n": 1}' }])
      await expect(stage.b.jobs.insert([newJob(), newJob({ ...KEY, ...other })])).rejects.toMatchObject({
        code: 'idempotency-conflict',
        message: expect.stringContaining(first.id),
        faults: [{ pointer: expect.stringMatching(/^#\/jobs\/1(\/|$)/) }],
      });
    expect(await stage.all()).toHaveLength(1);
  });

  law('H2 · keep answers with the stored job and leaves it as it is', async stage => {
    const first = await stage.addOne({ ...KEY, json: '"first"' });
    const kept = only(
      await stage.a.jobs.insert([newJob({ ...KEY, json: '"second"', onConflict: 'keep', priority: 99 })]),
    );
    expect(kept).toMatchObject({ duplicate: true, job: { id: first.id, priority: 10 } });
    expect(text((await stage.job(first.id)).payload)).toBe('"first"');
  });

  law('H2 · replace changes payload, priority and due time of a pending job, and only those', async stage => {
    await stage.register();
    const first = await stage.addOne({ ...KEY, json: '"first"', tags: ['t'] });
    const change = newJob({
      ...KEY,
      json: '"second"',
      onConflict: 'replace',
      priority: 99,
      due: { inMs: 60_000 },
      tags: ['u'],
    });
    const replaced = only(await stage.b.jobs.insert([change]));
    expect(replaced).toMatchObject({ duplicate: true, job: { id: first.id } });
    const job = await stage.job(first.id);
    expect(job).toMatchObject({ state: 'scheduled', priority: 99, tags: ['t'], createdAt: first.createdAt });
    expect(job.version).toBeGreaterThan(first.version);
    expect(text(job.payload)).toBe('"second"');
    expect(await stage.claim()).toEqual([]);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { pending: 0, scheduled: 1 } });
    stage.advance(60_001);
    expect(text(only(await stage.claim()).payload)).toBe('"second"');
  });

  law('H2 · What replaced a job is what later enqueues are compared with', async stage => {
    await stage.addOne({ ...KEY, json: '"first"' });
    await stage.addOne({ ...KEY, json: '"second"', onConflict: 'replace' });
    expect(only(await stage.a.jobs.insert([newJob({ ...KEY, json: '"second"' })])).duplicate).toBe(true);
    await expect(stage.a.jobs.insert([newJob({ ...KEY, json: '"first"' })])).rejects.toMatchObject({
      code: 'idempotency-conflict',
    });
  });

  law('H2 · replace is refused once the job is claimed', async stage => {
    const claimed = await stage.fetched({ ...KEY, json: '"first"' });
    const change = { ...KEY, json: '"second"', onConflict: 'replace' } as const;
    await expect(stage.a.jobs.insert([newJob(change)])).rejects.toMatchObject({ code: 'conflict-state' });
    await stage.begin(claimed);
    await expect(stage.a.jobs.insert([newJob(change)])).rejects.toMatchObject({ code: 'conflict-state' });
    expect(text((await stage.job(claimed.id)).payload)).toBe('"first"');
  });

  law('H2 · A job that another API key made is neither replaced nor named, also in a batch', async stage => {
    const theirs = { creatorKeyId: 'theirs', seesAll: false } as const;
    const mine = { ...theirs, creatorKeyId: 'mine' };
    const first = await stage.addOne({ ...KEY, ...theirs, json: '"first"' });
    const change = { ...KEY, json: '"second"', onConflict: 'replace' } as const;
    for (const seesAll of [false, true]) {
      const refused = await stage.b.jobs
        .insert([newJob(), newJob({ ...change, ...mine, seesAll })])
        .catch(error => error);
      expect(refused).toMatchObject({ code: 'conflict-state', faults: [{ pointer: '#/jobs/1' }] });
      expect(refused.message.includes(first.id)).toBe(seesAll);
    }
    expect((await stage.all()).map(({ id, version }) => [id, version])).toEqual([[first.id, first.version]]);
    expect(text((await stage.job(first.id)).payload)).toBe('"first"');
    const own = only(await stage.b.jobs.insert([newJob({ ...change, ...theirs })]));
    expect(own).toMatchObject({ duplicate: true, job: { id: first.id, creatorKeyId: 'theirs' } });
    expect(text((await stage.job(first.id)).payload)).toBe('"second"');
  });

  law('H3 · The key is free again once its job is archived', async stage => {
    const first = await stage.succeeded(KEY);
    const second = only(await stage.a.jobs.insert([newJob({ ...KEY, json: '"other"' })]));
    expect(second).toMatchObject({ duplicate: false, job: { idempotencyKey: KEY.idempotencyKey } });
    expect(first.idempotencyKey).toBe(KEY.idempotencyKey);
  });

  law(
    'H3 · The key is free again once its job is dead, and resurrecting with the key taken is refused',
    async stage => {
      const first = await stage.dead(KEY);
      const second = await stage.addOne({ ...KEY, json: '"other"' });
      expect(await stage.apply(resurrect(first, {}, 'ops'))).toMatchObject({ held: false, why: 'key-taken' });
      expect(await stage.job(first.id)).toEqual(first);
      await stage.finish(await stage.runAgain(second.id), SUCCEEDED);
      expect(await stage.apply(resurrect(first, {}, 'ops'))).toMatchObject({ held: true });
      await expect(stage.a.jobs.insert([newJob({ ...KEY, json: '"third"' })])).rejects.toMatchObject({
        code: 'idempotency-conflict',
      });
    },
  );

  law('H3 · Of two dead jobs with one key resurrected in one call, one comes back', async stage => {
    const one = await stage.dead(KEY);
    const two = await stage.dead({ ...KEY, json: '"other"' });
    const applied = await stage.a.jobs.apply([resurrect(one, {}, 'ops'), resurrect(two, {}, 'ops')]);
    expect(applied).toMatchObject([{ held: true }, { held: false, why: 'key-taken' }]);
  });

  law('H4 · wait stores both jobs under one key', async stage => {
    const first = await stage.addOne({ ...KEY, resultTtlMs: 60_000 });
    const second = only(await stage.a.jobs.insert([newJob(WAITING)]));
    expect(second).toMatchObject({
      duplicate: false,
      job: { idempotencyKey: KEY.idempotencyKey, resultTtlMs: 60_000 },
    });
    const third = only(await stage.b.jobs.insert([newJob(KEY)]));
    expect(third.duplicate).toBe(true);
    expect([first.id, second.job.id]).toContain(third.job.id);
    expect(await stage.all()).toHaveLength(2);
  });

  law('H4 · A waiting job holds the key after the first one has ended', async stage => {
    const first = await stage.running({ ...KEY, resultTtlMs: 60_000 });
    const second = await stage.addOne(WAITING);
    await stage.finish(first, SUCCEEDED);
    expect(only(await stage.b.jobs.insert([newJob(KEY)]))).toMatchObject({ duplicate: true, job: { id: second.id } });
  });

  law(
    'H4 · The key goes from one that ends to one that waits, however it ends, and is free after the last',
    async stage => {
      const first = await stage.fetched({ ...KEY, resultTtlMs: 60_000 });
      const waiting = await stage.add(WAITING, WAITING, WAITING);
      const holder = async () => only(await stage.b.jobs.insert([newJob({ ...KEY, onConflict: 'keep' })]));
      const left = new Set(waiting.map(({ id }) => id));
      await stage.apply(cancel(first, 'ops'));
      for (const end of ['cancel', 'failure', 'success']) {
        const { job, duplicate } = await holder();
        expect([duplicate, left.delete(job.id)], end).toEqual([true, true]);
        if (end === 'cancel') await stage.apply(cancel(job, 'ops'), stage.b);
        else await stage.finish(await runOnly(stage, job.id), end === 'success' ? SUCCEEDED : FATAL);
      }
      expect(await holder()).toMatchObject({ duplicate: false });
    },
  );

  // Without spaces at the ends, which the API takes off names before any store sees them: SQL Server does not tell 'k ' from 'k'.
  law('Keys compare exactly', async stage => {
    const keys = ['k', 'K', 'k k', 'k  k', 'ｋ', 'é', 'e\u0301', 'straße', 'strasse'];
    const answers = await stage.a.jobs.insert(keys.map(idempotencyKey => newJob({ idempotencyKey })));
    expect(answers.map(({ duplicate }) => duplicate)).toEqual(keys.map(() => false));
  });

  law('A resend is recognised after an operator changed the payload', async stage => {
    const original = newJob();
    await stage.register();
    await stage.a.jobs.insert([original]);
    await stage.finish(await stage.runAgain(original.id), { ...RETRYABLE, kind: 'fatal', endpointGone: false });
    await stage.apply(
      resurrect(await stage.job(original.id), { payload: newJob({ json: '"repaired"' }).payload }, 'ops'),
    );
    expect(only(await stage.a.jobs.insert([original]))).toMatchObject({ duplicate: true, job: { id: original.id } });
    expect(text((await stage.job(original.id)).payload)).toBe('"repaired"');
  });
}

/** Claims whatever is ready and starts that one. */
async function runOnly(stage: Stage, id: string) {
  await stage.claim();
  const { leaseId, payload, heartbeatAt, ...job } = await stage.job(id);
  if (leaseId === null || payload === null) throw new Error(`${id} was not claimed`);
  return stage.begin({ ...job, state: 'fetched', leaseId, payload, circuitEpoch: 0, queueTimeoutMs: null });
}
