// Owns the proof that a claim loop that hangs is noticed, told by readiness, and started afresh.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { MachineClock } from '#service/clock.js';
import { DEFAULT_ATTEMPT_POLICY } from '#service/domain/retry.js';
import { CancelWatch } from '#service/engine/cancel-watch.js';
import { Engine } from '#service/engine/engine.js';
import { Heartbeat } from '#service/engine/heartbeat.js';
import { LastResponses } from '#service/engine/last-responses.js';
import { OperationLoop } from '#service/engine/operations.js';
import { Recovery } from '#service/engine/recovery.js';
import { Retention } from '#service/engine/retention.js';
import { Worker } from '#service/engine/worker.js';
import { NodeHealth } from '#service/health.js';
import type { Delivery } from '#service/ports/delivery.js';
import type { JobStore, Store } from '#service/ports/store.js';
import { openStore } from '#service/storage/open.js';

const HOUR_MS = 3_600_000;
const SILENCE_MS = 100;
const SETTINGS = {
  ...{ concurrency: 4, pollIntervalMs: 20, zombieTimeoutMs: HOUR_MS, fetchedTimeoutMs: HOUR_MS },
  ...{ recoveryIntervalMs: HOUR_MS, retentionArchiveMs: HOUR_MS, retentionDlqMs: HOUR_MS, retentionBucketsMs: HOUR_MS },
  ...{ retentionAuditMs: HOUR_MS, cancelOnHeartbeatFailure: false },
};

let store: Store;
let engine: Engine;
let health: NodeHealth;
let events: string[];
let isHanging = false;

beforeEach(async () => {
  events = [];
  isHanging = false;
  const opened = await openStore({ kind: 'memory' }, { clock: new MachineClock() });
  const claim: JobStore['claim'] = request => (isHanging ? new Promise(() => undefined) : opened.jobs.claim(request));
  const jobs = Object.create(opened.jobs, { claim: { value: claim } });
  for (const verb of ['heartbeat', 'stale', 'retain'] as const)
    Object.defineProperty(jobs, verb, { value: opened.jobs[verb].bind(opened.jobs) });
  store = { ...opened, check: () => opened.check(), close: () => opened.close(), jobs };
  const registry = { revision: 0, limited: [], load: async () => {}, find: () => undefined, flaw: () => null };
  const parts = {
    ...{
      store,
      registry,
      log: { event: (name: string) => void events.push(name) },
      random: () => 0.5,
      owner: 'node/1/1/boot',
    },
    ...{ policy: DEFAULT_ATTEMPT_POLICY, settings: SETTINGS, stored: { revision: 0, load: async () => {} } },
    delivery: {} as Delivery,
  };
  const worker = new Worker(parts);
  const node = { id: parts.owner, host: 'node', version: '0' };
  const heartbeat = new Heartbeat({ ...parts, worker, node, minMs: HOUR_MS, maxMs: HOUR_MS });
  const bulk = { step: async () => false, release: async () => undefined };
  const operations = new OperationLoop({ ...parts, operations: bulk });
  const recovery = new Recovery({ ...parts, onRecovered: () => undefined });
  engine = new Engine({
    ...parts,
    worker,
    heartbeat,
    recovery,
    cancelWatch: new CancelWatch({ ...parts, worker }),
    responses: new LastResponses(parts),
    operations,
    retention: new Retention(parts),
    claimSilenceMs: SILENCE_MS,
  });
  health = new NodeHealth(store, engine, new AbortController().signal);
  await engine.start();
});
afterEach(async () => {
  isHanging = false;
  await engine.stop(0);
  await store.close();
});

test('J5 · a claim loop that hangs makes the node unready, is started afresh, and makes it ready again', async () => {
  await expect.poll(async () => (await health.ready()).status).toBe('ok');
  isHanging = true;
  await expect
    .poll(async () => (await health.ready()).checks.claimLoop, { timeout: 5_000 })
    .toMatch(/no claim has succeeded/);
  expect((await health.ready()).status).toBe('failed');
  expect(health.live().status).toBe('ok');
  await expect.poll(() => events, { timeout: 5_000 }).toContain('claimLoopRestarted');
  isHanging = false;
  await expect.poll(async () => (await health.ready()).status, { timeout: 5_000 }).toBe('ok');
});
