// Owns the proof that a bug met on the way of one job harms no other, and that its own job neither vanishes nor stays behind unnoticed.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MachineClock } from '#service/clock.js';
import type { Transition } from '#service/domain/lifecycle.js';
import { type AttemptPolicy, DEFAULT_ATTEMPT_POLICY } from '#service/domain/retry.js';
import { Execution } from '#service/engine/execution.js';
import { Recovery } from '#service/engine/recovery.js';
import type { Delivery } from '#service/ports/delivery.js';
import type { Store } from '#service/ports/store.js';
import { openStore } from '#service/storage/open.js';
import { handlerFor, newJobs, SUCCEEDED, TYPE } from '../fixtures/jobs.ts';

const MINUTE_MS = 60_000;
const SETTINGS = { recoveryIntervalMs: MINUTE_MS, fetchedTimeoutMs: MINUTE_MS, zombieTimeoutMs: MINUTE_MS };
const GUILTY = new Error('no such column: colour');

let clock: MachineClock;
let store: Store;
let log: { readonly name: string; readonly fields: Readonly<Record<string, unknown>> }[];
/** Whether a move meets the bug. */
let isGuilty: (move: Transition) => boolean;

beforeEach(async () => {
  clock = new MachineClock();
  log = [];
  isGuilty = () => false;
  const opened = await openStore({ kind: 'memory' }, { clock });
  await opened.handlers.put(handlerFor(TYPE));
  const { jobs } = opened;
  const apply = async (moves: readonly Transition[]) => {
    if (moves.some(isGuilty)) throw GUILTY;
    return jobs.apply(moves);
  };
  const faulty = { apply, get: jobs.get.bind(jobs), stale: jobs.stale.bind(jobs), list: jobs.list.bind(jobs) };
  store = {
    ...opened,
    close: () => opened.close(),
    jobs: { ...faulty, insert: jobs.insert.bind(jobs), claim: jobs.claim.bind(jobs) } as Store['jobs'],
  };
});
afterEach(() => store.close());

async function running(count: number, owner = 'lost') {
  await store.jobs.insert(newJobs(count));
  return (await store.jobs.claim({ owner, limit: count, perType: count, perHandler: {}, start: true })).jobs;
}

function parts(policy: Partial<AttemptPolicy> = {}) {
  const registry = { revision: 0, limited: [], load: async () => {}, find: () => handlerFor(TYPE), flaw: () => null };
  return {
    ...{ store, registry, owner: 'node/1/1/boot', random: () => 0.5, settings: SETTINGS },
    policy: { ...DEFAULT_ATTEMPT_POLICY, ...policy },
    log: { event: (name: string, fields = {}) => void log.push({ name, fields }) },
  };
}

function logged(name: string) {
  return log.filter(line => line.name === name).map(({ fields }) => fields);
}

const countsOf = async () => (await store.queues.get('default'))?.counts;

describe('recovery', () => {
  test('One verdict that meets a bug keeps no other from being recovered, and is tried again with each scan', async () => {
    const jobs = await running(450);
    const guilty = jobs[7];
    isGuilty = ({ jobId }) => jobId === guilty?.id;
    clock.advance(2 * MINUTE_MS);
    const recovery = new Recovery({ ...parts(), onRecovered: () => undefined });
    while ((await recovery.step()) === 0);
    expect(await countsOf()).toMatchObject({ dead: 449, processing: 1 });
    expect(logged('recoveryFailed')).toEqual([{ jobId: guilty?.id, err: GUILTY }]);
    await recovery.step();
    expect(logged('recoveryFailed')).toHaveLength(2);
    isGuilty = () => false;
    await recovery.step();
    expect(await countsOf()).toMatchObject({ dead: 450, processing: 0 });
  });

  test('More guilty ones than a batch holds do not hide those behind them', async () => {
    const jobs = await running(230);
    const guilty = new Set(jobs.slice(0, 210).map(({ id }) => id));
    isGuilty = ({ jobId }) => guilty.has(jobId);
    clock.advance(2 * MINUTE_MS);
    const recovery = new Recovery({ ...parts(), onRecovered: () => undefined });
    await recovery.step();
    while ((await recovery.step()) === 0);
    expect(await countsOf()).toMatchObject({ dead: 20, processing: 210 });
  });
});

describe('an execution', () => {
  const delivery = { deliver: async () => SUCCEEDED } as unknown as Delivery;
  const hooks = { onDelivered: () => undefined, onRetry: () => undefined };

  async function execute(policy: Partial<AttemptPolicy> = {}) {
    const [job] = await running(1, 'node/1/1/boot');
    if (job === undefined) throw new Error('nothing was claimed');
    await new Execution(job, { ...parts(policy), delivery, ...hooks }).run();
    return store.jobs.get(job.id);
  }

  test('whose end cannot be stored, whatever is tried, is dead as Zombie, with what is known of it', async () => {
    isGuilty = ({ move }) => move === 'succeed';
    expect(await execute()).toMatchObject({
      ...{ state: 'dead', failureReason: 'Zombie', lastResponseStatus: 200, attempts: 1 },
      errorDetails: expect.stringMatching(/ended as succeeded.*no such column.*effects is unknown/),
    });
    expect(logged('moveRetried')).toMatchObject(Array(3).fill({ move: 'succeed' }));
    expect(logged('executionFailed')).toMatchObject([{ err: GUILTY }]);
  });

  test('whose handler may be called again after a lost attempt waits for the next', async () => {
    isGuilty = ({ move }) => move === 'succeed';
    expect(await execute({ retryOnZombie: true })).toMatchObject({ state: 'scheduled', attempts: 1 });
  });

  test('that cannot be ended at all is left to recovery, and the log says so', async () => {
    isGuilty = () => true;
    expect(await execute()).toMatchObject({ state: 'processing' });
    expect(logged('jobLeft')).toMatchObject([{ err: GUILTY }]);
    isGuilty = () => false;
    clock.advance(2 * MINUTE_MS);
    await new Recovery({ ...parts(), onRecovered: () => undefined }).step();
    expect(await countsOf()).toMatchObject({ dead: 1, processing: 0 });
  });

  test('whose delivery meets a bug ends at once, not when its heartbeat is too old', async () => {
    const [job] = await running(1, 'node/1/1/boot');
    if (job === undefined) throw new Error('nothing was claimed');
    const broken = { deliver: () => Promise.reject(new TypeError('x is not a function')) } as unknown as Delivery;
    await new Execution(job, { ...parts(), delivery: broken, ...hooks }).run();
    expect(await store.jobs.get(job.id)).toMatchObject({
      ...{ state: 'dead', failureReason: 'Zombie', errorDetails: expect.stringContaining('x is not a function') },
    });
  });
});
