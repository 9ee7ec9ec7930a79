// Owns the law of the circuit breaker: when a handler's jobs are not claimed, what probes it, and whose verdicts count.
import { expect } from 'vitest';
import type { ClaimedJob } from '#service/domain/job.js';
import { cancel, edit, judged, type Outcome, release, start } from '#service/domain/lifecycle.js';
import type { Applied, Store } from '#service/ports/store.js';
import { EXPIRED, FATAL, handlerFor, RETRYABLE, TYPE } from '../../fixtures/jobs.ts';
import { FINE, type Law, only, type Stage, verdict } from './world.ts';

export const BREAK_MS = 30_000;
const TIMED_OUT: Outcome = { ...EXPIRED, kind: 'timedOut' };

/** Ends a running job as its handler's own node does, which tells the circuit how it went. */
export function end(stage: Stage, job: ClaimedJob, outcome: Outcome, node: Store = stage.a): Promise<Applied> {
  return stage.apply(
    judged(verdict(node, job, outcome), { handlerType: TYPE, circuitEpoch: job.circuitEpoch }, outcome),
    node,
  );
}

/** Jobs of the type that start now, each with all that a claim may take. */
export async function started(stage: Stage, limit: number, node: Store = stage.a): Promise<readonly ClaimedJob[]> {
  return stage.claim({ limit, start: true }, node);
}

/** Opens the circuit with five failures of five running jobs, which then wait for their next attempt. */
export async function open(stage: Stage, count = 20): Promise<void> {
  await stage.register();
  await stage.add(...Array.from({ length: count }, () => ({})));
  const jobs = await started(stage, 5);
  const applied = await Promise.all(jobs.map(job => end(stage, job, RETRYABLE)));
  expect(applied.map(each => each.held && each.circuitEvent)).toEqual([
    ...Array(4).fill(undefined),
    { type: TYPE, event: 'opened' },
  ]);
}

/** Its circuit has been open long enough, and this is the job that probes it. */
export async function probing(stage: Stage): Promise<ClaimedJob> {
  await open(stage);
  stage.advance(BREAK_MS);
  return only(await stage.claim());
}

export const state = async (stage: Stage, type = TYPE) =>
  (await stage.b.circuits.list()).find(({ circuit }) => circuit.type === type)?.circuit;

export function circuitsLaw(law: Law): void {
  law(
    'E1 · Five failures within a minute open the circuit on every node: jobs wait untouched, others run',
    async stage => {
      await open(stage);
      await stage.register('other');
      const other = await stage.addOne({ type: 'other' });
      for (const node of [stage.a, stage.b]) {
        const claim = await stage.look({}, node);
        expect(claim.jobs.map(({ id }) => id)).toEqual(node === stage.a ? [other.id] : []);
        expect(claim.nextDueAt).toBeGreaterThan(node.clock.now() + BREAK_MS - 5_000);
      }
      const waiting = await stage.all({ type: TYPE, states: ['pending'] });
      expect(waiting).toHaveLength(20);
      expect(waiting.filter(({ attempts }) => attempts === 0)).toHaveLength(15);
    },
  );

  law('E1 · Failures and timeouts of several nodes add up', async stage => {
    await stage.register();
    await stage.add(...Array.from({ length: 9 }, () => ({})));
    const jobs = [...(await started(stage, 2)), ...(await started(stage, 3, stage.b))];
    for (const [index, job] of jobs.entries()) {
      await end(stage, job, index % 2 ? TIMED_OUT : RETRYABLE, index % 2 ? stage.b : stage.a);
    }
    expect(await state(stage)).toMatchObject({ state: 'open', failedAt: [] });
    expect(await stage.claim({}, stage.b)).toEqual([]);
  });

  law('E2 · After the break exactly one job over all nodes is claimed, however many ask', async stage => {
    await open(stage);
    stage.advance(BREAK_MS - 2_000);
    expect(await stage.claim()).toEqual([]);
    stage.advance(2_000);
    const askedAt = stage.b.clock.now();
    const claims = await Promise.all([stage.a, stage.b, stage.a, stage.b].map(node => stage.look({}, node)));
    expect(claims.flatMap(({ jobs }) => jobs)).toHaveLength(1);
    expect(claims.flatMap(({ circuitEvents }) => circuitEvents)).toEqual([{ type: TYPE, event: 'half-opened' }]);
    const { nextDueAt } = await stage.look({}, stage.b);
    expect(nextDueAt).toBeGreaterThan(askedAt + 25_000);
  });

  law('E2 · A probe that fails opens the circuit for twice as long', async stage => {
    const probe = await stage.begin(await probing(stage));
    expect(await end(stage, probe, RETRYABLE)).toMatchObject({ circuitEvent: { type: TYPE, event: 'opened' } });
    expect(await state(stage)).toMatchObject({ state: 'open', breakTimeMs: 2 * BREAK_MS });
    stage.advance(2 * BREAK_MS - 2_000);
    expect(await stage.claim()).toEqual([]);
    stage.advance(2_000);
    expect(await stage.claim({}, stage.b)).toHaveLength(1);
  });

  const PERMIT_RETURNED: Readonly<Record<string, (stage: Stage, probe: ClaimedJob) => Promise<unknown>>> = {
    'is released unstarted': (stage, probe) => stage.apply(release(probe)),
    'is cancelled before its start': (stage, probe) => stage.apply(cancel(probe, 'ann'), stage.b),
    'is edited before its start': async (stage, probe) => {
      const change = edit(await stage.job(probe.id), { priority: 1 }, 'ann');
      if (change) await stage.apply(change, stage.b);
    },
    'is cancelled while it runs': async (stage, probe) =>
      end(stage, await stage.begin(probe), { ...EXPIRED, kind: 'cancelled', by: 'ann' }),
    'is cut off by a shutdown': async (stage, probe) =>
      end(stage, await stage.begin(probe), { ...EXPIRED, kind: 'interrupted', by: 'shutdown' }),
    'is recovered from a lost node': async (stage, probe) =>
      stage.finish(await stage.begin(probe), EXPIRED, undefined, stage.b),
    'is throttled': async (stage, probe) => end(stage, await stage.begin(probe), { ...RETRYABLE, kind: 'throttled' }),
    'proves to be a job that can never work': async (stage, probe) => end(stage, await stage.begin(probe), FATAL),
  };

  for (const [how, finish] of Object.entries(PERMIT_RETURNED)) {
    law(`E3 · A probe that ${how} gives its permit back at once`, async stage => {
      const probe = await probing(stage);
      expect(await stage.claim({}, stage.b)).toEqual([]);
      await finish(stage, probe);
      expect(await state(stage)).toMatchObject({ state: 'half-open', probeAt: null });
      expect(await stage.claim({}, stage.b)).toHaveLength(1);
      expect(await stage.claim()).toEqual([]);
    });
  }

  law('E3 · A probe that vanished is replaced after 30 s, not earlier, and by one', async stage => {
    await stage.begin(await probing(stage));
    stage.advance(BREAK_MS - 2_000);
    expect(await stage.claim({}, stage.b)).toEqual([]);
    stage.advance(2_000);
    expect([...(await stage.claim({}, stage.b)), ...(await stage.claim())]).toHaveLength(1);
  });

  law(
    'E3 · A probe that was replaced and then ends without a verdict does not give the permit of its replacement away',
    async stage => {
      const vanished = await stage.begin(await probing(stage));
      stage.advance(BREAK_MS);
      expect(await stage.claim({}, stage.b)).toHaveLength(1);
      stage.advance(1_000);
      await end(stage, vanished, { ...EXPIRED, kind: 'cancelled', by: 'ann' });
      expect(await stage.claim()).toEqual([]);
    },
  );

  law('E4 · Failures further apart than the window do not add up', async stage => {
    await stage.register();
    await stage.add(...Array.from({ length: 20 }, () => ({})));
    for (const job of await started(stage, 12)) {
      await end(stage, job, RETRYABLE);
      stage.advance(15_001);
    }
    expect(await state(stage)).toMatchObject({ state: 'closed' });
    expect(await stage.claim()).not.toEqual([]);
  });

  law('E4 · Throttles, fatal answers and lost nodes open nothing, and leave no trace', async stage => {
    await stage.register();
    await stage.add(...Array.from({ length: 40 }, () => ({})));
    for (const outcome of [{ ...RETRYABLE, kind: 'throttled' } as const, FATAL, EXPIRED, FINE]) {
      for (const job of await started(stage, 7)) await end(stage, job, outcome);
    }
    expect(await state(stage)).toMatchObject({ state: 'closed', epoch: 0, failedAt: [] });
  });

  law('E4 · A late success from before the opening closes nothing, a late failure opens nothing anew', async stage => {
    await stage.register();
    await stage.add(...Array.from({ length: 20 }, () => ({})));
    const [early, late, ...jobs] = await started(stage, 9);
    for (const job of jobs) await end(stage, job, RETRYABLE);
    const opened = await state(stage);
    if (early) await end(stage, early, FINE);
    expect(await state(stage)).toEqual(opened);
    stage.advance(BREAK_MS);
    const probe = only(await started(stage, 20));
    if (late) await end(stage, late, RETRYABLE);
    expect(await state(stage)).toMatchObject({ state: 'half-open' });
    await end(stage, probe, FINE);
    expect(await state(stage)).toMatchObject({ state: 'closed' });
  });

  law('A job that was claimed before its circuit opened does not start, and goes back untouched', async stage => {
    await stage.register();
    await stage.add(...Array.from({ length: 6 }, () => ({})));
    const [first, ...jobs] = await stage.claim();
    for (const job of jobs) await end(stage, await stage.begin(job), RETRYABLE);
    if (!first) throw new Error('nothing was claimed');
    expect(await stage.apply(start(first))).toMatchObject({ held: false, why: 'circuit-open' });
    expect(await stage.apply(release(first))).toMatchObject({ held: true });
    expect(await stage.job(first.id)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  law('A handler’s own policy decides, anew each time', async stage => {
    await stage.a.handlers.put(handlerFor(TYPE, { circuit: { failureThreshold: 2, breakTimeMs: 1_000 } }));
    await stage.add(...Array.from({ length: 9 }, () => ({})));
    for (const job of await started(stage, 2)) await end(stage, job, RETRYABLE);
    expect(await state(stage)).toMatchObject({ state: 'open', breakTimeMs: 1_000 });
    await stage.b.handlers.put(
      handlerFor(TYPE, { circuit: { failureThreshold: 2, breakTimeMs: 1_000, maxBreakTimeMs: 1_500 } }),
    );
    expect(await state(stage)).toMatchObject({ state: 'open', breakTimeMs: 1_000 });
    stage.advance(1_000);
    await end(stage, only(await started(stage, 9)), RETRYABLE);
    expect(await state(stage)).toMatchObject({ state: 'open', breakTimeMs: 1_500 });
  });
}
