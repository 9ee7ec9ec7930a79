// Owns the law of error families: every dead job is counted in exactly one, whatever brings or takes it, and found by it.
import { expect } from 'vitest';
import { FAMILIES_KEPT, OTHER_PREFIX } from '#service/domain/error-family.js';
import { cancel, resurrect } from '#service/domain/lifecycle.js';
import { FATAL, move, newJobs, RETRYABLE } from '../../fixtures/jobs.ts';
import { type Law, only, type Stage, verdict } from './world.ts';

export function familiesLaw(law: Law): void {
  law(
    'Dead jobs are counted by reason and by what their errors have in common, the largest family first',
    async stage => {
      await die(stage, ['no row 1', 'no row 22', 'no row 333', 'disk full']);
      stage.advance(5_000);
      const timedOut = await stage.running();
      await stage.finish(timedOut, { ...RETRYABLE, kind: 'timedOut', error: 'no row 9' });
      const families = await stage.b.families.top(10);
      expect(families.map(({ reason, prefix, count }) => [reason, prefix, count])).toEqual([
        ['FatalError', 'no row #', 3],
        ['Timeout', 'no row #', 1],
        ['FatalError', 'disk full', 1],
      ]);
      expect(families[1]?.newestAt).toBe((await stage.job(timedOut.id)).finishedAt);
      expect(await stage.a.families.top(1)).toHaveLength(1);
    },
  );

  law('The filter of a family gives exactly its jobs, with any other filter beside it', async stage => {
    const [one, two, other] = await die(stage, ['no row 1', 'no row 22', 'disk full']);
    const [rows] = await stage.a.families.top(1);
    const page = { order: 'failed', limit: 50, after: null, withPayload: false } as const;
    const found = async (filter: object) =>
      (await stage.b.jobs.list({ errorFamily: rows?.id ?? 0, ...filter }, page)).items.map(({ id }) => id).sort();
    expect(await found({})).toEqual([one, two].toSorted());
    expect(await found({ search: '22' })).toEqual([two]);
    expect(await found({ reason: 'Timeout' })).toEqual([]);
    expect(await found({ errorFamily: 999_999 })).toEqual([]);
    expect((await stage.all({ errorFamily: rows?.id ?? 0 })).map(({ id }) => id)).not.toContain(other);
  });

  law('Resurrection, purge, retention and cancelling keep the count true', async stage => {
    const [one, two] = await die(stage, ['no row 1', 'no row 2', 'no row 3', 'no row 4']);
    await stage.apply(resurrect(await stage.job(one ?? ''), {}, 'ops'));
    await stage.apply(move('purge', await stage.job(two ?? ''), { to: 'gone' }));
    expect(only(await stage.a.families.top(9)).count).toBe(2);
    const waiting = await stage.addOne({ due: { inMs: 60_000 } });
    await stage.apply(cancel(waiting, 'ann'));
    expect((await stage.a.families.top(9)).map(({ reason, count }) => [reason, count])).toEqual([
      ['FatalError', 2],
      ['Cancelled', 1],
    ]);
    stage.advance(2 * 86_400_000);
    await stage.a.jobs.retain({ archiveMs: 1, dlqMs: 86_400_000, bucketsMs: 1, auditMs: 1, batch: 100 });
    expect(await stage.a.families.top(9)).toEqual([]);
  });

  law('A family whose jobs have left and that comes again keeps its id', async stage => {
    const [id = ''] = await die(stage, ['no row 1']);
    const before = only(await stage.a.families.top(9));
    await stage.apply(move('purge', await stage.job(id), { to: 'gone' }));
    await die(stage, ['no row 2']);
    expect(only(await stage.b.families.top(9))).toMatchObject({ id: before.id, count: 1 });
  });

  law(
    'There are never more families than the limit: further texts share one per reason, and empty ones give way',
    async stage => {
      const words = Array.from({ length: FAMILIES_KEPT + 40 }, (_, at) => `error ${letters(at)}`);
      const ids = await die(stage, words);
      const families = await stage.a.families.top(10_000);
      expect(families).toHaveLength(FAMILIES_KEPT + 1);
      expect(families[0]).toMatchObject({ prefix: OTHER_PREFIX, count: 40 });
      expect(families.reduce((sum, { count }) => sum + count, 0)).toBe(words.length);
      await stage.apply(move('purge', await stage.job(ids[0] ?? ''), { to: 'gone' }));
      await die(stage, ['quite another']);
      expect((await stage.a.families.top(10_000)).map(({ prefix }) => prefix)).toContain('quite another');
    },
  );

  law('A move that fails counts nothing', async stage => {
    const { breakWrites } = stage.world;
    if (!breakWrites) return;
    const running = await stage.running();
    const repair = await breakWrites('job_attempts');
    await expect(stage.finish(running, FATAL)).rejects.toThrow();
    await repair();
    expect(await stage.a.families.top(9)).toEqual([]);
  });
}

/** Lets a job die of each error; answers their ids in the order of the errors. */
async function die(stage: Stage, errors: readonly string[]): Promise<readonly string[]> {
  await stage.register();
  const jobs = await stage.a.jobs.insert(newJobs(errors.length));
  const running = await stage.claim({ limit: errors.length, start: true });
  const error = new Map(jobs.map(({ job }, at) => [job.id, errors[at] ?? '']));
  await stage.a.jobs.apply(running.map(job => verdict(stage.a, job, { ...FATAL, error: error.get(job.id) ?? '' })));
  return jobs.map(({ job }) => job.id);
}

function letters(n: number): string {
  const letter = (code: number) => String.fromCharCode(97 + code);
  return letter(Math.floor(n / 676)) + letter(Math.floor(n / 26) % 26) + letter(n % 26);
}
