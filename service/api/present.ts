// Owns what stored things look like on the wire; wire shapes are known here and in openapi.yaml, nowhere else.
import type { SeenCircuit } from '../application/circuits.ts';
import type { SeenNode } from '../application/nodes.ts';
import type { EffectiveSetting } from '../application/settings.ts';
import { type Caller, seenAttempt, seenJob, seesPayloads, seesWhole } from '../domain/access.ts';
import { formatDuration } from '../domain/duration.ts';
import { adviceFor } from '../domain/failure.ts';
import type { Handler } from '../domain/handler.ts';
import { formatInstant } from '../domain/instant.ts';
import type { Attempt, Job } from '../domain/job.ts';
import type { Queue } from '../domain/queue.ts';
import { ratesOf } from '../domain/stats.ts';
import type { PingAnswer } from '../ports/delivery.ts';
import type { ErrorFamily } from '../ports/families.ts';

/** Header values may be credentials. */
const MASK = '***';

/** A job without its payload, which is spliced in as bytes (`reply.ts`). */
export function presentJob(stored: Job, maxAttempts: number, caller: Caller): object {
  const job = seenJob(stored, caller);
  return {
    id: job.id,
    type: job.type,
    queue: job.queue,
    state: job.state,
    priority: job.priority,
    tags: job.tags,
    attempts: job.attempts,
    maxAttempts,
    round: job.round,
    idempotencyKey: job.idempotencyKey,
    resultTtl: duration(job.resultTtlMs),
    dueAt: formatInstant(job.dueAt),
    createdAt: formatInstant(job.createdAt),
    createdBy: job.createdBy,
    startedAt: instant(job.startedAt),
    heartbeatAt: instant(job.heartbeatAt),
    finishedAt: instant(job.finishedAt),
    durationMs: job.durationMs,
    workerId: job.workerId,
    ...presentEnd(job),
    redacted: !seesWhole(stored, caller),
  };
}

function presentEnd(job: Job): object {
  const { lastError, lastResponseStatus, lastResponseBody, failureReason, errorDetails, outcome } = job;
  const advice = failureReason && adviceFor(failureReason);
  const failedAt = job.state === 'dead' ? instant(job.finishedAt) : null;
  return { lastError, lastResponseStatus, lastResponseBody, failureReason, errorDetails, advice, failedAt, outcome };
}

export function presentAttempt(stored: Attempt, caller: Caller): object {
  const { startedAt, finishedAt, ...attempt } = seenAttempt(stored, caller);
  const times = { startedAt: formatInstant(startedAt), finishedAt: formatInstant(finishedAt) };
  return { ...attempt, ...times, redacted: !seesPayloads(caller) };
}

/** What a handler answers to a ping may say what its answers to jobs say. */
export function presentPing(answer: PingAnswer, caller: Caller): object {
  const redacted = !seesPayloads(caller);
  return { ...answer, responseBody: redacted ? null : answer.responseBody, redacted };
}

export function presentFamily(family: ErrorFamily, caller: Caller): object {
  const { id, reason, prefix, count, newestAt } = family;
  const redacted = !seesPayloads(caller);
  const advice = adviceFor(reason);
  return { id, reason, prefix: redacted ? null : prefix, count, newestAt: formatInstant(newestAt), advice, redacted };
}

export function presentQueue(queue: Queue): object {
  const { name, isPaused, isActive, maxWorkers, lagMs } = queue;
  // How many of the pending cannot be routed is a metric.
  const { unroutable: _, ...counts } = queue.counts;
  return {
    ...{ name, isPaused, isActive, maxWorkers },
    zombieTimeout: duration(queue.zombieTimeoutMs),
    executionTimeout: duration(queue.executionTimeoutMs),
    archiveRetention: duration(queue.archiveRetentionMs),
    dlqRetention: duration(queue.dlqRetentionMs),
    ...{ counts, lagMs, rates: ratesOf(queue.recent) },
    updatedAt: formatInstant(queue.updatedAt),
  };
}

export function presentNode(node: SeenNode): object {
  const { id, version, concurrency, running, isDraining, isSelf } = node;
  return {
    id,
    // Behind the name stands what tells containers of one name apart, which people need not see.
    host: node.host.split('~', 1)[0],
    ...{ version, concurrency, running },
    startedAt: formatInstant(node.startedAt),
    seenAt: formatInstant(node.seenAt),
    ...{ isDraining, isSelf },
  };
}

export function presentSetting(setting: EffectiveSetting): object {
  const { name, env, value, source, updatedAt, updatedBy, ...about } = setting;
  return { name, env, value, source, updatedAt: instant(updatedAt), updatedBy, ...about };
}

export function presentHandler(handler: Handler): object {
  const { type, url, attempts, fatalStatuses, circuit, headers, schema, concurrency, lastResponse, managedBy } =
    handler;
  return {
    ...{ type, url },
    timeout: duration(attempts.timeoutMs),
    maxAttempts: attempts.maxAttempts ?? null,
    retry: attempts.retry ? asPut(attempts.retry) : null,
    retryOnTimeout: attempts.retryOnTimeout ?? null,
    retryOnZombie: attempts.retryOnZombie ?? null,
    fatalStatuses,
    circuit: Object.keys(circuit).length > 0 ? asPut(circuit) : null,
    headers: Object.fromEntries(Object.keys(headers).map(name => [name, MASK])),
    ...{ schema, concurrency },
    lastResponse: lastResponse && { status: lastResponse.status, at: formatInstant(lastResponse.at) },
    managedBy,
    createdAt: formatInstant(handler.createdAt),
    updatedAt: formatInstant(handler.updatedAt),
  };
}

export function presentCircuit({ circuit, policy, isForced, failures, ...seen }: SeenCircuit): object {
  const { type, state, breakTimeMs, rampLimit } = circuit;
  return {
    ...{ type, state, isForced, failures },
    openedAt: instant(seen.openedAt),
    openUntil: instant(circuit.openUntil),
    breakTimeMs,
    probeAt: instant(circuit.probeAt),
    rampLimit,
    ...{ waiting: seen.waiting, inFlight: seen.inFlight },
    policy: asPut(policy),
  };
}

/** `baseMs: 3000` is `base: "3s"` on the wire; members without a unit keep their name. */
function asPut(settings: object): object {
  const members = Object.entries(settings).map(([name, value]: [string, number | null]) =>
    name.endsWith('Ms') ? [name.slice(0, -2), duration(value)] : [name, value],
  );
  return Object.fromEntries(members);
}

function duration(ms: number | null | undefined): string | null {
  return ms == null ? null : formatDuration(ms);
}

function instant(at: number | null): string | null {
  return at === null ? null : formatInstant(at);
}
