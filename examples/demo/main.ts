// Owns the command `npm run demo`: its arguments, its signals, its exit code, and what stays running after the summary.
import { parseArgs } from 'node:util';
import { Demo, print } from './demo.ts';
import { enterFolder } from './folder.ts';

const USAGE =
  'Usage: npm run demo -- [--once]     --once: leave after the summary, with exit code 0 when everything matched';

const isOnce = readArguments();
const folder = enterFolder('data/demo');
const demo = new Demo(folder.path);
let isLeaving = false;
let exitCode = 130;

process.once('exit', () => {
  demo.service.kill();
  folder.leave();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => leaveAfter(signal));

try {
  const { lines, faults } = await Promise.race([demo.play(), demo.service.failed]);
  const isAllWell = faults.length === 0;
  print('', ...lines, '', isAllWell ? 'Everything matched.' : `NOT everything matched: ${faults.join('; ')}.`);
  exitCode = isAllWell ? 0 : 1;
  if (isOnce) await leave();
  print('', ...demo.invitation, '', 'Ctrl-C stops everything.');
  await demo.service.failed;
} catch (error) {
  if (!isLeaving) fail(error);
}

/** A second signal does not wait for anything. */
function leaveAfter(signal: NodeJS.Signals): void {
  if (isLeaving) process.exit(1);
  isLeaving = true;
  demo.hush();
  print('', `Stopping after ${signal} (once more: at once) …`);
  leave().catch(fail);
}

async function leave(): Promise<never> {
  isLeaving = true;
  await demo.stop();
  process.exit(exitCode);
}

function fail(error: unknown): never {
  demo.hush();
  process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}

/** Whether to leave after the summary. */
function readArguments(): boolean {
  try {
    const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
    return values.once || process.env.DEMO_ONCE === 'true';
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${USAGE}\n`);
    process.exit(2);
  }
}
