// Owns the law of result claims: a logical operation runs once at a time, and not again while its success is remembered.
import { expect } from 'vitest';
import type { Job } from '#service/domain/job.js';
import { postpone, skip, start } from '#service/domain/lifecycle.js';
import { type JobFields, PATIENT } from '../../fixtures/jobs.ts';
import { FINE, type Law, only, type Stage } from './world.ts';

const TTL_MS = 3_600_000;
const ZOMBIE_TIMEOUT_MS = 600_000;
const CLAIM_MS = 900_000;
/** Real time passes too while a statement is played. */
const MARGIN_MS = 60_000;
const FAILED = { kind: 'retryable', askedDelayMs: 0, responseStatus: 500, responseBody: null, error: 'no' } as const;

/** One more job of the same operation, stored next to those that are there. */
function operation(id: string, fields: JobFields = {}): JobFields {
  return { id, idempotencyKey: 'order:1', resultTtlMs: TTL_MS, onConflict: 'wait', ...fields };
}

async function fetchedBoth(stage: Stage) {
  await stage.register();
  await stage.add(operation('first'), operation('second'));
  const jobs = await stage.claim({ start: true });
  expect(
    jobs.map(({ state }) => state),
    'both are checked before their start',
  ).toEqual(['fetched', 'fetched']);
  const byId = (id: string) => only(jobs.filter(job => job.id === id));
  return { first: byId('first'), second: byId('second') };
}

export function resultClaimsLaw(law: Law): void {
  law(
    'H4 · Of two stored jobs of one operation one runs; the other may not start, and then is a duplicate',
    async stage => {
      const { first, second } = await fetchedBoth(stage);
      const running = await stage.begin(first);
      expect(await stage.apply(start(second), stage.b)).toMatchObject({ held: false, why: 'operation-held' });
      expect(await stage.apply(postpone(second, 5_000), stage.b)).toMatchObject({ held: true });
      expect(await stage.job('second')).toMatchObject({ state: 'scheduled', attempts: 0 });
      await stage.finish(running, FINE);
      stage.advance(5_000);
      const again = only(await stage.claim({ start: true }));
      expect(await stage.apply(start(again))).toMatchObject({ held: false, why: 'operation-done' });
      await stage.apply(skip(again));
      expect(await stage.job('second')).toMatchObject({ state: 'succeeded', outcome: 'duplicate', attempts: 0 });
    },
  );

  law('H4 · The marker of a success ends with its resultTtl, not before', async stage => {
    const { first } = await fetchedBoth(stage);
    await stage.finish(await stage.begin(first), FINE);
    const next = async (id: string): Promise<Job> => only(await stage.add(operation(id)));
    stage.advance(TTL_MS - MARGIN_MS);
    await next('early');
    const early = only((await stage.claim({ start: true })).filter(({ id }) => id === 'early'));
    expect(await stage.apply(start(early))).toMatchObject({ why: 'operation-done' });
    await stage.apply(skip(early));
    stage.advance(MARGIN_MS);
    await next('late');
    expect(await stage.begin(only(await stage.claim({ start: true })))).toMatchObject({ id: 'late', attempts: 1 });
  });

  law('H4 · A failure leaves the operation to others, for good or until its retry', async stage => {
    const { first, second } = await fetchedBoth(stage);
    await stage.finish(await stage.begin(first), FAILED);
    const running = await stage.begin(second);
    stage.advance(1_000);
    const again = only(await stage.claim({ start: true }));
    expect(again.id).toBe('first');
    expect(await stage.apply(start(again))).toMatchObject({ why: 'operation-held' });
    await stage.finish(running, { ...FAILED, kind: 'fatal', endpointGone: false });
    expect(await stage.begin(again)).toMatchObject({ id: 'first', attempts: 2 });
  });

  law('H5 · A job re-enters the claim that its lost run had taken', async stage => {
    const { first } = await fetchedBoth(stage);
    const lost = await stage.begin(first);
    await stage.finish(lost, { ...FAILED, kind: 'expired' }, { ...PATIENT, retryOnZombie: true });
    stage.advance(PATIENT.retry.maxMs);
    const again = only((await stage.claim({ start: true })).filter(({ id }) => id === 'first'));
    expect(await stage.begin(again)).toMatchObject({ attempts: 2 });
  });

  law('A claim without heartbeats runs out; with them it stays', async stage => {
    const { first, second } = await fetchedBoth(stage);
    await stage.apply(start(first, ZOMBIE_TIMEOUT_MS));
    stage.advance(CLAIM_MS - MARGIN_MS);
    await stage.a.jobs.heartbeat('node-a', [first.leaseId]);
    stage.advance(CLAIM_MS - MARGIN_MS);
    expect(await stage.apply(start(second))).toMatchObject({ why: 'operation-held' });
    stage.advance(MARGIN_MS);
    expect(await stage.apply(start(second))).toMatchObject({ held: true });
  });

  law('H5 · A queue that calls jobs lost later keeps their claims for as much longer', async stage => {
    const { first, second } = await fetchedBoth(stage);
    await stage.b.queues.configure('default', { zombieTimeoutMs: 4 * ZOMBIE_TIMEOUT_MS });
    await stage.apply(start(first, ZOMBIE_TIMEOUT_MS));
    stage.advance(4 * ZOMBIE_TIMEOUT_MS);
    expect(await stage.apply(start(second))).toMatchObject({ why: 'operation-held' });
    stage.advance(CLAIM_MS - ZOMBIE_TIMEOUT_MS + MARGIN_MS);
    expect(await stage.apply(start(second))).toMatchObject({ held: true });
  });

  law('Another key, or a job without resultTtl, is not concerned', async stage => {
    const { first } = await fetchedBoth(stage);
    await stage.begin(first);
    await stage.add(operation('other', { idempotencyKey: 'order:2' }), operation('plain', { resultTtlMs: null }));
    const jobs = await stage.claim({ start: true });
    expect(jobs.map(({ id, state }) => [id, state])).toEqual([
      ['other', 'fetched'],
      ['plain', 'processing'],
    ]);
    expect(await stage.begin(only(jobs.filter(({ id }) => id === 'other')))).toMatchObject({ attempts: 1 });
  });
}
