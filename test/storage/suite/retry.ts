// Owns the law of retries, histories and dead jobs: what a failed attempt leaves behind, and that nothing is lost with it.
import { expect } from 'vitest';
import { resurrect } from '#service/domain/lifecycle.js';
import { DEFAULT_ATTEMPT_POLICY } from '#service/domain/retry.js';
import { FATAL, PATIENT, RETRYABLE, SUCCEEDED, text } from '../../fixtures/jobs.ts';
import type { Law } from './world.ts';

export function retryLaw(law: Law): void {
  law('D1 · A transient failure with attempts left waits: due later, no owner, a row of history', async stage => {
    const running = await stage.running({ queue: 'mail' });
    stage.advance(700);
    const applied = await stage.finish(running, RETRYABLE, DEFAULT_ATTEMPT_POLICY);
    const job = await stage.job(running.id);
    expect(job).toMatchObject({ state: 'scheduled', attempts: 1, workerId: null, leaseId: null, heartbeatAt: null });
    expect(job).toMatchObject({ lastError: 'HTTP 500', lastResponseStatus: 500, lastResponseBody: 'boom' });
    expect(job).toMatchObject({ firstDueAt: running.firstDueAt, dueAt: (applied.held ? applied.at : 0) + 3_000 });
    const [attempt, ...more] = await stage.b.jobs.attempts(running.id);
    expect(more).toEqual([]);
    expect(attempt).toMatchObject({
      round: 1,
      attempt: 1,
      workerId: 'node-a',
      outcome: 'retryable',
      responseStatus: 500,
    });
    expect(attempt).toMatchObject({ responseBody: 'boom', error: 'HTTP 500', startedAt: running.startedAt });
    expect(attempt?.durationMs).toBe((attempt?.finishedAt ?? 0) - (attempt?.startedAt ?? 0));
    expect(attempt?.durationMs).toBeGreaterThanOrEqual(700);
    expect(await stage.a.queues.get('mail')).toMatchObject({
      counts: { scheduled: 1, pending: 0, processing: 0, retried: 1, failed: 0 },
    });
    expect(await stage.claim()).toEqual([]);
    stage.advance(3_001);
    expect(await stage.claim()).toMatchObject([{ id: running.id, attempts: 1, round: 1 }]);
  });

  law('D2 · Three attempts in all, then the DLQ with MaxRetriesExceeded and attempts 3', async stage => {
    const policy = { ...PATIENT, maxAttempts: 3 };
    const first = await stage.running();
    const { id } = first;
    for (const running of [first, undefined, undefined])
      expect(await stage.finish(running ?? (await stage.runAgain(id)), RETRYABLE, policy)).toMatchObject({
        held: true,
      });
    expect(await stage.claim()).toEqual([]);
    expect(await stage.job(id)).toMatchObject({ state: 'dead', attempts: 3, failureReason: 'MaxRetriesExceeded' });
    expect((await stage.a.jobs.attempts(id)).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { dead: 1, failed: 1, retried: 2 } });
  });

  law('D8 · A job resurrected after its age limit has a full fresh budget of attempts and age', async stage => {
    const policy = { ...DEFAULT_ATTEMPT_POLICY, maxAttempts: 2 };
    const dead = await stage.dead({}, { ...RETRYABLE, kind: 'fatal', endpointGone: false });
    stage.advance(3 * 86_400_000);
    await stage.apply(resurrect(dead, {}, 'ops'));
    const running = await stage.runAgain(dead.id);
    expect(running).toMatchObject({ attempts: 1, round: 2 });
    await stage.finish(running, RETRYABLE, policy);
    expect(await stage.job(dead.id)).toMatchObject({ state: 'scheduled', attempts: 1, round: 2 });
    stage.advance(10_000);
    await stage.finish(await stage.runAgain(dead.id), RETRYABLE, policy);
    expect(await stage.job(dead.id)).toMatchObject({ state: 'dead', attempts: 2, failureReason: 'MaxRetriesExceeded' });
  });

  law(
    'D8 · The age of a job resurrected for later counts from when it is due, not from the resurrection',
    async stage => {
      const dead = await stage.dead({}, { ...RETRYABLE, kind: 'fatal', endpointGone: false });
      await stage.apply(resurrect(dead, { due: { inMs: 3 * 86_400_000 } }, 'ops'));
      stage.advance(3 * 86_400_000);
      await stage.finish(await stage.runAgain(dead.id), RETRYABLE, DEFAULT_ATTEMPT_POLICY);
      expect(await stage.job(dead.id)).toMatchObject({ state: 'scheduled', attempts: 1, round: 2 });
    },
  );

  law('D9 · A dead job keeps everything that is needed to run it as it was, and why it died', async stage => {
    const fields = {
      json: '{"a":1.0}',
      queue: 'mail',
      type: 'send.v1',
      tags: ['a', 'b'],
      priority: -5,
      overrides: { maxAttempts: 4, retry: { baseMs: 10 } },
      idempotencyKey: 'key',
      resultTtlMs: 60_000,
      createdBy: 'me',
      creatorKeyId: 'k1',
      traceparent: '00-1-1-01',
      tracestate: 's=1',
    };
    const running = await stage.running(fields);
    const alive = await stage.job(running.id);
    await stage.finish(running, FATAL);
    const dead = await stage.job(running.id);
    const { json, ...kept } = fields;
    expect(dead).toMatchObject({
      ...kept,
      state: 'dead',
      attempts: 1,
      round: 1,
      workerId: 'node-a',
      failureReason: 'FatalError',
    });
    expect(text(dead.payload)).toBe(json);
    expect(dead).toMatchObject({
      createdAt: alive.createdAt,
      dueAt: alive.dueAt,
      firstDueAt: alive.firstDueAt,
      startedAt: alive.startedAt,
    });
    expect(dead).toMatchObject({ lastError: 'HTTP 422', lastResponseStatus: 422, lastResponseBody: 'never' });
    expect(dead.errorDetails).toContain('HTTP 422');
    expect(dead.finishedAt).toBeGreaterThanOrEqual(dead.startedAt ?? 0);
    expect([...dead.payloadHash]).toEqual([...alive.payloadHash]);
  });

  law('The history tells every attempt of every round, the successful one included, oldest first', async stage => {
    const running = await stage.running();
    await stage.finish(running, RETRYABLE);
    await stage.finish(await stage.runAgain(running.id), FATAL);
    await stage.apply(resurrect(await stage.job(running.id), {}, 'ops'));
    await stage.finish(await stage.runAgain(running.id), { ...RETRYABLE, kind: 'throttled' });
    const last = await stage.runAgain(running.id, 'node-b');
    stage.advance(40);
    await stage.finish(last, SUCCEEDED);
    const history = await stage.b.jobs.attempts(running.id);
    expect(history.map(({ round, attempt, outcome }) => [round, attempt, outcome])).toEqual([
      [1, 1, 'retryable'],
      [1, 2, 'fatal'],
      [2, 1, 'throttled'],
      [2, 2, 'succeeded'],
    ]);
    expect(history[3]).toMatchObject({
      workerId: 'node-b',
      responseStatus: 200,
      responseBody: 'thanks',
      startedAt: last.startedAt,
    });
    expect(history[3]?.durationMs).toBeGreaterThanOrEqual(40);
  });

  law(
    'A history of 115 attempts is told by its first 10 and its last 90',
    async stage => {
      let running = await stage.running();
      for (let attempt = 1; attempt < 115; attempt += 1) {
        await stage.finish(running, RETRYABLE);
        running = await stage.runAgain(running.id);
      }
      await stage.finish(running, FATAL);
      const kept = (await stage.a.jobs.attempts(running.id)).map(({ attempt }) => attempt);
      expect(kept).toEqual([...range(1, 10), ...range(26, 115)]);
      expect(await stage.job(running.id)).toMatchObject({ attempts: 115 });
    },
    60_000,
  );

  law(
    'A history of 100 failures and a success is told by 100 attempts, the success last',
    async stage => {
      let running = await stage.running();
      for (let attempt = 1; attempt <= 100; attempt += 1) {
        await stage.finish(running, RETRYABLE);
        running = await stage.runAgain(running.id);
      }
      await stage.finish(running, SUCCEEDED);
      const history = await stage.a.jobs.attempts(running.id);
      expect(history.map(({ attempt }) => attempt)).toEqual([...range(1, 10), ...range(12, 101)]);
      expect(history.at(-1)?.outcome).toBe('succeeded');
    },
    60_000,
  );

  law('Attempts of an unknown job are none', async stage => {
    expect(await stage.a.jobs.attempts('nobody')).toEqual([]);
    expect(await stage.a.jobs.get('nobody')).toBeNull();
  });
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i);
}
