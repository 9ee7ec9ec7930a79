// Owns `chokaq queues`: look at the queues of a running service, pause, bound and remove them.
import type { Schemas } from '@chokaq/sdk';
import { Command, InvalidArgumentError } from 'commander';
import { UsageError } from './failure.ts';
import { asking, type Remote, remote } from './remote.ts';
import { print, printJson, sheet, table } from './table.ts';

type Queue = Schemas['Queue'];
type Patch = { -readonly [Member in keyof Schemas['QueuePatch']]: Schemas['QueuePatch'][Member] };

export function queuesCommand(): Command {
  return new Command('queues')
    .description('Look at the queues of a running service; pause, bound and remove them.')
    .addCommand(remote('list', 'List all queues with live counts.').action(list))
    .addCommand(named('show', 'Show a queue.').action(show))
    .addCommand(named('pause', 'Let nothing more of a queue start. Running calls go on.').action(pause))
    .addCommand(named('resume', 'Let a paused queue start jobs again.').action(resume))
    .addCommand(
      named('set', 'Change the settings of a queue; none stands for the own value of the service.')
        .option('--max-workers <number|none>', 'claimed and running jobs over all nodes', parseWorkers)
        .option('--zombie-timeout <duration|none>', 'silence after which a running job is lost')
        .option('--execution-timeout <duration|none>', 'limit of one call')
        .option('--active', 'let it start jobs')
        .option('--inactive', 'let it take jobs, but start none')
        .action(configure),
    )
    .addCommand(named('remove', 'Remove a queue that has no job left in any state.').action(remove));
}

function named(name: string, description: string): Command {
  return remote(name, description).argument('<name>');
}

async function list(options: Remote): Promise<void> {
  await asking(options, async client => {
    const queues = await client.queues.list().all();
    if (options.json) return printJson(queues);
    if (queues.length === 0) return print('There are none: the first job of a queue makes it.');
    const rows = queues.map(({ name, counts, lagMs, maxWorkers, ...queue }) => [
      name,
      stateOf(queue),
      counts.pending,
      counts.scheduled,
      counts.fetched + counts.processing,
      counts.succeeded,
      counts.dead,
      `${(lagMs.max / 1_000).toFixed(1)} s`,
      maxWorkers,
    ]);
    print(
      table(['QUEUE', 'STATE', 'PENDING', 'SCHEDULED', 'RUNNING', 'SUCCEEDED', 'DEAD', 'LAG', 'MAX WORKERS'], rows),
    );
  });
}

async function show(name: string, options: Remote): Promise<void> {
  await asking(options, async client => report(await client.queues.get(name), options));
}

async function pause(name: string, options: Remote): Promise<void> {
  await asking(options, async client => stopped(await client.queues.pause(name), options));
}

async function resume(name: string, options: Remote): Promise<void> {
  await asking(options, async client => told(await client.queues.resume(name), options));
}

interface SetOptions extends Remote {
  readonly maxWorkers?: number | 'none';
  readonly zombieTimeout?: string;
  readonly executionTimeout?: string;
  readonly active?: true;
  readonly inactive?: true;
}

async function configure(name: string, options: SetOptions): Promise<void> {
  const { maxWorkers, zombieTimeout, executionTimeout, active, inactive } = options;
  if (active && inactive) throw new UsageError('--active and --inactive exclude each other');
  const patch: Patch = {
    ...(maxWorkers !== undefined && { maxWorkers: maxWorkers === 'none' ? null : maxWorkers }),
    ...(zombieTimeout !== undefined && { zombieTimeout: orNull(zombieTimeout) }),
    ...(executionTimeout !== undefined && { executionTimeout: orNull(executionTimeout) }),
    ...((active || inactive) && { isActive: active === true }),
  };
  if (Object.keys(patch).length === 0) throw new UsageError('say what to change, such as --max-workers 3');
  await asking(options, async client => stopped(await client.queues.configure(name, patch), options));
}

async function remove(name: string, options: Remote): Promise<void> {
  await asking(options, async client => {
    await client.queues.remove(name);
    if (!options.json) print(`${name} is removed`);
  });
}

function report({ counts, lagMs, ...queue }: Queue, { json }: Remote) {
  if (json) return printJson({ ...queue, counts, lagMs });
  print(sheet({ ...queue, ...counts, lagMs: lagMs.max }));
}

function told(queue: Queue, { json }: Remote) {
  if (json) return printJson(queue);
  print(`${queue.name} is ${stateOf(queue)}, max workers ${queue.maxWorkers ?? 'unbounded'}`);
}

function stopped({ unacknowledgedBy, ...queue }: Schemas['StoppedQueue'], options: Remote) {
  if (options.json) return printJson({ ...queue, unacknowledgedBy });
  told(queue, options);
  if (unacknowledgedBy.length === 0) return;
  print(`Calls that were started before may still leave these nodes: ${unacknowledgedBy.join(', ')}`);
}

function stateOf({ isPaused, isActive }: Pick<Queue, 'isPaused' | 'isActive'>): string {
  if (!isActive) return 'inactive';
  return isPaused ? 'paused' : 'running';
}

function orNull(text: string): string | null {
  return text === 'none' ? null : text;
}

function parseWorkers(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^\d{1,5}$/.test(text)) throw new InvalidArgumentError('It must be a number, or none.');
  return Number(text);
}
