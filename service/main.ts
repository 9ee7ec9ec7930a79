// Owns the making of a service: builds all parts, starts them, and stops them in reverse. Imports everything, imported by none but the CLI.
import { readFileSync } from 'node:fs';
import { NO_KEYS } from './api/access.ts';
import { createApp } from './api/app.ts';
import { createHttpServer } from './api/server.ts';
import { JobControl } from './application/control.ts';
import { DeadLetters } from './application/dlq.ts';
import { Handlers } from './application/handlers.ts';
import { Jobs, type Wake } from './application/jobs.ts';
import { Nodes } from './application/nodes.ts';
import { Queues } from './application/queues.ts';
import { HandlerRegistry } from './application/registry.ts';
import { MachineClock } from './clock.ts';
import { type Config, isLoopback } from './config.ts';
import { WebhookDelivery } from './delivery/webhook.ts';
import type { AttemptPolicy } from './domain/retry.ts';
import { Engine } from './engine/engine.ts';
import { Heartbeat } from './engine/heartbeat.ts';
import { hostId, newOwner } from './engine/identity.ts';
import { Recovery } from './engine/recovery.ts';
import { Retention } from './engine/retention.ts';
import { Worker } from './engine/worker.ts';
import { NodeHealth } from './health.ts';
import { createLog, type Log } from './log.ts';
import { gaugesOf } from './metrics/gauges.ts';
import { measuredDelivery, measuredStore } from './metrics/measure.ts';
import { Metrics } from './metrics/metrics.ts';
import type { Delivery } from './ports/delivery.ts';
import type { Store } from './ports/store.ts';
import { packageFile } from './root.ts';
import { RunningService } from './running-service.ts';
import { openStore, type StoreTarget } from './storage/open.ts';

/** What the engine and the verbs of callers both stand on. */
interface Foundation {
  /** The id of this node. */
  readonly owner: string;
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly registry: HandlerRegistry;
}

/** A result claim ends only after its job would have been taken for lost. */
const CLAIM_BEYOND_ZOMBIE_MS = 5 * 60_000;
const RETENTION = { bucketsMs: 2 * 86_400_000, auditMs: 90 * 86_400_000, batch: 1_000 };

/** Starts a service as configured; resolves once it listens, rejects when it cannot start. Nothing is claimed before all of it was checked. */
export async function runService(config: Config, log: Log = createLog(config.logLevel)): Promise<RunningService> {
  const version = readVersion();
  log.event('serviceStarting', { version, storage: config.storage });
  if (config.storage === 'memory') log.event('memoryMode');
  const metrics = new Metrics({ version, storage: config.storage });
  const foundation = await layFoundation({ config, log, version }, metrics);
  const { store, delivery, registry } = foundation;
  const { engine, worker } = createEngine(foundation);
  metrics.readGaugesFrom(gaugesOf(store.queues, worker));
  const stopping = new AbortController();
  const app = createApp({
    ...createVerbs(foundation, worker),
    maxAttempts: job => registry.maxAttempts(job),
    health: new NodeHealth(store, engine, stopping.signal),
    metrics,
    keys: NO_KEYS,
    loopbackOnly: isLoopback(config.host) && !config.allowAnonymous,
    stopping: stopping.signal,
    onBug: (error, report) => log.event('requestFailed', { ...report, err: error }),
  });
  const service = new RunningService({ config, log, server: createHttpServer(app), engine, store, delivery, stopping });
  await service.start();
  service.stopOnSignals();
  return service;
}

async function layFoundation(
  given: Pick<Foundation, 'config' | 'log' | 'version'>,
  metrics: Metrics,
): Promise<Foundation> {
  const { config, log, version } = given;
  const clock = new MachineClock();
  const store = measuredStore(await openStore(storeTarget(config), { clock, log }), metrics);
  const policy = { allowPrivate: isLoopback(config.host), allow: config.webhookAllow };
  const delivery = measuredDelivery(new WebhookDelivery({ clock, policy, version }), metrics);
  const registry = new HandlerRegistry(store.handlers, config.maxAttempts);
  await registry.load();
  return { ...given, owner: newOwner(), store, delivery, registry };
}

function createVerbs({ config, owner, store, delivery, registry }: Foundation, worker: Worker) {
  const wake: Wake = dueAt => worker.wake(dueAt - store.clock.now());
  const look = () => worker.look();
  const { maxPayloadBytes, requireRegisteredTypes } = config;
  const parts = { store, registry, rules: { maxPayloadBytes, requireRegisteredTypes }, wake };
  return {
    jobs: new Jobs(parts),
    control: new JobControl({ ...parts, look }),
    dlq: new DeadLetters(parts),
    queues: new Queues({ store, look, heartbeatMaxMs: config.heartbeatMaxMs }),
    nodes: new Nodes({ store, self: owner, heartbeatMaxMs: config.heartbeatMaxMs }),
    handlers: new Handlers({ store, registry, delivery }),
  };
}

function createEngine(foundation: Foundation) {
  const { config, log, store, version, owner } = foundation;
  const parts = { ...foundation, policy: servicePolicy(config), random: Math.random };
  const claimMs = config.zombieTimeoutMs + CLAIM_BEYOND_ZOMBIE_MS;
  const { concurrency, pollIntervalMs, fetchedTimeoutMs, zombieTimeoutMs, recoveryIntervalMs: intervalMs } = config;
  const worker = new Worker({ ...parts, concurrency, pollIntervalMs, claimMs });
  const heartbeat = new Heartbeat({
    ...parts,
    worker,
    node: { id: owner, host: hostId(), version, concurrency },
    minMs: config.heartbeatMinMs,
    maxMs: config.heartbeatMaxMs,
    cancelOnFailure: config.cancelOnHeartbeatFailure,
  });
  const onRecovered = () => worker.wake();
  const recovery = new Recovery({ ...parts, intervalMs, fetchedTimeoutMs, zombieTimeoutMs, onRecovered });
  const limits = { archiveMs: config.retentionArchiveMs, dlqMs: config.retentionDlqMs, ...RETENTION };
  const retention = new Retention(store, limits, log);
  return { worker, engine: new Engine({ store, worker, heartbeat, recovery, retention, owner, log }) };
}

function servicePolicy(config: Config): AttemptPolicy {
  return {
    maxAttempts: config.maxAttempts,
    timeoutMs: config.executionTimeoutMs,
    retry: {
      baseMs: config.retryBaseMs,
      factor: config.retryFactor,
      maxMs: config.retryMaxMs,
      jitterMs: config.retryJitterMs,
      maxAgeMs: config.maxJobAgeMs,
    },
    retryOnTimeout: false,
    retryOnZombie: false,
  };
}

function storeTarget({ storage, sqlitePath, memoryCapacity }: Config): StoreTarget {
  return storage === 'memory' ? { kind: 'memory', capacity: memoryCapacity } : { kind: 'sqlite', path: sqlitePath };
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
  return version;
}
