// Owns the law of moves: whole or not at all, once, and only by whoever holds the lease.
import { expect } from 'vitest';
import { type Outcome, reclaim, release, start, type Transition } from '#service/domain/lifecycle.js';
import { EXPIRED, FATAL, move, NO_ANSWER, newJobs, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { recount } from './recount.ts';
import { heldCount, type Law, type Stage, verdict } from './world.ts';

export function movesLaw(law: Law): void {
  law('C1 · A start commits processing, attempts + 1, startedAt and the first heartbeat', async stage => {
    const claimed = await stage.fetched();
    const applied = await stage.apply(start(claimed));
    expect(applied).toMatchObject({ held: true, queue: 'default', type: claimed.type, at: expect.any(Number) });
    const at = applied.held ? applied.at : 0;
    const job = await stage.job(claimed.id);
    expect(job).toMatchObject({
      state: 'processing',
      attempts: 1,
      startedAt: at,
      heartbeatAt: at,
      leaseId: claimed.leaseId,
    });
    expect(Math.abs(at - stage.a.clock.now())).toBeLessThan(10_000);
  });

  law('C2 · A claimed row that was released or reclaimed is not started', async stage => {
    for (const giveBack of [release, reclaim]) {
      const claimed = await stage.fetched();
      expect(await stage.apply(giveBack(claimed), stage.b)).toMatchObject({ held: true });
      expect(await stage.apply(start(claimed))).toEqual({ held: false, why: 'lost', cancelRequestedBy: null });
      expect(await stage.job(claimed.id)).toMatchObject({ state: 'pending', attempts: 0, leaseId: null });
      await stage.claim();
    }
  });

  law('C3 · Success leaves Hot for Archive in one move, with duration, attempts, answer and counters', async stage => {
    const running = await stage.running({
      queue: 'mail',
      priority: 4,
      tags: ['t'],
      idempotencyKey: 'k',
      due: { inMs: 0 },
    });
    stage.advance(1_500);
    const applied = await stage.finish(running, SUCCEEDED);
    expect(applied).toMatchObject({ held: true, queue: 'mail', startedAt: running.startedAt });
    const job = await stage.job(running.id);
    expect(job.finishedAt).toBe(applied.held ? applied.at : 0);
    expect(job).toMatchObject({
      state: 'succeeded',
      outcome: 'succeeded',
      attempts: 1,
      workerId: 'node-a',
      priority: 4,
    });
    expect(job).toMatchObject({
      lastResponseStatus: 200,
      lastResponseBody: 'thanks',
      idempotencyKey: 'k',
      tags: ['t'],
    });
    expect(job).toMatchObject({ dueAt: running.dueAt, createdAt: running.createdAt, startedAt: running.startedAt });
    expect(job.durationMs).toBeGreaterThanOrEqual(1_500);
    expect(job.durationMs).toBe((job.finishedAt ?? 0) - (job.startedAt ?? 0));
    expect(await stage.a.queues.get('mail')).toMatchObject({
      counts: { processing: 0, succeeded: 1, dead: 0, failed: 0 },
    });
    expect((await stage.world.buckets?.('mail')) ?? { succeeded: 1, dead: 0 }).toEqual({ succeeded: 1, dead: 0 });
  });

  law('C3 · A failure leaves Hot for the DLQ in one move, with reason, answer and counters', async stage => {
    const running = await stage.running({ queue: 'mail' });
    await stage.finish(running, FATAL);
    expect(await stage.job(running.id)).toMatchObject({ state: 'dead', failureReason: 'FatalError', attempts: 1 });
    expect(await stage.a.queues.get('mail')).toMatchObject({
      counts: { processing: 0, succeeded: 0, dead: 1, failed: 1 },
    });
    expect((await stage.world.buckets?.('mail')) ?? { succeeded: 0, dead: 1 }).toEqual({ succeeded: 0, dead: 1 });
  });

  for (const table of ['jobs_archive', 'metric_buckets', 'stats_summary'])
    law(`C4 · When the write into ${table} fails, a success changes nothing at all`, stage =>
      failing(stage, table, SUCCEEDED),
    );
  for (const table of ['jobs_dlq', 'job_attempts', 'metric_buckets', 'stats_summary'])
    law(`C4 · When the write into ${table} fails, a burial changes nothing at all`, stage =>
      failing(stage, table, FATAL),
    );
  for (const table of ['job_attempts', 'stats_summary'])
    law(`C4 · When the write into ${table} fails, a retry changes nothing at all`, stage =>
      failing(stage, table, RETRYABLE),
    );

  law('C5 · A stale lease can do nothing, also when the same node claimed the job again', async stage => {
    const first = await stage.fetched();
    await stage.apply(release(first));
    const second = await stage.runAgain(first.id);
    const before = await stage.job(first.id);
    const stale = { ...second, leaseId: first.leaseId };
    for (const transition of everyFencedMove(stage, stale)) {
      expect(await stage.apply(transition)).toMatchObject({ held: false, why: 'lost' });
      expect(await stage.job(first.id)).toEqual(before);
    }
    expect(await stage.a.jobs.heartbeat('node-a', [first.leaseId])).toEqual([]);
    expect((await stage.job(first.id)).heartbeatAt).toBe(before.heartbeatAt);
    expect(await stage.a.jobs.attempts(first.id)).toEqual([]);
    expect(await stage.finish(second, SUCCEEDED)).toMatchObject({ held: true });
  });

  law('C5 · A stale lease can do nothing to a job that waits, is archived or dead', async stage => {
    const waiting = await stage.running();
    await stage.finish(waiting, RETRYABLE);
    const archived = await stage.running({ queue: 'x' });
    await stage.finish(archived, SUCCEEDED);
    const dead = await stage.running({ queue: 'y' });
    await stage.finish(dead, FATAL);
    for (const job of [waiting, archived, dead]) {
      const before = await stage.job(job.id);
      for (const transition of everyFencedMove(stage, job))
        expect(await stage.apply(transition)).toMatchObject({ held: false });
      expect(await stage.job(job.id)).toEqual(before);
    }
  });

  law('C6 · 8 parallel finalisations over both nodes make one move and one counter step', async stage => {
    const running = await stage.running();
    const outcomes = [SUCCEEDED, FATAL, SUCCEEDED, FATAL, SUCCEEDED, FATAL, SUCCEEDED, FATAL];
    const applied = await Promise.all(
      outcomes.map((outcome, i) => stage.finish(running, outcome, undefined, i % 2 ? stage.a : stage.b)),
    );
    expect(heldCount(applied)).toBe(1);
    const counts = (await stage.a.queues.get('default'))?.counts;
    expect((counts?.succeeded ?? 0) + (counts?.dead ?? 0)).toBe(1);
    expect(await stage.all()).toHaveLength(1);
  });

  law('C6 · The same finalisation twice in one call holds once', async stage => {
    const running = await stage.running();
    const twice = [verdict(stage.a, running, SUCCEEDED), verdict(stage.a, running, SUCCEEDED)];
    expect(await stage.a.jobs.apply(twice)).toMatchObject([{ held: true }, { held: false, why: 'lost' }]);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { succeeded: 1, processing: 0 } });
  });

  law(
    'C7 · A zombie in the DLQ whose frozen worker wakes up and succeeds stays there, with no archive row',
    async stage => {
      const frozen = await stage.running();
      await stage.finish(frozen, EXPIRED, { ...POLICY, retryOnZombie: false }, stage.b);
      expect(await stage.finish(frozen, SUCCEEDED)).toMatchObject({ held: false, why: 'lost' });
      expect(await stage.all()).toMatchObject([{ id: frozen.id, state: 'dead', failureReason: 'Zombie' }]);
      expect(await stage.a.queues.get('default')).toMatchObject({ counts: { succeeded: 0, dead: 1 } });
    },
  );

  law('A list of transitions holds each for itself, in order, also with steps that follow one another', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(200));
    const claimed = await stage.claim({ limit: 200 });
    const steps = claimed.flatMap((job, i) => {
      const begun = { ...job, attempts: 1 };
      return [start(i % 4 ? job : { ...job, leaseId: 'stolen' }), verdict(stage.a, begun, i % 2 ? SUCCEEDED : FATAL)];
    });
    const applied = await stage.a.jobs.apply(steps);
    expect(applied.map(({ held }) => held)).toEqual(claimed.flatMap((_, i) => [i % 4 > 0, i % 4 > 0]));
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { fetched: 50, succeeded: 100, dead: 50 } });
    expect(await stage.a.jobs.apply([])).toEqual([]);
  });

  law('A skipped duplicate is archived with outcome duplicate and without an attempt', async stage => {
    const claimed = await stage.fetched();
    const skip = move('skip', claimed, { to: 'succeeded', outcome: 'duplicate', answer: NO_ANSWER });
    expect(await stage.apply(skip)).toMatchObject({ held: true });
    expect(await stage.job(claimed.id)).toMatchObject({
      state: 'succeeded',
      outcome: 'duplicate',
      attempts: 0,
      startedAt: null,
    });
    expect(await stage.a.jobs.attempts(claimed.id)).toEqual([]);
  });

  law('A postponed job waits without an attempt', async stage => {
    const claimed = await stage.fetched();
    const applied = await stage.apply(move('postpone', claimed, { to: 'pending', dueInMs: 5_000 }));
    const job = await stage.job(claimed.id);
    expect(job).toMatchObject({
      state: 'scheduled',
      attempts: 0,
      workerId: null,
      leaseId: null,
      firstDueAt: claimed.firstDueAt,
    });
    expect(job.dueAt).toBe((applied.held ? applied.at : 0) + 5_000);
    expect(await stage.a.queues.get('default')).toMatchObject({
      counts: { scheduled: 1, pending: 0, fetched: 0, retried: 0 },
    });
  });

  law('Moves of jobs that do not exist do not hold', async stage => {
    const nobody = { id: 'nobody', leaseId: 'none', attempts: 1, firstDueAt: 0, resurrectedAt: null, round: 1 };
    expect(await stage.apply(start(nobody))).toEqual({ held: false, why: 'lost', cancelRequestedBy: null });
    expect(await stage.apply(move('purge', nobody, { to: 'gone' }))).toMatchObject({ held: false, why: 'lost' });
  });
}

const POLICY = {
  maxAttempts: 9,
  timeoutMs: 1,
  retry: { baseMs: 0, factor: 1, maxMs: 0, jitterMs: 0, maxAgeMs: null },
  retryOnTimeout: false,
  retryOnZombie: true,
};

function everyFencedMove(stage: Stage, job: Awaited<ReturnType<Stage['running']>>): Transition[] {
  return [
    start(job),
    release(job),
    reclaim(job),
    move('skip', job, { to: 'succeeded', outcome: 'duplicate', answer: NO_ANSWER }),
    move('postpone', job, { to: 'pending', dueInMs: 1_000 }),
    ...[SUCCEEDED, RETRYABLE, FATAL, EXPIRED].map(outcome => verdict(stage.b, job, outcome, POLICY)),
  ];
}

async function failing(stage: Stage, table: string, outcome: Outcome): Promise<void> {
  const running = await stage.running();
  const [job, queues, buckets] = [
    await stage.job(running.id),
    await stage.a.queues.list(),
    await stage.world.buckets?.('default'),
  ];
  const heal = await stage.world.breakWrites?.(table);
  if (!heal) return;
  await expect(stage.finish(running, outcome)).rejects.toThrow();
  expect(await stage.job(running.id)).toEqual(job);
  expect((await stage.a.queues.list()).map(({ counts }) => counts)).toEqual(queues.map(({ counts }) => counts));
  expect(await stage.world.buckets?.('default')).toEqual(buckets);
  expect(await stage.a.jobs.attempts(running.id)).toEqual([]);
  await heal();
  expect(await stage.finish(running, outcome)).toMatchObject({ held: true });
  const { counters, recounted } = await recount(stage.b);
  expect(counters).toEqual(recounted);
}
