// Owns the law of enqueueing: what is stored, all or none, and when it may first run.
import { expect } from 'vitest';
import { DomainError } from '#service/domain/errors.js';
import { LIMITS } from '#service/domain/job.js';
import { newJob, newJobs, RETRYABLE, TYPE, text } from '../../fixtures/jobs.ts';
import { type Law, only } from './world.ts';

const MINUTE = 60_000;
const YEAR = 365 * 86_400_000;

export function enqueueLaw(law: Law): void {
  law(
    'A1 · A valid job becomes one hot row: pending, no attempts, no owner, in queue default at priority 10',
    async stage => {
      const before = stage.a.clock.now();
      const stored = only(
        await stage.a.jobs.insert([newJob({ json: '{"to":"x"}', tags: ['a', 'b'], createdBy: 'me' })]),
      );
      expect(stored.duplicate).toBe(false);
      expect(stored.job.payload).toBeNull();
      const job = await stage.job(stored.job.id);
      expect(job).toMatchObject({
        queue: 'default',
        type: TYPE,
        state: 'pending',
        priority: 10,
        attempts: 0,
        round: 1,
      });
      expect(job).toMatchObject({ tags: ['a', 'b'], createdBy: 'me', workerId: null, leaseId: null, startedAt: null });
      expect(job).toMatchObject({ heartbeatAt: null, finishedAt: null, outcome: null, failureReason: null });
      expect(text(job.payload)).toBe('{"to":"x"}');
      expect(job.createdAt).toBeGreaterThanOrEqual(before);
      expect(job.createdAt).toBeLessThanOrEqual(stage.a.clock.now());
      expect([job.dueAt, job.firstDueAt]).toEqual([job.createdAt, job.createdAt]);
      expect(await stage.all()).toHaveLength(1);
    },
  );

  law('A1 · Everything a producer may say about a job comes back as it was said', async stage => {
    const said = newJob({
      queue: 'mail',
      priority: -1_000,
      overrides: { maxAttempts: 7, timeoutMs: 1_234, retry: { baseMs: 5, factor: 1.5, maxAgeMs: null } },
      idempotencyKey: 'key 1',
      resultTtlMs: 60_000,
      creatorKeyId: 'k1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=1',
    });
    await stage.a.jobs.insert([said]);
    const { payload, payloadHash, onConflict, seesAll, due, ...kept } = said;
    const job = await stage.job(said.id);
    expect(job).toMatchObject(kept);
    expect(Buffer.from(job.payloadHash)).toEqual(Buffer.from(payloadHash));
  });

  law('A4 · A delayed job is stored at once, scheduled, and nobody claims it before its due time', async stage => {
    await stage.register();
    const job = await stage.addOne({ due: { inMs: 10 * MINUTE } });
    expect(job).toMatchObject({ state: 'scheduled', dueAt: job.createdAt + 10 * MINUTE });
    expect(await stage.look()).toMatchObject({ jobs: [], nextDueAt: job.dueAt });
    stage.advance(10 * MINUTE - 5_000);
    expect(await stage.claim({ owner: 'node-b' }, stage.b)).toEqual([]);
    stage.advance(5_001);
    expect(await stage.claim()).toMatchObject([{ id: job.id, dueAt: job.dueAt, firstDueAt: job.dueAt }]);
  });

  law('A4 · A delayed job survives a restart and is still not claimed early', async stage => {
    if (!stage.world.reopen) return;
    await stage.register();
    const job = await stage.addOne({ due: { inMs: 10 * MINUTE } });
    const again = await stage.world.reopen();
    expect(await again.jobs.get(job.id)).toMatchObject({ state: 'scheduled', dueAt: job.dueAt });
    expect(await stage.claim({ owner: 'node-c' }, again)).toEqual([]);
    await again.close();
  });

  law('A5 · 50 parallel first enqueues to a new queue make one queue row and 50 jobs', async stage => {
    const nodes = stage.world.nodes;
    await Promise.all(
      newJobs(50, () => ({ queue: 'fresh' })).map((job, i) => only([nodes[i % 2]])?.jobs.insert([job])),
    );
    const queues = await stage.a.queues.list();
    expect(queues.map(({ name }) => name)).toEqual(['fresh']);
    expect(queues[0]?.counts.pending).toBe(50);
    expect(await stage.all({ queue: 'fresh' })).toHaveLength(50);
  });

  law(
    'A8 · The same id sent again is a duplicate wherever the job is by then; other content is a conflict',
    async stage => {
      await stage.register();
      const job = newJob();
      const same = async (state: string) => {
        expect(await stage.b.jobs.insert([job])).toMatchObject([{ duplicate: true, job: { id: job.id, state } }]);
        for (const other of [
          { ...newJob({ json: '[2]' }), id: job.id },
          { ...job, type: 'other' },
          { ...job, queue: 'other' },
        ])
          await expect(stage.a.jobs.insert([other])).rejects.toMatchObject({ code: 'id-conflict' });
      };
      await stage.a.jobs.insert([job]);
      await same('pending');
      const claimed = only(await stage.claim());
      await same('fetched');
      const running = await stage.begin(claimed);
      await same('processing');
      await stage.finish(running, RETRYABLE);
      await same('pending');
      const again = await stage.runAgain(job.id);
      await stage.finish(again, { ...RETRYABLE, kind: 'fatal', endpointGone: false });
      await same('dead');
      expect(await stage.all()).toHaveLength(1);
      expect((await stage.a.queues.list()).map(({ name }) => name)).toEqual(['default']);
    },
  );

  law('A8 · The same id sent again after success is a duplicate of the archived job', async stage => {
    const job = newJob();
    await stage.register();
    await stage.a.jobs.insert([job]);
    await stage.finish(await stage.runAgain(job.id), {
      kind: 'succeeded',
      responseStatus: 200,
      responseBody: null,
      error: null,
    });
    expect(await stage.a.jobs.insert([job])).toMatchObject([{ duplicate: true, job: { state: 'succeeded' } }]);
    expect(await stage.all()).toHaveLength(1);
  });

  law('A8 · 40 parallel sends of one id over both nodes store one row', async stage => {
    const job = newJob();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => (i % 2 ? stage.a : stage.b).jobs.insert([job])),
    );
    expect(answers.flat().filter(({ duplicate }) => !duplicate)).toHaveLength(1);
    expect(await stage.all()).toHaveLength(1);
  });

  law('A9 · A batch of 1 000 keeps its order and is stored whole', async stage => {
    const jobs = newJobs(LIMITS.batchJobs, i => ({ queue: `q${i % 7}`, json: `${i}` }));
    const stored = await stage.a.jobs.insert(jobs);
    expect(stored.map(({ job }) => job.id)).toEqual(jobs.map(({ id }) => id));
    expect(await stage.all()).toHaveLength(LIMITS.batchJobs);
    expect(text((await stage.job(jobs[999]?.id ?? '')).payload)).toBe('999');
  });

  law('A9 · A batch with one conflicting job stores nothing, not even a queue, and points at that job', async stage => {
    const taken = await stage.addOne({ json: '"old"' });
    const jobs = newJobs(1_000, i => ({
      queue: `new${i}`,
      ...(i === 617 ? { id: taken.id, queue: 'default', json: '"new"' } : {}),
    }));
    const refusal = await stage.a.jobs.insert(jobs).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(DomainError);
    expect(refusal).toMatchObject({
      code: 'id-conflict',
      faults: [{ pointer: expect.stringMatching(/^#\/jobs\/617(\/|$)/) }],
    });
    expect(await stage.all()).toHaveLength(1);
    expect((await stage.a.queues.list()).map(({ name }) => name)).toEqual(['default']);
  });

  law('A9 · A refused batch does not take down those that were sent at the same moment', async stage => {
    const taken = await stage.addOne({ json: '"old"' });
    const results = await Promise.allSettled(
      newJobs(30, i => (i % 3 === 0 ? { id: taken.id, json: '"new"' } : {})).map(job => stage.a.jobs.insert([job])),
    );
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(await stage.all()).toHaveLength(21);
  });

  law('A9 · Twins inside one batch are stored once', async stage => {
    const job = newJob();
    const answers = await stage.a.jobs.insert([job, newJob(), job]);
    expect(answers.map(({ duplicate }) => duplicate)).toEqual([false, false, true]);
    expect(await stage.all()).toHaveLength(2);
  });

  law('A9 · An empty batch stores nothing', async stage => {
    expect(await stage.a.jobs.insert([])).toEqual([]);
    expect(await stage.all()).toEqual([]);
  });

  law('A11 · A due time in the past means now', async stage => {
    await stage.register();
    const before = stage.a.clock.now();
    const job = await stage.addOne({ due: { at: before - 3 * 86_400_000 } });
    expect(job.state).toBe('pending');
    expect(job.dueAt).toBeGreaterThanOrEqual(before);
    expect(job.firstDueAt).toBeGreaterThanOrEqual(before);
    expect(await stage.claim()).toHaveLength(1);
  });

  law('A11 · A due time in nine years waits, to the millisecond', async stage => {
    await stage.register();
    const at = stage.a.clock.now() + 9 * YEAR + 123;
    const job = await stage.addOne({ due: { at } });
    expect(await stage.look()).toMatchObject({ jobs: [], nextDueAt: at });
    expect(await stage.job(job.id)).toMatchObject({ state: 'scheduled', dueAt: at, firstDueAt: at });
    stage.advance(9 * YEAR + 200);
    expect(await stage.claim()).toHaveLength(1);
  });

  law(
    'The 10 001st queue name is refused with its place in the batch, known queues go on',
    async stage => {
      for (let batch = 0; batch < LIMITS.queueNames / 1_000; batch += 1)
        await stage.a.jobs.insert(newJobs(1_000, i => ({ queue: `q${batch * 1_000 + i}` })));
      await expect(stage.a.jobs.insert([newJob({ queue: 'q1' }), newJob({ queue: 'more' })])).rejects.toMatchObject({
        code: 'queue-limit-reached',
        faults: [{ pointer: expect.stringMatching(/^#\/jobs\/1(\/|$)/) }],
      });
      await stage.add({ queue: 'q1' });
      expect(await stage.a.queues.get('q1')).toMatchObject({ counts: { pending: 2 } });
    },
    60_000,
  );

  law('A store that cannot write refuses an enqueue and keeps nothing of it', async stage => {
    const heal = await stage.world.breakWrites?.('jobs_hot');
    if (!heal) return;
    await expect(stage.a.jobs.insert([newJob({ queue: 'never' })])).rejects.toThrow();
    await heal();
    expect(await stage.all()).toEqual([]);
    expect(await stage.a.queues.get('never')).toBeNull();
    await stage.add({});
    expect(await stage.all()).toHaveLength(1);
  });
}
