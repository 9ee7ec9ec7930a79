// Owns P5: how long a job posted to an idle service waits for the first byte at its handler.
import { join } from 'node:path';
import { Program } from '../program.ts';
import type { Probe } from '../programs/idle-prober.ts';
import { Service } from '../service.ts';
import { quantile, spread } from '../statistics.ts';
import { JOB_TYPE } from '../work.ts';
import type { Conditions, Measure, Row } from './measure.ts';

const SAMPLES = 150;

export const idle: Measure = { id: 'P5', run };

async function run({ dir, profileDir, rounds, scale }: Conditions): Promise<Row> {
  const service = await Service.start({ databasePath: join(dir, 'chokaq.db'), profileDir });
  const echo = await Program.start<{ url: string }, never, never>('echo-app');
  const prober = await Program.start<{ url: string }, Probe, readonly number[]>('idle-prober', [join(dir, 'floor.db')]);
  const samples = Math.max(30, Math.round(SAMPLES * scale));
  try {
    await service.call('PUT', `/handlers/${JOB_TYPE}`, JSON.stringify({ url: prober.hello.url }));
    const sides = { queue: service.url, floor: echo.hello.url };
    const took = { queue: [] as number[][], floor: [] as number[][] };
    for (const kind of ['queue', 'floor'] as const) await prober.ask({ url: sides[kind], kind, samples });
    for (let round = 0; round < rounds; round++) {
      for (const kind of ['queue', 'floor'] as const) {
        took[kind].push([...(await prober.ask({ url: sides[kind], kind, samples }))]);
      }
    }
    return row(took.queue, took.floor);
  } finally {
    await Promise.all([service.stop(), echo.stop(), prober.stop()]);
  }
}

function row(queue: readonly number[][], floor: readonly number[][]): Row {
  const medians = (rounds: readonly number[][]) => rounds.map(values => quantile(values, 0.5));
  const floors = medians(floor);
  return {
    work: 'idle: POST /jobs → first byte at the handler',
    subject: percentiles(queue.flat()),
    baseline: `${percentiles(floor.flat())} floor`,
    ratio: spread(medians(queue).map((median, round) => median / (floors[round] ?? Number.NaN))),
    aim: '',
    isMet: undefined,
    notes: [
      'p50/p99; floor: POST to the echo app, then one durable commit, then one call, and no queue; lower is better',
    ],
  };
}

function percentiles(values: readonly number[]): string {
  return `${quantile(values, 0.5).toFixed(1)}/${quantile(values, 0.99).toFixed(1)} ms`;
}
