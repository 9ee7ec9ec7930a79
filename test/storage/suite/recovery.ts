// Owns the law of heartbeats and recovery: who counts as alive, whose work is stale, and that a late beat saves a job.
import { expect } from 'vitest';
import { reclaim } from '#service/domain/lifecycle.js';
import type { StaleJob, StaleRequest } from '#service/ports/store.js';
import { EXPIRED, newJobs, PATIENT, SUCCEEDED, TYPE } from '../../fixtures/jobs.ts';
import { type Law, only, type Stage, verdict } from './world.ts';

const MINUTE = 60_000;
const REQUEST: StaleRequest = {
  fetchedTimeoutMs: 10 * MINUTE,
  zombieTimeoutMs: 10 * MINUTE,
  goneOwners: [],
  limit: 1_000,
};

export function recoveryLaw(law: Law): void {
  law('F1 · One heartbeat refreshes all named leases of its owner and answers those it still holds', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(4));
    const mine = await stage.claim({ owner: 'node-a', limit: 3, start: true });
    const theirs = only(await stage.claim({ owner: 'node-b', limit: 1, start: true }, stage.b));
    stage.advance(9_000);
    const [first, second, third] = mine;
    const names = [first, second, theirs].map(job => job?.leaseId ?? '');
    const held = await stage.a.jobs.heartbeat('node-a', [...names, 'unknown']);
    expect(new Set(held.map(({ leaseId }) => leaseId))).toEqual(new Set(names.slice(0, 2)));
    expect(held).toEqual(
      expect.arrayContaining([{ jobId: first?.id, leaseId: first?.leaseId, cancelRequestedBy: null }]),
    );
    const beat = async (id = '') => ((await stage.job(id)).heartbeatAt ?? 0) >= (first?.startedAt ?? 0) + 9_000;
    expect(await Promise.all([first, second, third, theirs].map(job => beat(job?.id)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(await stage.a.jobs.heartbeat('node-a', [])).toEqual([]);
  });

  law('F2 · Claimed work older than its limit is stale and goes back with its attempts unchanged', async stage => {
    const claimed = await stage.fetched();
    stage.advance(9 * MINUTE);
    expect(await stage.b.jobs.stale(REQUEST)).toEqual([]);
    stage.advance(MINUTE + 1_000);
    const stale = only(await stage.b.jobs.stale({ ...REQUEST, zombieTimeoutMs: 24 * 60 * MINUTE }));
    expect(stale).toMatchObject({ id: claimed.id, state: 'fetched', leaseId: claimed.leaseId, workerId: 'node-a' });
    expect(stale).not.toHaveProperty('payload');
    expect(await stage.apply(reclaim(stale), stage.b)).toMatchObject({ held: true });
    expect(await stage.job(claimed.id)).toMatchObject({ state: 'pending', attempts: 0, leaseId: null, workerId: null });
    expect(await stage.b.jobs.stale(REQUEST)).toEqual([]);
  });

  law('F2 · The zombie limit has no say in claimed work, nor the fetched limit in running work', async stage => {
    const running = await stage.running();
    const claimed = await stage.fetched({ queue: 'q' });
    stage.advance(5 * MINUTE);
    expect(ids(await stage.a.jobs.stale({ ...REQUEST, zombieTimeoutMs: 1_000 }))).toEqual([running.id]);
    expect(ids(await stage.a.jobs.stale({ ...REQUEST, fetchedTimeoutMs: 1_000 }))).toEqual([claimed.id]);
    await stage.a.queues.configure('q', { zombieTimeoutMs: 1_000 });
    expect(ids(await stage.a.jobs.stale(REQUEST))).toEqual([]);
  });

  law('F3 · Running work with an expired heartbeat goes to the DLQ as Zombie once, counters + 1', async stage => {
    const running = await stage.running();
    stage.advance(11 * MINUTE);
    const found = [only(await stage.a.jobs.stale(REQUEST)), only(await stage.b.jobs.stale(REQUEST))];
    expect(found[0]).toMatchObject({ id: running.id, state: 'processing', attempts: 1, cancelRequestedBy: null });
    const applied = await Promise.all(
      found.map((job, i) => stage.apply(expire(stage, job, false), stage.world.nodes[i])),
    );
    expect(applied.filter(({ held }) => held)).toHaveLength(1);
    expect(await stage.job(running.id)).toMatchObject({
      state: 'dead',
      failureReason: 'Zombie',
      attempts: 1,
      workerId: 'node-a',
    });
    expect(await stage.a.queues.get('default')).toMatchObject({ counts: { dead: 1, failed: 1, processing: 0 } });
    expect(await stage.a.jobs.attempts(running.id)).toMatchObject([
      { outcome: 'expired', attempt: 1, workerId: 'node-a' },
    ]);
  });

  law('F3 · With retryOnZombie it is pending again, the attempt counted', async stage => {
    const running = await stage.running();
    stage.advance(11 * MINUTE);
    await stage.apply(expire(stage, only(await stage.b.jobs.stale(REQUEST)), true), stage.b);
    expect(await stage.job(running.id)).toMatchObject({ state: 'pending', attempts: 1, leaseId: null });
    expect(await stage.runAgain(running.id)).toMatchObject({ attempts: 2 });
  });

  law('F3 · A beat between the scan and the verdict saves the job', async stage => {
    const running = await stage.running();
    stage.advance(11 * MINUTE);
    const stale = only(await stage.b.jobs.stale(REQUEST));
    expect(await stage.a.jobs.heartbeat('node-a', [running.leaseId])).toHaveLength(1);
    expect(await stage.apply(expire(stage, stale, false), stage.b)).toMatchObject({ held: false, why: 'lost' });
    expect(await stage.finish(running, SUCCEEDED)).toMatchObject({ held: true });
  });

  law('F4 · A queue’s own zombie limit replaces the global one for that queue only', async stage => {
    const strict = await stage.running({ queue: 'strict' });
    const normal = await stage.running({ queue: 'normal' });
    const lax = await stage.running({ queue: 'lax' });
    await stage.a.queues.configure('strict', { zombieTimeoutMs: 30_000 });
    await stage.a.queues.configure('lax', { zombieTimeoutMs: 60 * MINUTE });
    stage.advance(31_000);
    expect(ids(await stage.b.jobs.stale(REQUEST))).toEqual([strict.id]);
    stage.advance(10 * MINUTE);
    expect(ids(await stage.b.jobs.stale(REQUEST)).sort()).toEqual([strict.id, normal.id].sort());
    stage.advance(60 * MINUTE);
    expect(ids(await stage.b.jobs.stale(REQUEST)).sort()).toEqual([strict.id, normal.id, lax.id].sort());
  });

  law('F4 · A job that runs for hours and beats is left alone', async stage => {
    const running = await stage.running();
    for (let beat = 0; beat < 30; beat += 1) {
      stage.advance(9 * MINUTE);
      await stage.a.jobs.heartbeat('node-a', [running.leaseId]);
      expect(await stage.b.jobs.stale(REQUEST)).toEqual([]);
    }
    expect(await stage.job(running.id)).toMatchObject({ state: 'processing', startedAt: running.startedAt });
  });

  law('F7 · Whatever an owner known to be gone holds is stale at once, and nothing of others', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(6));
    const gone = [
      ...(await stage.claim({ owner: 'gone', limit: 2 })),
      ...(await stage.claim({ owner: 'gone', limit: 2, start: true })),
    ];
    await stage.claim({ owner: 'alive', limit: 2, start: true }, stage.b);
    const stale = await stage.b.jobs.stale({ ...REQUEST, goneOwners: ['gone', 'never seen'] });
    expect(ids(stale).sort()).toEqual(ids(gone).sort());
    for (const job of stale)
      await stage.apply(job.state === 'fetched' ? reclaim(job) : expire(stage, job, false), stage.b);
    expect(await stage.a.queues.get('default')).toMatchObject({
      counts: { pending: 2, dead: 2, processing: 2, fetched: 0 },
    });
  });

  law('Stale work comes oldest first and in batches', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(30));
    const order: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) {
      order.push(...ids(await stage.claim({ limit: 3, start: turn % 2 === 0 })));
      stage.advance(1_000);
    }
    stage.advance(20 * MINUTE);
    const found: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const batch = await stage.b.jobs.stale({ ...REQUEST, limit: 6 });
      expect(batch).toHaveLength(6);
      found.push(...ids(batch));
      for (const job of batch) await stage.apply(job.state === 'fetched' ? reclaim(job) : expire(stage, job, false));
    }
    expect(found.map(id => Math.floor(order.indexOf(id) / 3))).toEqual(order.map((_, i) => Math.floor(i / 3)));
    expect(await stage.b.jobs.stale(REQUEST)).toEqual([]);
  });

  law('A stale job tells who asked to cancel it', async stage => {
    const running = await stage.running({ type: TYPE });
    const ask = { states: ['processing'] as const, round: 1 };
    await stage.apply(
      { move: 'requestCancel', jobId: running.id, guard: ask, change: { to: 'cancelRequested', by: 'ann' } },
      stage.b,
    );
    stage.advance(11 * MINUTE);
    expect(only(await stage.b.jobs.stale(REQUEST))).toMatchObject({ cancelRequestedBy: 'ann', round: 1 });
  });
}

function expire(stage: Stage, job: StaleJob, retryOnZombie: boolean) {
  return verdict(stage.b, { ...job, circuitEpoch: 0, payload: new Uint8Array() }, EXPIRED, {
    ...PATIENT,
    retryOnZombie,
  });
}

function ids(jobs: readonly { readonly id: string }[]): string[] {
  return jobs.map(({ id }) => id);
}
