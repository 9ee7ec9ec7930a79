// Owns the proof that no producer can grow the metrics without end: the decorators of the service over a store that takes everything.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { routeOf } from '#service/api/app.js';
import { CIRCUIT_STATES } from '#service/domain/circuit.js';
import { FAILURE_REASONS } from '#service/domain/failure.js';
import type { NewJob } from '#service/domain/job.js';
import type { Transition } from '#service/domain/lifecycle.js';
import { gaugesOf } from '#service/metrics/gauges.js';
import { measuredDelivery, measuredStore } from '#service/metrics/measure.js';
import { measuredApp } from '#service/metrics/measure-http.js';
import { Metrics } from '#service/metrics/metrics.js';
import type { Call, Delivery } from '#service/ports/delivery.js';
import type { Store } from '#service/ports/store.js';
import { move, NO_ANSWER, newJob } from '../fixtures/jobs.ts';
import { samplesIn } from './fixture/measured.ts';

const MOST_BYTES = 2_000_000;
const JOB = newJob();

let metrics: Metrics;
let store: Store;

/** Takes whatever comes, as a store without limits would; a real one takes minutes for so much. */
function boundless(types: readonly string[]): Store {
  const counts = { pending: 1, scheduled: 0, fetched: 0, processing: 0, succeeded: 0, dead: 1, unroutable: 0 };
  const jobs = {
    insert: async (posted: readonly NewJob[]) => posted.map(job => ({ job, duplicate: false })),
    apply: async (moves: readonly { readonly jobId: string }[]) =>
      moves.map(({ jobId }) => {
        const [queue, type] = jobId.split('\n');
        return { held: true, at: 2, queue, type, startedAt: 1, started: { dueAt: 0, tookClaim: false } };
      }),
  };
  const queues = { list: async () => types.map(name => ({ name, counts, lagMs: { avg: 1, max: 1 } })) };
  const circuits = {
    list: async () =>
      types.map((type, at) => ({ circuit: { type, state: CIRCUIT_STATES[at % CIRCUIT_STATES.length] } })),
  };
  return { jobs, queues, circuits } as unknown as Store;
}

beforeEach(() => {
  metrics = new Metrics({ version: '0', storage: 'memory' });
  store = measuredStore(boundless([]), metrics);
});

async function valuesOf(name: string, label: string): Promise<Set<string | undefined>> {
  const samples = samplesIn(await metrics.text()).filter(sample => sample.name === name);
  return new Set(samples.map(({ labels }) => labels[label]));
}

test('J2 · The 101st queue is `other`, the 501st type too; blank is `unknown`, and long names are cut', async () => {
  await store.jobs.insert([newJob({ queue: ' ', type: 'é'.repeat(200) })]);
  for (let n = 1; n < 600; n++) await store.jobs.insert([newJob({ queue: `queue-${n}`, type: `type-${n}` })]);
  const queues = await valuesOf('chokaq_jobs_enqueued_total', 'queue');
  expect(queues.size).toBe(101);
  expect([...queues]).toEqual(expect.arrayContaining(['unknown', 'queue-99', 'other']));
  expect([...queues]).not.toContain('queue-100');
  const types = await valuesOf('chokaq_jobs_enqueued_total', 'type');
  expect(types.size).toBe(501);
  expect([...types]).toEqual(expect.arrayContaining(['é'.repeat(128), 'type-499', 'other']));
});

test('J2 · 1 200 pairs of 400 types and three queues are at most 1 000; the rest is `other` in both', async () => {
  for (let n = 0; n < 1_200; n++) {
    await store.jobs.insert([newJob({ queue: `queue-${n % 3}`, type: `type-${Math.floor(n / 3)}` })]);
  }
  const samples = samplesIn(await metrics.text()).filter(({ name }) => name === 'chokaq_jobs_enqueued_total');
  expect(samples).toHaveLength(1_001);
  expect(samples.find(({ labels }) => labels.queue === 'other')).toMatchObject({
    labels: { type: 'other' },
    value: 200,
  });
});

/** All names go through every decorator that takes names from producers. */
async function flood(names: readonly string[]): Promise<void> {
  const failed = async () => ({ ...NO_ANSWER, kind: 'retryable', askedDelayMs: null });
  const delivery = measuredDelivery({ deliver: failed } as unknown as Delivery, metrics);
  const app = measuredApp((_req, res) => res.writeHead(404), metrics, routeOf);
  await store.jobs.insert(names.map(type => ({ ...JOB, queue: type, type })));
  await store.jobs.apply(names.map(burial));
  const socket = new Socket();
  for (const [n, type] of names.entries()) {
    await delivery.deliver({ job: { type } } as unknown as Call);
    const request = Object.assign(new IncomingMessage(socket), { method: `M${n}`, url: `/${type}` });
    const response = new ServerResponse(request);
    app(request, response);
    response.emit('close');
  }
}

function burial(name: string, n: number): Transition {
  const reason = FAILURE_REASONS[n % FAILURE_REASONS.length] ?? 'Zombie';
  const dead = move('bury', { id: `${name}\n${name}`, round: 1 }, { to: 'dead', reason, answer: NO_ANSWER, by: null });
  return { ...dead, attempt: { ...NO_ANSWER, outcome: 'timedOut' } };
}

test.each([
  [100_000, 'short', (n: number) => `name-${n}`],
  [5_000, 'the longest', (n: number) => `${n}${'漢'.repeat(200)}`],
])('J2 · %d types, queues and paths with %s names stay under 2 MB, and all is counted', async (many, _, name) => {
  const names = Array.from({ length: many }, (_each, n) => name(n));
  const source = boundless(names);
  metrics.readGaugesFrom(
    gaugesOf(source, { capacity: 20, activeByQueue: () => new Map(names.map(each => [each, 1])) }),
  );
  await flood(names);
  const text = await metrics.text();
  expect(Buffer.byteLength(text)).toBeLessThan(MOST_BYTES);
  const samples = samplesIn(text);
  const sum = (metric: string) => samples.reduce((total, one) => total + (one.name === metric ? one.value : 0), 0);
  const counters = ['jobs_enqueued_total', 'jobs_dlq_total', 'jobs_failed_total', 'delivery_responses_total'];
  for (const counter of [...counters, 'http_request_duration_seconds_count', 'job_queue_lag_seconds_count'])
    expect(sum(`chokaq_${counter}`), counter).toBe(many);
  expect(samples.filter(one => one.name === 'chokaq_http_request_duration_seconds_count')).toEqual([
    {
      name: 'chokaq_http_request_duration_seconds_count',
      labels: { method: 'other', route: 'other', status: '404' },
      value: many,
    },
  ]);
  expect(sum('chokaq_circuit_state')).toBe(names.length);
});
