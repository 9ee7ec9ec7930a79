// Owns P3: how fast stored jobs reach their handler, against a bare loop that posts the same bodies and keeps no promise.
import { join } from 'node:path';
import { Program } from '../program.ts';
import type { BareLoop } from '../programs/bare-loop.ts';
import type { WebhookCount, WebhookRequest } from '../programs/webhook.ts';
import { Service } from '../service.ts';
import { inTurn } from '../statistics.ts';
import { BATCH_SIZE, batchBody, JOB_TYPE } from '../work.ts';
import { type Conditions, type Measure, type Row, rateRow } from './measure.ts';

const JOBS = 20_000;
const IN_FLIGHT = 64;
/** A node keeps an eighth of its slots from any one type: of 73, one type may hold 64. */
const CONCURRENCY = 73;

type Webhook = Program<{ url: string }, WebhookRequest, WebhookCount>;

interface QueueAnswer {
  readonly counts: Readonly<Record<'pending' | 'processing' | 'succeeded' | 'dead', number>>;
}

export const drain: Measure = { id: 'P3', run };

async function run({ dir, profileDir, rounds, scale }: Conditions): Promise<Row> {
  const jobs = Math.max(BATCH_SIZE, Math.round((JOBS * scale) / BATCH_SIZE) * BATCH_SIZE);
  const settings = { CHOKAQ_CONCURRENCY: String(CONCURRENCY) };
  const service = await Service.start({ databasePath: join(dir, 'chokaq.db'), settings, profileDir });
  const webhook: Webhook = await Program.start('webhook');
  const bare = await Program.start<null, BareLoop, void>('bare-loop');
  const { url } = webhook.hello;
  const counts: WebhookCount[] = [];
  const viaService = async () => {
    const count = await drainOnce(service, webhook, jobs);
    counts.push(count);
    return (count.calls - 1) / count.seconds;
  };
  const viaLoop = async () => {
    await webhook.ask({ reset: true });
    await bare.ask({ url, calls: jobs, inFlight: IN_FLIGHT });
    const count = await webhook.ask({ calls: jobs });
    return (count.calls - 1) / count.seconds;
  };
  try {
    const comparison = await inTurn(rounds, viaService, viaLoop);
    const work = `drain ${jobs} stored jobs, ${IN_FLIGHT} in flight`;
    return rateRow(work, comparison, 'bare undici loop', 0.5, [
      `most connections open at the handler: ${most(counts)}`,
    ]);
  } finally {
    await Promise.all([service.stop(), webhook.stop(), bare.stop()]);
  }
}

/** Stores the jobs while nothing can claim them, then registers their handler; each must arrive once and be archived. */
async function drainOnce(service: Service, webhook: Webhook, jobs: number): Promise<WebhookCount> {
  await webhook.ask({ reset: true });
  const before = (await counts(service)).succeeded;
  for (let from = 0; from < jobs; from += BATCH_SIZE)
    await service.call('POST', '/jobs/batch', batchBody(from, BATCH_SIZE));
  await service.call('PUT', `/handlers/${JOB_TYPE}`, JSON.stringify({ url: webhook.hello.url }));
  await webhook.ask({ calls: jobs });
  while ((await counts(service)).succeeded - before < jobs) await new Promise(resolve => setTimeout(resolve, 20));
  await service.call('DELETE', `/handlers/${JOB_TYPE}`);
  const count = await webhook.ask({ calls: jobs });
  if (count.calls !== jobs) throw new Error(`${count.calls} calls for ${jobs} jobs`);
  return count;
}

async function counts(service: Service): Promise<QueueAnswer['counts']> {
  try {
    return (await service.call<QueueAnswer>('GET', '/queues/default')).counts;
  } catch {
    return { pending: 0, processing: 0, succeeded: 0, dead: 0 };
  }
}

function most(counts: readonly WebhookCount[]): number {
  return Math.max(...counts.map(({ connections }) => connections));
}
