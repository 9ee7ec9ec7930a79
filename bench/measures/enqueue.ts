// Owns P1: what durable storage costs one `POST /jobs`, against the same HTTP stack that stores nothing.
import { join } from 'node:path';
import { Program } from '../program.ts';
import type { Load, LoadResult } from '../programs/generator.ts';
import { Service } from '../service.ts';
import { inTurn, spread } from '../statistics.ts';
import { type Conditions, type Measure, type Row, rateRow } from './measure.ts';

const CONNECTIONS = 64;

export const enqueue: Measure = { id: 'P1', run };

async function run({ dir, profileDir, rounds, roundMs, warmUpMs }: Conditions): Promise<Row> {
  const service = await Service.start({ databasePath: join(dir, 'chokaq.db'), profileDir });
  const echo = await Program.start<{ url: string }, never, never>('echo-app');
  const generator = await Program.start<null, Load, LoadResult>('generator');
  const latencies = { service: [] as LoadResult[], echo: [] as LoadResult[] };
  const load = (url: string, kept: LoadResult[]) => async () => {
    const result = await generator.ask({ url, what: 'job', connections: CONNECTIONS, warmUpMs, durationMs: roundMs });
    kept.push(result);
    return result.perSecond;
  };
  try {
    const comparison = await inTurn(rounds, load(service.url, latencies.service), load(echo.hello.url, latencies.echo));
    const note = `latency p50/p99: ${latency(latencies.service)} against ${latency(latencies.echo)}`;
    return rateRow(`POST /jobs, ${CONNECTIONS} connections`, comparison, 'echo app', 0.9, [note]);
  } finally {
    await Promise.all([service.stop(), echo.stop(), generator.stop()]);
  }
}

function latency(results: readonly LoadResult[]): string {
  const p50 = spread(results.map(({ p50Ms }) => p50Ms)).median;
  const p99 = spread(results.map(({ p99Ms }) => p99Ms)).median;
  return `${p50.toFixed(1)}/${p99.toFixed(1)} ms`;
}
