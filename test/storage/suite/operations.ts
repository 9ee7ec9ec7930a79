// Owns the law of bulk operations: what a survey counts, a mark that nothing slips under, and progress that survives its node.
import { expect } from 'vitest';
import { discard, resurrect } from '#service/domain/lifecycle.js';
import type { NewOperation, Operation } from '#service/ports/operations.js';
import type { Cursor, JobFilter } from '#service/ports/store.js';
import { FATAL, move, newJobs, RETRYABLE } from '../../fixtures/jobs.ts';
import { type Law, only, type Stage, verdict } from './world.ts';

const PAGE = { order: 'failed', limit: 200, after: null, withPayload: false } as const;

export function operationsLaw(law: Law): void {
  law('A survey counts what a list would give, by reason when asked, and goes on where it stopped', async stage => {
    await die(stage, 30, at => ({ queue: `q${at % 3}` }));
    const timedOut = await stage.running({ queue: 'q1' });
    await stage.finish(timedOut, { ...RETRYABLE, kind: 'timedOut' });
    const all = { after: null, limit: 1_000, withReasons: true };
    expect(await stage.b.operations.survey({}, all)).toMatchObject({
      matched: 31,
      next: null,
      reasons: { FatalError: 30, Timeout: 1 },
    });
    for (const filter of [{ queue: 'q1' }, { search: 'http 422' }, { reason: 'Timeout' }, { type: 'no.v1' }] as const) {
      const listed = (await stage.b.jobs.list({ ...filter, states: ['dead'] }, PAGE)).items;
      const { matched, last } = await stage.b.operations.survey(filter, all);
      const oldest = listed.at(-1);
      expect({ matched, last }).toEqual({
        matched: listed.length,
        last: oldest ? { at: oldest.finishedAt, id: oldest.id } : null,
      });
    }
    expect(await countInSteps(stage, { queue: 'q1' }, 4)).toBe(11);
  });

  law(
    'I4 · Whatever dies after the mark was read lies behind it, whatever left before and whatever the clock says',
    async stage => {
      const [newest] = (await die(stage, 3)).toReversed();
      stage.advance(60_000);
      const last = await stage.dead();
      const mark = await stage.a.operations.mark();
      await stage.apply(move('purge', last, { to: 'gone' }));
      await stage.apply(resurrect(await stage.job(newest ?? ''), {}, 'ops'));
      expect(await stage.b.operations.mark()).toBe(mark);
      stage.advance(-120_000);
      const late = await die(stage, 2);
      const upTo = (await stage.b.jobs.list({ states: ['dead'], deadUpTo: mark }, PAGE)).items.map(({ id }) => id);
      expect(upTo).toHaveLength(2);
      expect(upTo.filter(id => late.includes(id))).toEqual([]);
      expect(await stage.b.operations.mark()).toBeGreaterThan(mark);
      expect(
        (await stage.b.operations.survey({ deadUpTo: mark }, { after: null, limit: 9, withReasons: false })).matched,
      ).toBe(2);
    },
  );

  law('An emptied DLQ gives no seq twice', async stage => {
    const dead = await stage.dead();
    const mark = await stage.a.operations.mark();
    await stage.apply(move('purge', dead, { to: 'gone' }));
    await stage.dead();
    expect((await stage.a.jobs.list({ states: ['dead'], deadUpTo: mark }, PAGE)).items).toEqual([]);
  });

  law('I3 · An operation begins once over both nodes', async stage => {
    const begun = await Promise.all([0, 1, 2, 3].map(at => stage.world.nodes[at % 2 ? 1 : 0].operations.begin(NEW)));
    expect(begun.filter(one => one !== null)).toEqual([await stage.b.operations.get(NEW.id)]);
    expect(await stage.b.operations.get(NEW.id)).toMatchObject({
      ...NEW,
      affected: 0,
      position: null,
      failures: 0,
      ...{ error: null, finishedAt: null, ended: null },
    });
    expect(await stage.b.operations.get('nowhere')).toBeNull();
  });

  law(
    'Moves are counted in their operation with the move itself, whoever makes them, and only those that held',
    async stage => {
      const ids = await die(stage, 4);
      await stage.a.operations.begin(NEW);
      const jobs = await Promise.all(ids.map(id => stage.job(id)));
      const moves = jobs.flatMap(job => discard(job) ?? []).map(one => ({ ...one, operationId: NEW.id }));
      await stage.a.jobs.apply(moves.slice(0, 3));
      await stage.b.jobs.apply(moves.slice(1));
      expect(await stage.b.operations.get(NEW.id)).toMatchObject({ affected: 4 });
    },
  );

  law('Only the owner advances an operation, and what it skipped adds up', async stage => {
    await stage.a.operations.begin(NEW);
    const batch = { id: NEW.id, owner: 'node-a', keyTaken: 1, noHandler: 2, schema: 3, isFinished: false };
    const position = { at: 5, id: 'job-5' };
    expect(await stage.b.operations.advance({ ...batch, owner: 'node-b', position })).toBeNull();
    await stage.a.operations.advance({ ...batch, position: null });
    expect(await stage.a.operations.advance({ ...batch, position, isFinished: true })).toMatchObject({
      ...{ keyTaken: 2, noHandler: 4, schema: 6, position, finishedAt: expect.any(Number), ended: 'finished' },
    });
    expect(await stage.a.operations.unfinished(null)).toEqual({ items: [], next: null });
    expect(await stage.a.operations.advance({ ...batch, position }), 'it is over').toBeNull();
  });

  law('An operation is taken over by one node, as it was seen', async stage => {
    await stage.a.operations.begin(NEW);
    const seen = only((await stage.b.operations.unfinished(null)).items);
    const taken = await Promise.all(['b', 'c', 'd'].map(owner => stage.b.operations.take(seen, owner)));
    expect(taken.filter(Boolean)).toHaveLength(1);
    await stage.a.operations.release('node-a');
    expect((await get(stage)).owner).toBe(['b', 'c', 'd'][taken.indexOf(true)]);
    await stage.a.operations.release((await get(stage)).owner ?? '');
    expect((await get(stage)).owner).toBeNull();
  });

  law('All nodes sign previews with one secret', async stage => {
    const secrets = await Promise.all(
      ['x', 'y', 'z'].map((own, at) => stage.world.nodes[at % 2 ? 1 : 0].operations.secret(own)),
    );
    expect(new Set(secrets).size).toBe(1);
    expect(await stage.b.operations.secret('late')).toBe(secrets[0]);
  });

  law('K3 · Finished operations are forgotten after a month, unfinished ones never', async stage => {
    await stage.a.operations.begin(NEW);
    await stage.a.operations.begin({ ...NEW, id: 'running' });
    const batch = {
      id: NEW.id,
      owner: 'node-a',
      position: null,
      keyTaken: 0,
      noHandler: 0,
      schema: 0,
      isFinished: true,
    };
    await stage.a.operations.advance(batch);
    const limits = { archiveMs: 1, dlqMs: 1, bucketsMs: 1, auditMs: 1, batch: 10 };
    stage.advance(29 * 86_400_000);
    await stage.a.jobs.retain(limits);
    expect(await stage.a.operations.get(NEW.id)).not.toBeNull();
    stage.advance(2 * 86_400_000);
    await stage.a.jobs.retain(limits);
    expect(await stage.a.operations.get(NEW.id)).toBeNull();
    expect(await stage.a.operations.get('running')).not.toBeNull();
  });
}

export const NEW: NewOperation = {
  id: 'operation-1',
  action: 'purge',
  by: 'ann',
  owner: 'node-a',
  filter: { queue: 'q', failedAfter: 7 },
  mark: 9,
  total: 4,
  last: { at: 1, id: 'job-1' },
};

export async function get(stage: Stage): Promise<Operation> {
  const operation = await stage.b.operations.get(NEW.id);
  if (operation === null) throw new Error('the operation is gone');
  return operation;
}

async function countInSteps(stage: Stage, filter: JobFilter, limit: number): Promise<number> {
  let [matched, after] = [0, null as Cursor | null];
  do {
    const step = await stage.b.operations.survey(filter, { after, limit, withReasons: false });
    expect(step.matched).toBeLessThanOrEqual(limit);
    matched += step.matched;
    after = step.next;
  } while (after !== null);
  return matched;
}

export async function die(
  stage: Stage,
  count: number,
  fields: Parameters<typeof newJobs>[1] = () => ({}),
): Promise<readonly string[]> {
  await stage.register();
  const jobs = await stage.a.jobs.insert(newJobs(count, fields));
  const running = (await stage.claim({ limit: count, start: true })).filter(({ id }) =>
    jobs.some(({ job }) => job.id === id),
  );
  await stage.a.jobs.apply(running.map(job => verdict(stage.a, job, FATAL)));
  return jobs.map(({ job }) => job.id);
}
