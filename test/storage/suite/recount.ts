// Owns the recount: what each queue's counters say beside what its listed jobs add up to.
import type { JobState } from '#service/domain/job.js';
import type { Cursor, Store } from '#service/ports/store.js';

export type Tally = Record<JobState, number>;

export interface Recount {
  readonly counters: Readonly<Record<string, Tally>>;
  readonly recounted: Readonly<Record<string, Tally>>;
  /** Every listed id with its state; a job in two tables would come twice. */
  readonly jobs: readonly (readonly [id: string, state: JobState])[];
}

/** Only meaningful while nothing else writes. */
export async function recount(store: Store): Promise<Recount> {
  const counters: Record<string, Tally> = {};
  const recounted: Record<string, Tally> = {};
  const jobs: [string, JobState][] = [];
  for (const { name, counts } of await store.queues.list()) {
    const { failed, retried, unroutable, ...rows } = counts;
    counters[name] = rows;
    recounted[name] = { pending: 0, scheduled: 0, fetched: 0, processing: 0, succeeded: 0, dead: 0 };
  }
  let after: Cursor | null = null;
  do {
    const page: Awaited<ReturnType<Store['jobs']['list']>> = await store.jobs.list(
      {},
      { order: 'created', limit: 200, after, withPayload: false },
    );
    for (const { id, queue, state } of page.items) {
      const tally = recounted[queue];
      if (!tally) throw new Error(`no queue ${queue} is listed`);
      tally[state] += 1;
      jobs.push([id, state]);
    }
    after = page.next;
  } while (after);
  return { counters, recounted, jobs };
}
