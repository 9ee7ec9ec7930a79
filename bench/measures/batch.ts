// Owns P2: what HTTP, validation and the queue's own books cost a bulk enqueue, against bare inserts of the same rows.
import { join } from 'node:path';
import { Program } from '../program.ts';
import type { BareInsert } from '../programs/bare-insert.ts';
import type { Load, LoadResult } from '../programs/generator.ts';
import { Service } from '../service.ts';
import { inTurn } from '../statistics.ts';
import { BATCH_SIZE } from '../work.ts';
import { type Conditions, type Measure, type Row, rateRow } from './measure.ts';

/** Enough that the next batch is being read while one is being written. */
const CONNECTIONS = 4;

export const batch: Measure = { id: 'P2', run };

async function run({ dir, profileDir, rounds, roundMs, warmUpMs }: Conditions): Promise<Row> {
  const service = await Service.start({ databasePath: join(dir, 'chokaq.db'), profileDir });
  const generator = await Program.start<null, Load, LoadResult>('generator');
  const bare = await Program.start<null, BareInsert, number>('bare-insert', [join(dir, 'bare.db')]);
  const viaService = async () => {
    const load = { url: service.url, what: 'batch', connections: CONNECTIONS, warmUpMs, durationMs: roundMs } as const;
    return (await generator.ask(load)).perSecond * BATCH_SIZE;
  };
  try {
    const comparison = await inTurn(rounds, viaService, () => bare.ask({ durationMs: roundMs }));
    return rateRow(`POST /jobs/batch of ${BATCH_SIZE}, ${CONNECTIONS} connections`, comparison, 'bare inserts', 0.5, [
      'bare: one plain table with the same columns and its primary key, transactions of the same size, synchronous=FULL',
    ]);
  } finally {
    await Promise.all([service.stop(), generator.stop(), bare.stop()]);
  }
}
