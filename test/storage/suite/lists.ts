// Owns the law of lists: one order over all tables, filters that are literal, pages without gaps or doubles.
import { expect } from 'vitest';
import type { Job } from '#service/domain/job.js';
import type { Cursor, JobFilter } from '#service/ports/store.js';
import { FATAL, newJobs, RETRYABLE, SUCCEEDED, text } from '../../fixtures/jobs.ts';
import { type Law, type Stage, verdict } from './world.ts';

export function listsLaw(law: Law): void {
  law('A list goes over all tables, newest created first, with state and without payload', async stage => {
    const jobs = await oneOfEachState(stage);
    const listed = await stage.all();
    expect(listed.map(({ id }) => id)).toEqual(jobs.map(({ id }) => id).reverse());
    expect(listed.every(({ payload }) => payload === null)).toBe(true);
    for (const job of jobs) {
      const only = await stage.all({ states: [job.state] });
      expect(only.map(({ id, state }) => [id, state])).toEqual([[job.id, job.state]]);
    }
    expect(await stage.all({ states: ['scheduled', 'dead'] })).toHaveLength(2);
    expect(await stage.all({ states: ['pending', 'succeeded'] })).toHaveLength(2);
  });

  law('A list says the same of each job as a look at the job itself, and gives payloads when asked', async stage => {
    const jobs = await oneOfEachState(stage);
    const page = await stage.a.jobs.list({}, { order: 'created', limit: 200, after: null, withPayload: true });
    expect(page.next).toBeNull();
    for (const item of page.items) expect(item).toEqual(await stage.job(item.id));
    expect(page.items.map(({ payload }) => text(payload))).toEqual(jobs.map(() => '{"n":1}'));
  });

  law('Each filter lets through what it names and nothing else', async stage => {
    await stage.register('t1', 't2');
    const [a, b] = await stage.add(
      { queue: 'qa', type: 't1', tags: ['x', 'y'], creatorKeyId: 'k1' },
      { queue: 'qb', type: 't2', tags: ['y', 'xx'], creatorKeyId: 'k2' },
    );
    const cases: readonly (readonly [JobFilter, readonly (string | undefined)[]])[] = [
      [{ queue: 'qa' }, [a?.id]],
      [{ queue: 'QA' }, []],
      [{ type: 't2' }, [b?.id]],
      [{ tag: 'x' }, [a?.id]],
      [{ tag: 'y' }, [b?.id, a?.id]],
      [{ creatorKeyId: 'k2' }, [b?.id]],
      [{ queue: 'qa', type: 't2' }, []],
      [{ createdAfter: a?.createdAt ?? 0, createdBefore: (b?.createdAt ?? 0) + 1 }, [b?.id, a?.id]],
      [{ createdBefore: a?.createdAt ?? 0 }, []],
      [{ createdAfter: (b?.createdAt ?? 0) + 1 }, []],
    ];
    for (const [filter, ids] of cases) expect((await stage.all(filter)).map(({ id }) => id)).toEqual(ids);
  });

  law('Dead jobs are found by reason, response status and the time they failed, newest failure first', async stage => {
    const first = await stage.dead({ queue: 'one' }, FATAL);
    stage.advance(1_000);
    const second = await stage.dead({ queue: 'two' }, { ...FATAL, responseStatus: 410 });
    stage.advance(1_000);
    const running = await stage.running();
    await stage.finish(running, { ...RETRYABLE, kind: 'timedOut' });
    await stage.succeeded({ queue: 'three' });
    const failed = async (filter: JobFilter) => {
      const page = await stage.b.jobs.list(filter, { order: 'failed', limit: 50, after: null, withPayload: false });
      return page.items.map(({ id }) => id);
    };
    expect(await failed({})).toEqual([running.id, second.id, first.id]);
    expect(await failed({ reason: 'Timeout' })).toEqual([running.id]);
    expect(await failed({ responseStatus: 410 })).toEqual([second.id]);
    expect(await failed({ failedAfter: second.finishedAt ?? 0 })).toEqual([running.id, second.id]);
    expect(await failed({ failedBefore: second.finishedAt ?? 0 })).toEqual([first.id]);
    expect(await failed({ queue: 'one', reason: 'FatalError' })).toEqual([first.id]);
    expect(await failed({ reason: 'Zombie' })).toEqual([]);
  });

  law('I5 · Search is literal, looks at id, type, tags and error, never at payloads', async stage => {
    await stage.register('*');
    const [percent, under, plain] = await stage.add(
      { type: 'a%b', queue: 'q' },
      { type: 'a_b', queue: 'q', tags: ['Wel[co]me'] },
      { type: 'axb', queue: 'q', json: '"needle"', id: 'ID-of-plain' },
    );
    const dead = await stage.dead({ type: 'dead.v1' }, { ...FATAL, error: "couldn't find C:\\x '100%'" });
    const found = async (search: string) => (await stage.all({ search })).map(({ id }) => id);
    expect(await found('a%b')).toEqual([percent?.id]);
    expect(await found('a_b')).toEqual([under?.id]);
    expect(await found('%')).toEqual([dead.id, percent?.id]);
    expect(await found('[co]')).toEqual([under?.id]);
    expect(await found('wel[CO]ME')).toEqual([under?.id]);
    expect(await found('id-OF-plain')).toEqual([plain?.id]);
    expect(await found("couldn't FIND c:\\x")).toEqual([dead.id]);
    expect(await found('needle')).toEqual([]);
    expect(await found('\\')).toEqual([dead.id]);
    const guessed = (search: string) => stage.all({ search, searchErrors: false });
    expect(await guessed("couldn't")).toEqual([]);
    expect((await guessed('dead.V1')).map(({ id }) => id)).toEqual([dead.id]);
  });

  law('Pages of any size give every job once', async stage => {
    const jobs = await spread(stage, 230);
    for (const limit of [1, 7, 50, 200]) {
      const listed = limit === 1 ? await stage.all({ queue: 'q3' }, 1) : await stage.all({}, limit);
      const expected = limit === 1 ? jobs.filter(({ queue }) => queue === 'q3') : jobs;
      expect(listed.map(({ id }) => id)).toEqual(
        expected
          .map(({ id }) => id)
          .sort()
          .reverse(),
      );
    }
  });

  law('Pages give every job exactly once while rows move between the tables underneath', async stage => {
    const jobs = await spread(stage, 200);
    const seen: Job[] = [];
    let after: Cursor | null = null;
    do {
      const page: { items: readonly Job[]; next: Cursor | null } = await stage.b.jobs.list(
        {},
        { order: 'created', limit: 9, after, withPayload: false },
      );
      seen.push(...page.items);
      after = page.next;
      const moving = await stage.claim({ limit: 12, start: true });
      await stage.a.jobs.apply(
        moving.map((job, i) => verdict(stage.a, job, i % 3 ? SUCCEEDED : i % 2 ? FATAL : RETRYABLE)),
      );
      await stage.add({ queue: 'newer' });
    } while (after);
    expect(seen.map(({ id }) => id)).toEqual(
      jobs
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
  });

  law('Pages of newest failures have no gaps or doubles among equal instants', async stage => {
    await stage.register();
    await stage.a.jobs.insert(newJobs(90));
    const running = await stage.claim({ limit: 90, start: true });
    await stage.a.jobs.apply(running.map(job => verdict(stage.a, job, FATAL)));
    const seen: string[] = [];
    let after: Cursor | null = null;
    do {
      const page: { items: readonly Job[]; next: Cursor | null } = await stage.a.jobs.list(
        {},
        { order: 'failed', limit: 8, after, withPayload: false },
      );
      seen.push(...page.items.map(({ id }) => id));
      after = page.next;
      if (seen.length === 8) await stage.dead({ queue: 'newer' });
    } while (after);
    expect(seen).toHaveLength(90);
    expect(new Set(seen)).toEqual(new Set(running.map(({ id }) => id)));
  });

  law('A filter that matches one of many finds it, however the pages fall', async stage => {
    await spread(stage, 300);
    const rare = await stage.addOne({ queue: 'rare', tags: ['needle'] });
    await spread(stage, 300);
    expect((await stage.all({ tag: 'needle' }, 5)).map(({ id }) => id)).toEqual([rare.id]);
    expect((await stage.all({ search: 'NEEDLE' }, 5)).map(({ id }) => id)).toEqual([rare.id]);
    expect(await stage.all({ tag: 'nowhere' }, 5)).toEqual([]);
  });
}

/** Stored oldest first: succeeded, dead, processing, fetched, pending, scheduled. */
async function oneOfEachState(stage: Stage): Promise<readonly Job[]> {
  const ids = [
    (await stage.succeeded()).id,
    (await stage.dead()).id,
    (await stage.running()).id,
    (await stage.fetched()).id,
  ];
  const rest = await stage.add({}, { due: { inMs: 60_000 } });
  return Promise.all([...ids, ...rest.map(({ id }) => id)].map(id => stage.job(id)));
}

async function spread(stage: Stage, count: number): Promise<readonly Job[]> {
  await stage.register();
  const jobs: Job[] = [];
  while (jobs.length < count) {
    const some = newJobs(Math.min(40, count - jobs.length), i => ({ queue: `q${i % 5}` }));
    jobs.push(...(await stage.a.jobs.insert(some)).map(({ job }) => job));
    stage.advance(1);
  }
  return jobs;
}
