// Owns what the figures depend on besides the code: the machine, the runtime, and what one fsync of this disk costs.
import { closeSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { kept } from '../service/storage/sqlite/connection.ts';
import { quantile } from './statistics.ts';

const PAGE = Buffer.alloc(4_096);
const FSYNCS = 200;

export function machine(): string {
  const processors = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const model = processors[0]?.model.trim() ?? 'unknown processor';
  const database = kept(new Database(':memory:'));
  const sqlite = kept(database.prepare('SELECT sqlite_version()')).pluck().get();
  database.close();
  const load = loadavg()[0]?.toFixed(1);
  return `Node.js ${process.version}, SQLite ${sqlite}, ${platform()} ${arch()}, ${processors.length} × ${model}, ${memory} GB, load before the run ${load}`;
}

/** Appends pages to a file and waits for the disk after each: what one durable commit costs at least. */
export function fsyncCost(dir: string): string {
  const path = join(dir, 'fsync');
  const file = openSync(path, 'w');
  const took: number[] = [];
  for (let n = 0; n < FSYNCS; n++) {
    writeSync(file, PAGE);
    const from = performance.now();
    fsyncSync(file);
    took.push(performance.now() - from);
  }
  closeSync(file);
  unlinkSync(path);
  return `one fsync of 4 KB: ${quantile(took, 0.5).toFixed(2)} ms median, ${quantile(took, 0.99).toFixed(2)} ms p99`;
}
