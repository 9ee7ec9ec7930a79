// Owns P8: `kill -9` under load, then a restart: what was lost, what came twice, how long until work goes on.
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Program } from '../program.ts';
import type { SlowWebhookAnswer, SlowWebhookRequest } from '../programs/slow-webhook.ts';
import { Service, type ServiceOptions } from '../service.ts';
import { JOB_TYPE, payload } from '../work.ts';
import { type Conditions, type Measure, type Row, whole } from './measure.ts';

const IN_FLIGHT = 1_000;
/** A node keeps an eighth of its slots from any one type: of 1 142, one type may hold 1 000. */
const CONCURRENCY = 1_142;
const BACKLOG = 5;
const BATCH = 1_000;
const LANES = 4;
/** How long jobs are posted one by one beside the full load, before the kill. */
const POSTING_MS = 500;
/** A slow machine is killed with fewer in flight; the row says how many there were. */
const FILL_LIMIT_MS = 10_000;
const SETTLE_LIMIT_MS = 120_000;

type SlowWebhook = Program<{ url: string }, SlowWebhookRequest, SlowWebhookAnswer>;

interface QueueAnswer {
  readonly counts: Readonly<Record<'pending' | 'scheduled' | 'fetched' | 'processing' | 'succeeded' | 'dead', number>>;
}

export const crash: Measure = { id: 'P8', run };

async function run({ dir, profileDir }: Conditions): Promise<Row> {
  const options: ServiceOptions = {
    databasePath: join(dir, 'chokaq.db'),
    settings: { CHOKAQ_CONCURRENCY: String(CONCURRENCY) },
    profileDir,
  };
  const webhook: SlowWebhook = await Program.start('slow-webhook');
  const first = await Service.start(options);
  let second: Service | undefined;
  try {
    const handler = { url: webhook.hello.url, retryOnZombie: true };
    await first.call('PUT', `/handlers/${JOB_TYPE}`, JSON.stringify(handler));
    const { acknowledged, inFlight } = await killUnderLoad(first, webhook);
    const restartedAt = Date.now();
    second = await Service.start(options);
    const listeningMs = Date.now() - restartedAt;
    const unfinished = await settled(second);
    const end = await webhook.ask({ since: restartedAt, ids: acknowledged });
    return row({ acknowledged: acknowledged.length, inFlight, unfinished, listeningMs, restartedAt, end });
  } finally {
    await Promise.all([first.kill(), second?.stop(), webhook.stop()]);
  }
}

/** Fills the handler, then keeps posting until the service is dead; answers what was acknowledged, and how much ran at the kill. */
async function killUnderLoad(service: Service, webhook: SlowWebhook) {
  const producer = new Producer(service);
  for (let batch = 0; batch < BACKLOG; batch++) await producer.postBatch();
  for (const until = Date.now() + FILL_LIMIT_MS; Date.now() < until; await pause(5)) {
    if ((await webhook.ask({})).inFlight >= IN_FLIGHT) break;
  }
  const lanes = Array.from({ length: LANES }, () => producer.postOn());
  await pause(POSTING_MS);
  const { inFlight } = await webhook.ask({});
  producer.stop();
  await service.kill();
  await Promise.all(lanes);
  return { acknowledged: producer.acknowledged, inFlight };
}

/** Posts jobs under ids of its own; only what was answered 2xx counts as acknowledged. */
class Producer {
  readonly acknowledged: string[] = [];
  readonly #service: Service;
  #posted = 0;
  #isStopped = false;

  constructor(service: Service) {
    this.#service = service;
  }

  async postBatch(): Promise<void> {
    const jobs = Array.from({ length: BATCH }, () => this.#next());
    await this.#service.call('POST', '/jobs/batch', `{"jobs":[${jobs.map(({ body }) => body).join(',')}]}`);
    this.acknowledged.push(...jobs.map(({ id }) => id));
  }

  /** One after the other, until stopped: from then on the service may go away under a call. */
  async postOn(): Promise<void> {
    while (!this.#isStopped) {
      const { id, body } = this.#next();
      try {
        await this.#service.call('POST', '/jobs', body);
        this.acknowledged.push(id);
      } catch (error) {
        if (!this.#isStopped) throw error;
      }
    }
  }

  stop(): void {
    this.#isStopped = true;
  }

  #next() {
    const n = this.#posted++;
    const id = `crash-${n}`;
    return { id, body: `{"id":"${id}","type":"${JOB_TYPE}","payload":${payload(n)}}` };
  }
}

/** Waits until nothing is waiting or running any more; answers what still is when the time is up. */
async function settled(service: Service): Promise<number> {
  const until = Date.now() + SETTLE_LIMIT_MS;
  for (;;) {
    const { counts } = await service.call<QueueAnswer>('GET', '/queues/default');
    const unfinished = counts.pending + counts.scheduled + counts.fetched + counts.processing;
    if (unfinished === 0 || Date.now() > until) return unfinished + counts.dead;
    await pause(50);
  }
}

interface Ending {
  readonly acknowledged: number;
  readonly inFlight: number;
  readonly unfinished: number;
  readonly listeningMs: number;
  readonly restartedAt: number;
  readonly end: SlowWebhookAnswer;
}

function row({ acknowledged, inFlight, unfinished, listeningMs, restartedAt, end }: Ending): Row {
  const lost = end.missing + unfinished;
  const resumeMs = (end.firstCallAt ?? Number.NaN) - restartedAt;
  return {
    work: `kill -9 with ${whole(inFlight)} in flight, restart`,
    subject: `${lost} lost of ${whole(acknowledged)}`,
    baseline: `${whole(end.calls - end.distinct)} came twice`,
    ratio: undefined,
    aim: '0 lost',
    isMet: lost === 0,
    notes: [
      `listening ${listeningMs} ms and first call ${resumeMs} ms after the restart; the handler has retryOnZombie on`,
    ],
  };
}
