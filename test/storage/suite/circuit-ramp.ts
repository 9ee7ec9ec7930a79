// Owns the law of the way back: how many calls a circuit lets through after its probe has succeeded, and what does not hold it up.
import { expect } from 'vitest';
import { EXPIRED, handlerFor, RETRYABLE, TYPE } from '../../fixtures/jobs.ts';
import { BREAK_MS, end, probing, started, state } from './circuits.ts';
import { FINE, type Law, only, verdict } from './world.ts';

export function circuitRampLaw(law: Law): void {
  law(
    'E2 · A probe that succeeds closes the circuit with a ramp of 1, 2, 4 … in flight over all nodes',
    async stage => {
      const probe = await stage.begin(await probing(stage));
      expect(await end(stage, probe, FINE)).toMatchObject({ circuitEvent: { type: TYPE, event: 'closed' } });
      for (const limit of [1, 2, 4]) {
        const jobs = [...(await started(stage, 1)), ...(await started(stage, 20, stage.b))];
        expect(jobs).toHaveLength(limit);
        expect(await started(stage, 20)).toEqual([]);
        await end(stage, only(jobs.slice(0, 1)), FINE);
        for (const job of jobs.slice(1)) await stage.apply(verdict(stage.b, job, EXPIRED), stage.b);
      }
      expect(await state(stage)).toMatchObject({ state: 'closed', rampLimit: 8 });
    },
  );

  law('E2 · Calls that hang from before the break do not hold up the ramp', async stage => {
    await stage.register();
    await stage.add(...Array.from({ length: 20 }, () => ({})));
    const [...jobs] = await started(stage, 10);
    for (const job of jobs.slice(0, 5)) await end(stage, job, RETRYABLE);
    stage.advance(BREAK_MS);
    const [probe] = await started(stage, 20);
    if (probe) await end(stage, probe, FINE);
    expect(await started(stage, 20)).toHaveLength(1);
  });

  law(
    'E2 · A call of the ramp that hangs is replaced after 30 s, not earlier, and by one over all nodes',
    async stage => {
      await end(stage, await stage.begin(await probing(stage)), FINE);
      expect(await started(stage, 20)).toHaveLength(1);
      const { nextDueAt } = await stage.look({}, stage.b);
      expect(nextDueAt).toBeLessThanOrEqual(stage.b.clock.now() + BREAK_MS);
      stage.advance(BREAK_MS - 2_000);
      expect(await started(stage, 20, stage.b)).toEqual([]);
      stage.advance(2_000);
      const replacement = only([...(await started(stage, 20, stage.b)), ...(await started(stage, 20))]);
      await end(stage, replacement, FINE, stage.b);
      expect(await state(stage)).toMatchObject({ state: 'closed', rampLimit: 2 });
    },
  );

  law(
    'E2 · A ramp waits for a hanging call no longer than the handler’s own probeTimeout, claimed or started',
    async stage => {
      await end(stage, await stage.begin(await probing(stage)), FINE);
      await stage.a.handlers.put(handlerFor(TYPE, { circuit: { probeTimeoutMs: 5_000 } }));
      for (const node of [stage.a, stage.b]) {
        expect(await stage.claim({}, node)).toHaveLength(1);
        expect(await stage.claim({}, node)).toEqual([]);
        stage.advance(5_000);
      }
    },
  );
}
