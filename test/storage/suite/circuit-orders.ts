// Owns the law of circuits beyond one handler's failures: orders of operators, 410, the catch-all, and what outlives what.
import { expect } from 'vitest';
import { judged } from '#service/domain/lifecycle.js';
import { FATAL, RETRYABLE, TYPE } from '../../fixtures/jobs.ts';
import { BREAK_MS, end, open, started } from './circuits.ts';
import { FINE, type Law, only, type Stage, verdict } from './world.ts';

const YEAR_MS = 365 * 86_400_000;
const many = (count: number, type = TYPE) => Array.from({ length: count }, () => ({ type }));
const status = async (stage: Stage, type = TYPE) =>
  only((await stage.b.circuits.list()).filter(({ circuit }) => circuit.type === type));

export function circuitOrdersLaw(law: Law): void {
  law('Every handler has a circuit, closed from its first day, with the policy in force', async stage => {
    expect(await stage.a.circuits.list()).toEqual([]);
    await stage.register('b', 'a', '*');
    const all = await stage.b.circuits.list();
    expect(all.map(({ circuit }) => circuit.type)).toEqual(['*', 'a', 'b']);
    expect(all[1]).toEqual({
      circuit: {
        ...{ type: 'a', state: 'closed', epoch: 0, failedAt: [], openUntil: null, breakTimeMs: null },
        ...{ probeAt: null, rampLimit: null },
      },
      policy: {
        ...{ failureThreshold: 5, windowMs: 60_000, breakTimeMs: 30_000, maxBreakTimeMs: 300_000 },
        probeTimeoutMs: 30_000,
      },
      ...{ openedAt: null, waiting: 0, inFlight: 0 },
    });
  });

  law('A circuit tells since when it is open, what waits behind it and what still runs', async stage => {
    await stage.register();
    await stage.add(...many(20));
    const jobs = await started(stage, 8);
    stage.advance(7_000);
    for (const job of jobs.slice(0, 5)) await end(stage, job, RETRYABLE);
    const { openedAt, waiting, inFlight, circuit } = await status(stage);
    expect({ waiting, inFlight }).toEqual({ waiting: 17, inFlight: 3 });
    expect(circuit.openUntil).toBe((openedAt ?? 0) + BREAK_MS);
    stage.advance(BREAK_MS);
    await started(stage, 20);
    expect(await status(stage)).toMatchObject({ openedAt: null, waiting: 16, inFlight: 4 });
  });

  law('An operator opens a circuit for all nodes until a reset, whatever time passes', async stage => {
    await stage.register();
    await stage.add(...many(3));
    expect(await stage.a.circuits.open(TYPE)).toMatchObject({
      event: { type: TYPE, event: 'forced' },
      status: { circuit: { state: 'open', openUntil: null }, waiting: 3 },
    });
    expect(await stage.b.circuits.open(TYPE)).toMatchObject({ event: null });
    const claim = await stage.look({}, stage.b);
    expect(claim).toMatchObject({ jobs: [], nextDueAt: null });
    stage.advance(YEAR_MS);
    expect(await stage.claim()).toEqual([]);
    expect(await stage.b.circuits.reset(TYPE)).toMatchObject({
      event: { type: TYPE, event: 'reset' },
      status: { circuit: { state: 'closed', rampLimit: null }, openedAt: null },
    });
    expect(await stage.a.circuits.reset(TYPE)).toMatchObject({ event: null });
    expect(await stage.claim()).toHaveLength(3);
  });

  law('There is no circuit where there is no handler', async stage => {
    await stage.register('*');
    expect(await stage.a.circuits.open(TYPE)).toBeNull();
    expect(await stage.a.circuits.reset(TYPE)).toBeNull();
    expect((await stage.a.circuits.list()).map(({ circuit }) => circuit.type)).toEqual(['*']);
  });

  law('A handler that answers 410 is forced open, and its job is dead', async stage => {
    await stage.register();
    await stage.add(...many(3));
    const [job, late] = await started(stage, 2);
    if (!job || !late) throw new Error('nothing was claimed');
    const gone = { ...FATAL, endpointGone: true };
    expect(await end(stage, job, gone)).toMatchObject({ circuitEvent: { type: TYPE, event: 'forced' } });
    expect(await stage.job(job.id)).toMatchObject({ state: 'dead', failureReason: 'FatalError' });
    stage.advance(YEAR_MS);
    expect(await stage.claim({}, stage.b)).toEqual([]);
    await stage.a.circuits.reset(TYPE);
    await end(stage, late, gone);
    expect(await stage.claim({}, stage.b), 'what was called before the reset says nothing').toHaveLength(1);
  });

  law('A reset ends a break, a probe and a ramp alike', async stage => {
    await open(stage);
    await stage.b.circuits.reset(TYPE);
    expect(await started(stage, 3)).toHaveLength(3);
    await stage.a.circuits.open(TYPE);
    await stage.a.circuits.reset(TYPE);
    for (const job of await started(stage, 5)) await end(stage, job, RETRYABLE);
    stage.advance(BREAK_MS);
    const probe = only(await started(stage, 20));
    await stage.b.circuits.reset(TYPE);
    await end(stage, probe, RETRYABLE);
    expect(await status(stage)).toMatchObject({ circuit: { state: 'closed', failedAt: [], rampLimit: null } });
    expect(await started(stage, 2)).toHaveLength(2);
  });

  law('The catch-all has one circuit for all types without a handler of their own, and for no other', async stage => {
    await stage.register('*', 'own');
    await stage.add(...many(4, 'one'), ...many(4, 'two'), ...many(4, 'own'));
    const jobs = (await stage.claim({ limit: 8, start: true })).filter(({ type }) => type !== 'own');
    const ends = jobs
      .slice(0, 5)
      .map(job => judged(verdict(stage.a, job, RETRYABLE), { ...job, handlerType: '*' }, RETRYABLE));
    expect((await stage.a.jobs.apply(ends)).at(-1)).toMatchObject({ circuitEvent: { type: '*', event: 'opened' } });
    expect((await stage.claim({}, stage.b)).map(({ type }) => type)).toEqual(['own', 'own', 'own', 'own']);
    expect(await status(stage, '*')).toMatchObject({ waiting: 5, inFlight: 3 });
    await stage.register('two');
    expect((await stage.claim({}, stage.b)).every(({ type }) => type === 'two')).toBe(true);
    stage.advance(BREAK_MS);
    const probe = only(await stage.claim({ start: true }));
    expect(probe.type).toBe('one');
    await stage.apply(judged(verdict(stage.a, probe, FINE), { ...probe, handlerType: '*' }, FINE));
    await stage.add({ type: 'three' });
    const ramp = [await stage.claim({ start: true }), await stage.claim({ start: true }, stage.b)];
    expect(ramp.flat(), 'the ramp counts over all its types').toHaveLength(1);
  });

  law('What a job says about the catch-all is not held against a handler that its type got meanwhile', async stage => {
    await stage.register('*');
    await stage.add(...many(6, 'late'));
    const jobs = await started(stage, 6);
    await stage.register('late');
    const ends = jobs.map(job => judged(verdict(stage.a, job, RETRYABLE), { ...job, handlerType: '*' }, RETRYABLE));
    await stage.b.jobs.apply(ends);
    expect(await status(stage, 'late')).toMatchObject({ circuit: { state: 'closed', failedAt: [] } });
    expect(await status(stage, '*')).toMatchObject({ circuit: { state: 'open' } });
  });

  law('A circuit goes with its handler, and a new one begins closed', async stage => {
    await open(stage);
    expect(await stage.b.handlers.remove(TYPE, true)).toBe('removed');
    expect(await stage.a.circuits.list()).toEqual([]);
    await stage.register();
    expect(await status(stage)).toMatchObject({ circuit: { state: 'closed', epoch: 0 } });
    expect(await started(stage, 3)).toHaveLength(3);
  });

  law('A circuit is in the database: it outlives the processes that opened it', async stage => {
    await open(stage);
    const again = await stage.world.reopen?.();
    if (!again) return;
    expect(await stage.claim({}, again)).toEqual([]);
    expect((await again.circuits.list()).map(({ circuit }) => circuit.state)).toEqual(['open']);
    await again.close();
  });

  law('A move whose circuit cannot be written is not made, and the circuit is as it was', async stage => {
    await stage.register();
    await stage.add(...many(9));
    const jobs = await started(stage, 6);
    for (const job of jobs.slice(0, 4)) await end(stage, job, RETRYABLE);
    const mended = await stage.world.breakWrites?.('circuits');
    if (!mended) return;
    for (const job of jobs.slice(4)) await expect(end(stage, job, RETRYABLE)).rejects.toThrow();
    await mended();
    expect(await stage.all({ states: ['processing'] })).toHaveLength(2);
    expect((await status(stage)).circuit).toMatchObject({ state: 'closed' });
    expect(await stage.claim()).toHaveLength(7);
    const opened = await end(stage, only(jobs.slice(4, 5)), RETRYABLE);
    expect(opened).toMatchObject({ circuitEvent: { event: 'opened' } });
  });
}
