// Owns one run of the bench: which measurements, under which conditions, in a directory that is gone afterwards.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fsyncCost, machine } from './machine.ts';
import { batch } from './measures/batch.ts';
import { crash } from './measures/crash.ts';
import { drain } from './measures/drain.ts';
import { enqueue } from './measures/enqueue.ts';
import { idle } from './measures/idle.ts';
import type { Conditions, Row } from './measures/measure.ts';
import { table } from './table.ts';

const MEASURES = [enqueue, batch, drain, idle, crash];
const HERE = join(import.meta.dirname, '..');
const USAGE = `npm run bench -- [--only P1,P3] [--rounds n] [--quick] [--profile]
  --only     some of ${MEASURES.map(({ id }) => id).join(' ')}
  --rounds   rounds of ChokaQ and baseline in turn (default 5; 2 with --quick)
  --quick    short rounds, for a first look
  --profile  leave CPU profiles of the service in bench/data/profiles (slower)`;

const { values: asked } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
if (asked.help) console.log(USAGE);
else await run();

async function run(): Promise<void> {
  const chosen = asked.only?.toUpperCase().split(',') ?? MEASURES.map(({ id }) => id);
  const unknown = chosen.find(id => !MEASURES.some(measure => measure.id === id));
  if (unknown !== undefined) throw new Error(`there is no measurement ${unknown}\n${USAGE}`);
  const dir = workDirectory();
  console.log(`${machine()}\n${fsyncCost(dir)}\n`);
  const rows = new Map<string, Row>();
  for (const { id, run } of MEASURES.filter(({ id }) => chosen.includes(id))) {
    process.stderr.write(`${id} …\n`);
    rows.set(id, await run(conditions(dir, id)));
  }
  console.log(table(rows));
}

function conditions(dir: string, id: string): Conditions {
  const own = join(dir, id);
  mkdirSync(own);
  const rounds = Number(asked.rounds ?? (asked.quick ? 2 : 5));
  const profileDir = asked.profile ? join(HERE, 'data/profiles', id) : undefined;
  const times = asked.quick
    ? { roundMs: 1_500, warmUpMs: 500, scale: 0.25 }
    : { roundMs: 4_000, warmUpMs: 1_000, scale: 1 };
  return { rounds, ...times, dir: own, profileDir };
}

/** On the disk of the project, because the system's temporary directory may be memory, where an fsync costs nothing. */
function workDirectory(): string {
  mkdirSync(join(HERE, 'data'), { recursive: true });
  const dir = mkdtempSync(join(HERE, 'data/run-'));
  process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
