// Owns the proof that a node believes its own writes: what was committed is told as done, though the connection broke before the answer.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Store } from '#service/ports/store.js';
import { openMssql } from '#service/storage/mssql/store.js';
import { RETRYABLE, SUCCEEDED } from '../fixtures/jobs.ts';
import { Wire } from './mssql/wire.ts';
import { type MssqlWorld, openWorld, TEST_URL } from './mssql/world.ts';
import { Stage, verdict } from './suite/world.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const url = TEST_URL;
if (url !== undefined) {
  let world: MssqlWorld;
  let node: Store;
  const wire = new Wire(url);

  beforeAll(async () => {
    world = await openWorld(url);
    node = await openMssql({ kind: 'mssql', url: await wire.open(), schema: world.schema });
  });

  afterAll(async () => {
    await node?.close();
    await world?.close();
    wire.close();
  });

  test('A start whose answer was lost is told as held, once', async () => {
    const stage = new Stage(world);
    const job = await stage.fetched();
    wire.loseAnswerTo('write_id');
    const begun = await stage.begin(job, node);
    expect(wire.lost).toBe(1);
    expect(await stage.job(job.id)).toMatchObject({ state: 'processing', attempts: 1, startedAt: begun.startedAt });
    await stage.finish(begun, SUCCEEDED);
  });

  test('Of ends whose answer was lost each is told as it was: held, or lost to another node before', async () => {
    const stage = new Stage(world);
    const jobs = [
      await stage.running({ queue: 'ends' }),
      await stage.running({ queue: 'ends' }),
      await stage.running({ queue: 'ends' }),
    ];
    await stage.apply(verdict(stage.b, jobs[1] ?? expect.fail(), SUCCEEDED), stage.b);
    const before = wire.lost;
    wire.loseAnswerTo('write_id');
    const ends = jobs.map((job, i) => verdict(node, job, i === 2 ? RETRYABLE : SUCCEEDED));
    expect(await node.jobs.apply(ends)).toMatchObject([{ held: true }, { held: false, why: 'lost' }, { held: true }]);
    expect(wire.lost).toBe(before + 1);
    const counts = (await stage.b.queues.get('ends'))?.counts;
    expect(counts).toMatchObject({ processing: 0, succeeded: 2, retried: 1 });
    expect(await stage.b.jobs.attempts(jobs[2]?.id ?? '')).toHaveLength(1);
  });
}
