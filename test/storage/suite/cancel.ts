// Owns the law of stopping jobs: before they start, while they run on another node, and never in a later round.
import { expect } from 'vitest';
import { cancel, reject, requestCancel, resurrect, start } from '#service/domain/lifecycle.js';
import { FATAL, newJobs, RETRYABLE, SUCCEEDED } from '../../fixtures/jobs.ts';
import { heldCount, type Law } from './world.ts';

export function cancelLaw(law: Law): void {
  law('G2 · Cancelling a pending or fetched job makes it dead as Cancelled, with the actor', async stage => {
    const claimed = await stage.fetched();
    const [waiting, scheduled] = await stage.add({}, { due: { inMs: 60_000 } });
    for (const id of [claimed.id, waiting?.id ?? '', scheduled?.id ?? '']) {
      expect(await stage.apply(cancel(await stage.job(id), 'ann'), stage.b)).toMatchObject({ held: true });
      expect(await stage.job(id)).toMatchObject({
        state: 'dead',
        failureReason: 'Cancelled',
        endedBy: 'ann',
        attempts: 0,
      });
      expect(await stage.a.jobs.attempts(id)).toEqual([]);
    }
    expect(await stage.apply(start(claimed))).toMatchObject({ held: false, why: 'lost' });
    expect(await stage.a.queues.get('default')).toMatchObject({
      counts: { pending: 0, scheduled: 0, fetched: 0, dead: 3 },
    });
  });

  law(
    'G2 · A wish to cancel a running job, asked on another node, reaches its owner by claim and by heartbeat',
    async stage => {
      const running = await stage.running();
      expect(await stage.apply(requestCancel(await stage.job(running.id), 'ann'), stage.b)).toMatchObject({
        held: true,
      });
      expect(await stage.job(running.id)).toMatchObject({ state: 'processing', cancelRequestedBy: 'ann' });
      const wish = { jobId: running.id, leaseId: running.leaseId, by: 'ann' };
      expect((await stage.look({ owner: 'node-a', limit: 0 })).cancelRequests).toEqual([wish]);
      expect((await stage.look({ owner: 'node-b', limit: 0 }, stage.b)).cancelRequests).toEqual([]);
      expect(await stage.a.jobs.heartbeat('node-a', [running.leaseId])).toMatchObject([{ cancelRequestedBy: 'ann' }]);
      await stage.finish(running, {
        kind: 'cancelled',
        by: 'ann',
        responseStatus: null,
        responseBody: null,
        error: 'cancelled',
      });
      expect(await stage.job(running.id)).toMatchObject({
        state: 'dead',
        failureReason: 'Cancelled',
        endedBy: 'ann',
        attempts: 1,
      });
      expect((await stage.look({ limit: 0 })).cancelRequests).toEqual([]);
    },
  );

  law(
    'G2 · A job that was asked to be cancelled is not tried again, but a success that came first counts',
    async stage => {
      const [one, two] = [await stage.running(), await stage.running({ queue: 'q' })];
      for (const job of [one, two]) await stage.apply(requestCancel(await stage.job(job.id), 'ann'), stage.b);
      expect(await stage.finish(one, RETRYABLE)).toEqual({
        held: false,
        why: 'cancel-requested',
        cancelRequestedBy: 'ann',
      });
      expect(await stage.job(one.id)).toMatchObject({ state: 'processing' });
      expect(await stage.finish(two, SUCCEEDED)).toMatchObject({ held: true });
    },
  );

  law('G3 · 1 000 ids in mixed states each get their own true result', async stage => {
    await stage.register();
    const jobs = (await stage.a.jobs.insert(newJobs(1_000))).map(({ job }) => job);
    const claimed = await stage.claim({ limit: 300 });
    const running = await stage.claim({ limit: 200, start: true });
    const untouchable = new Set(running.map(({ id }) => id));
    const applied = await stage.b.jobs.apply(jobs.map(job => cancel(job, 'ann')));
    expect(applied.map(({ held }) => held)).toEqual(jobs.map(({ id }) => !untouchable.has(id)));
    expect(heldCount(await stage.a.jobs.apply(claimed.map(start)))).toBe(0);
    expect(await stage.a.queues.get('default')).toMatchObject({
      counts: { pending: 0, fetched: 0, processing: 200, dead: 800 },
    });
  });

  law('G4 · A late cancel of a finished job does not touch a later round of the same id', async stage => {
    const running = await stage.running();
    const seen = await stage.job(running.id);
    await stage.finish(running, FATAL);
    await stage.apply(resurrect(await stage.job(running.id), {}, 'ops'));
    expect(await stage.apply(cancel(seen, 'late'), stage.b)).toMatchObject({ held: false, why: 'lost' });
    await stage.runAgain(running.id);
    expect(await stage.apply(requestCancel(seen, 'late'), stage.b)).toMatchObject({ held: false, why: 'lost' });
    expect(await stage.job(running.id)).toMatchObject({ state: 'processing', round: 2, cancelRequestedBy: null });
  });

  law('G4 · A wish to cancel does not outlive its round', async stage => {
    const running = await stage.running();
    await stage.apply(requestCancel(await stage.job(running.id), 'ann'));
    await stage.finish(running, FATAL);
    await stage.apply(resurrect(await stage.job(running.id), {}, 'ops'));
    const again = await stage.runAgain(running.id);
    expect(await stage.job(running.id)).toMatchObject({ cancelRequestedBy: null });
    expect(await stage.finish(again, RETRYABLE)).toMatchObject({ held: true });
  });

  law('A rejected job is dead as FatalError with the reason in words', async stage => {
    const claimed = await stage.fetched();
    await stage.apply(reject(claimed, 'the payload breaks the schema'));
    const job = await stage.job(claimed.id);
    expect(job).toMatchObject({
      state: 'dead',
      failureReason: 'FatalError',
      attempts: 0,
      lastError: 'the payload breaks the schema',
    });
  });
}
