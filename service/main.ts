// Owns the making of a service: builds all parts, starts them, and stops them in reverse. Imports everything, imported by none but the CLI.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Access, prepareAccess } from './access.ts';
import { createApp, routeOf } from './api/app.ts';
import { Audit } from './application/audit.ts';
import { BulkById } from './application/bulk-by-id.ts';
import { Circuits } from './application/circuits.ts';
import { JobControl } from './application/control.ts';
import { DeadLetters } from './application/dlq.ts';
import { Handlers } from './application/handlers.ts';
import { Jobs, type Wake } from './application/jobs.ts';
import { Nodes } from './application/nodes.ts';
import { Operations } from './application/operations.ts';
import { Previews } from './application/previews.ts';
import { Queues } from './application/queues.ts';
import { HandlerRegistry } from './application/registry.ts';
import { Settings } from './application/settings.ts';
import { StatsReader } from './application/stats.ts';
import { servicePolicy } from './config/policy.ts';
import {
  type Config,
  ConfigError,
  isLoopback,
  LiveConfig,
  queueFaults,
  type StartConfig,
  storedFault,
} from './config.ts';
import { WebhookDelivery } from './delivery/webhook.ts';
import { CancelWatch } from './engine/cancel-watch.ts';
import { Engine } from './engine/engine.ts';
import { Heartbeat } from './engine/heartbeat.ts';
import { hostId, isKnownGone, newOwner } from './engine/identity.ts';
import { LastResponses } from './engine/last-responses.ts';
import { OperationLoop } from './engine/operations.ts';
import { Recovery } from './engine/recovery.ts';
import { Retention } from './engine/retention.ts';
import { Worker } from './engine/worker.ts';
import { announcedStore } from './events/announce.ts';
import { LoggedChanges } from './events/logged.ts';
import { EventRing } from './events/ring.ts';
import { NodeHealth } from './health.ts';
import { type AdjustableLog, createLog } from './log.ts';
import { gaugesOf } from './metrics/gauges.ts';
import { countFailedBeat, measuredDelivery, measuredStore } from './metrics/measure.ts';
import { measuredApp } from './metrics/measure-http.ts';
import { Metrics } from './metrics/metrics.ts';
import { openConfiguredStore } from './opening.ts';
import type { Delivery } from './ports/delivery.ts';
import type { Store } from './ports/store.ts';
import { registerFile } from './registration.ts';
import { packageFile } from './root.ts';
import { RunningService } from './running-service.ts';
import { tracedDelivery, tracedStore, tracerOf } from './tracing/traced.ts';
import { Front } from './waiting.ts';

/** What the engine and the verbs of callers both stand on. */
interface Foundation {
  /** The id of this node. */
  readonly owner: string;
  readonly live: LiveConfig;
  /** The values of `live`, which change in place. */
  readonly config: Config;
  readonly log: AdjustableLog;
  readonly version: string;
  readonly store: Store;
  /** What this node has committed lately. */
  readonly events: EventRing;
  readonly delivery: Delivery;
  readonly responses: LastResponses;
  readonly registry: HandlerRegistry;
  readonly access: Access;
}

/** Starts a service as configured; resolves once it listens, rejects when it cannot start. Nothing is claimed before all of it was checked. */
export async function runService(
  start: StartConfig,
  log: AdjustableLog = createLog(start.values.logLevel),
): Promise<RunningService> {
  const version = readVersion();
  const { storage } = start.values;
  log.event('serviceStarting', { version, storage });
  if (storage === 'memory') log.event('memoryMode');
  const metrics = new Metrics({ version, storage });
  const front = new Front(log);
  const lay = () => layFoundation({ live: new LiveConfig(start), log, version }, metrics);
  const foundation = await (storage === 'mssql' ? front.untilThere(start.values, lay) : lay());
  const { store, events, registry, access } = foundation;
  const { engine, worker, settings, bulk } = createEngine(foundation, metrics);
  metrics.readGaugesFrom(gaugesOf(store, worker));
  const stopping = new AbortController();
  const app = createApp({
    ...createVerbs(foundation, worker, bulk.operations),
    ...bulk,
    settings,
    events,
    maxAttempts: job => registry.maxAttempts(job),
    health: new NodeHealth(store, engine, stopping.signal),
    metrics,
    ...access,
    stopping: stopping.signal,
    onBug: (error, report) => log.event('requestFailed', { ...report, err: error }),
  });
  front.open(measuredApp(app, metrics, routeOf));
  const service = new RunningService({ ...foundation, server: front.server, engine, stopping });
  await service.start();
  service.stopOnSignals();
  return service;
}

async function layFoundation(
  given: Pick<Foundation, 'live' | 'log' | 'version'>,
  metrics: Metrics,
): Promise<Foundation> {
  const { live, log, version } = given;
  const config = live.values;
  const events = new EventRing(randomUUID());
  const onRetry = (operation: string, kind: string) => metrics.count('storageRetries', { operation, kind });
  const opened = await openConfiguredStore(config, log, onRetry);
  const tracer = tracerOf(version);
  // Innermost: an insert and the claim in its transaction are answered in one turn, and each layer between could turn them round.
  const announced = announcedStore(opened, new LoggedChanges(events, log));
  const store = tracedStore(measuredStore(announced, metrics), tracer);
  const policy = { allowPrivate: isLoopback(config.host), allow: config.webhookAllow };
  const webhooks = new WebhookDelivery({ clock: store.clock, policy, version });
  const responses = new LastResponses({ store, log });
  const delivery = responses.of(tracedDelivery(measuredDelivery(webhooks, metrics), tracer));
  const registry = new HandlerRegistry(store.handlers, config);
  const parts = { ...given, config, owner: newOwner(), store, events, delivery, responses, registry };
  try {
    return { ...parts, access: await prepareParts(parts) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What is stored for all nodes, who may do what, and who takes which jobs, in this order. */
async function prepareParts(parts: Omit<Foundation, 'access'>): Promise<Access> {
  const { live, store, log, registry } = parts;
  await adoptStored(live, store, log);
  const access = await prepareAccess(parts);
  await registerFile(parts);
  await registry.load();
  return access;
}

/** Before anything else reads a setting: what is stored for all nodes holds from the start, or the start fails and names it. */
async function adoptStored(live: LiveConfig, store: Store, log: AdjustableLog): Promise<void> {
  const { faults, unknown } = live.adopt(await store.settings.read());
  const found = faults.length > 0 ? faults.map(storedFault) : queueFaults(await store.queues.list(), live.values);
  if (found.length > 0) throw new ConfigError(found);
  if (unknown.length > 0) log.event('settingsUnknown', { names: unknown });
  log.setLevel(live.values.logLevel);
}

function createVerbs({ config, owner, store, delivery, registry }: Foundation, worker: Worker, operations: Operations) {
  const wake: Wake = dueAt => worker.wake(dueAt - store.clock.now());
  const look = () => worker.look();
  const parts = { store, registry, rules: config, wake };
  return {
    jobs: new Jobs(parts),
    control: new JobControl({ ...parts, look }),
    dlq: new DeadLetters(parts),
    bulkById: new BulkById(parts),
    queues: new Queues({ store, look, heartbeatMaxMs: config.heartbeatMaxMs }),
    stats: new StatsReader(store),
    nodes: new Nodes({ store, self: owner, heartbeatMaxMs: config.heartbeatMaxMs }),
    handlers: new Handlers({ store, registry, delivery, operations }),
    circuits: new Circuits({ store, wake }),
  };
}

function createEngine(foundation: Foundation, metrics: Metrics) {
  const { live, config, log, store, version, owner } = foundation;
  const onChange = () => {
    log.setLevel(config.logLevel);
    worker.look();
    for (const { loop } of [heartbeat, recovery, retention]) loop.nudge();
  };
  const stored = new Settings({ store, inForce: live, log, onChange });
  const parts = { ...foundation, stored, settings: config, policy: servicePolicy(config), random: Math.random };
  const worker = new Worker(parts);
  const heartbeat = new Heartbeat({
    ...parts,
    worker,
    node: { id: owner, host: hostId(), version },
    onFailed: queues => countFailedBeat(metrics, queues),
    ...{ minMs: config.heartbeatMinMs, maxMs: config.heartbeatMaxMs },
  });
  const recovery = new Recovery({ ...parts, onRecovered: () => worker.wake() });
  const retention = new Retention(parts);
  const bulk = createBulk(foundation, { worker, onWork: inMs => operations.loop.nudge(inMs) });
  const operations = new OperationLoop({ ...parts, ...bulk });
  const cancelWatch = new CancelWatch({ worker, log });
  const engine = new Engine({ ...parts, worker, cancelWatch, heartbeat, recovery, retention, operations });
  return { worker, settings: stored, engine, bulk };
}

interface BulkEngine {
  readonly worker: Worker;
  readonly onWork: (inMs: number) => void;
}

function createBulk(foundation: Foundation, { worker, onWork }: BulkEngine) {
  const { store, config: rules, access } = foundation;
  const previews = new Previews(store);
  const wake = () => worker.wake();
  return {
    previews,
    operations: new Operations({ ...foundation, ...access, rules, previews, wake, isGone: isKnownGone, onWork }),
  };
}

/** Removes stored settings, also those that keep a service from starting; answers the names that were not stored. */
export async function unsetStored(config: Config, names: readonly string[], by: string): Promise<readonly string[]> {
  const log = createLog('warn', process.stderr);
  const store = await openConfiguredStore(config, log);
  try {
    const { settings, revision } = await store.settings.read();
    const missing = names.filter(name => !settings.some(one => one.name === name));
    if (missing.length > 0) return missing;
    const changes = Object.fromEntries(names.map(name => [name, null]));
    await store.settings.change(changes, by, revision);
    await new Audit(store.audit, log).record({
      ...{ actor: by, keyId: null, action: 'settings.change', target: null, filter: null, affected: names.length },
      ...{ outcome: 'succeeded', requestId: null, details: { settings: changes } },
    });
    return [];
  } finally {
    await store.close();
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };
  return version;
}
