// Owns the proof that a crowd on one SQL Server loses no job, does none twice, and meets no deadlock it does not handle.
// CHOKAQ_STORM_SECONDS says how long it rages.
import { expect, test } from 'vitest';
import { openMssql } from '#service/storage/mssql/store.js';
import { Storm } from './fixture/storm.ts';
import { openWorld, TEST_URL } from './mssql/world.ts';
import { recount } from './suite/recount.ts';

const SECONDS = Number(process.env.CHOKAQ_STORM_SECONDS ?? 60);
const url = TEST_URL ?? '';

test(
  'A storm of 32 claimers, 32 enqueuers, completers, dashboards and cleanup loses no job and does none twice',
  async () => {
    const world = await openWorld(url);
    const more = await Promise.all(
      [1, 2].map(() => openMssql({ kind: 'mssql', url, schema: world.schema, poolSize: 4 })),
    );
    try {
      const storm = new Storm([...world.nodes, ...more], {
        ms: SECONDS * 1_000,
        claimers: 32,
        enqueuers: 32,
        completers: 8,
      });
      await storm.rage();
      const { books } = storm;
      expect(books.faults).toEqual([]);
      expect(books.open).toEqual(new Set());
      expect(books.ended.size).toBeGreaterThan(SECONDS);
      const { counters, recounted } = await recount(world.nodes[0]);
      expect(counters).toEqual(recounted);
      const stats = await world.nodes[1].stats.read();
      expect(stats.lifetime.succeeded + stats.lifetime.failed).toBe(books.ended.size);
      console.log(`the storm of ${SECONDS} s: ${books.ended.size} jobs, each ended once`);
    } finally {
      for (const node of more) await node.close();
      await world.close();
    }
  },
  (SECONDS + 600) * 1_000,
);
