// Owns `chokaq dlq`: look at dead jobs, and resurrect or purge them one by one or by filter, after a preview.
import type { ChokaQ, Schemas } from '@chokaq/sdk';
import { jsonText, rawJson } from '@chokaq/sdk';
import { Command } from 'commander';
import { UsageError } from './failure.ts';
import { exact } from './jobs.ts';
import {
  asking,
  type ListOptions,
  listing,
  pageSize,
  parseWhole,
  printJobs,
  printResults,
  type Remote,
  remote,
  take,
} from './remote.ts';
import { print, printJson, sheet, table } from './table.ts';

type Filter = { -readonly [Member in keyof Schemas['DeadFilter']]: Schemas['DeadFilter'][Member] };
type Action = Schemas['NewPreview']['action'];

interface BulkOptions extends Remote, Filter {
  readonly all?: true;
  readonly max?: number;
  readonly yes?: true;
  readonly acknowledge?: true;
  readonly payload?: string;
}

const FILTERS = [
  'queue',
  'type',
  'reason',
  'failedAfter',
  'failedBefore',
  'createdAfter',
  'createdBefore',
  'responseStatus',
  'errorFamily',
  'search',
] as const;
const LOOK_EVERY_MS = 500;

export function dlqCommand(): Command {
  return new Command('dlq')
    .description('Look at dead jobs of a running service; resurrect or purge them.')
    .addCommand(filtered(listing('list', 'List dead jobs, newest failure first.')).action(list))
    .addCommand(remote('show', 'Show why a job is dead, and what to check first.').argument('<id>').action(show))
    .addCommand(remote('errors', 'List the kinds of errors that jobs died of.').action(errors))
    .addCommand(
      bulk('resurrect', 'Give dead jobs a fresh start: by id, or by filter. A filter is only previewed without --yes.')
        .option('--acknowledge', 'I know that jobs which died as Zombie or Timeout may have had their effects')
        .option('--payload <json>', 'a repaired payload, for a single id; @file reads it from a file')
        .action((ids: string[], options: BulkOptions) => act('resurrect', ids, options)),
    )
    .addCommand(
      bulk('purge', 'Delete dead jobs for good: by id, or by filter. A filter is only previewed without --yes.').action(
        (ids: string[], options: BulkOptions) => act('purge', ids, options),
      ),
    );
}

function filtered(command: Command): Command {
  return command
    .option('--queue <name>')
    .option('--type <key>')
    .option('--reason <reason>', 'such as MaxRetriesExceeded')
    .option('--failed-after <instant>')
    .option('--failed-before <instant>')
    .option('--created-after <instant>')
    .option('--created-before <instant>')
    .option('--response-status <status>', 'of the last answer', parseWhole)
    .option('--error-family <id>', 'as in `chokaq dlq errors`', parseWhole)
    .option('--search <text>', 'in id, type, tags or error');
}

function bulk(name: string, description: string): Command {
  return filtered(remote(name, description).argument('[ids...]'))
    .option('--all', 'every dead job, without a filter')
    .option('--max <jobs>', 'at most so many, newest failures first', parseWhole, 1000)
    .option('--yes', 'do what the preview shows');
}

function filterIn(options: Filter): Filter {
  return Object.fromEntries(FILTERS.map(name => [name, options[name]]).filter(([, value]) => value !== undefined));
}

async function list(options: ListOptions & Filter): Promise<void> {
  await asking(options, async client => {
    const { limit, json } = options;
    printJobs(await take(client.dlq.list({ ...filterIn(options), limit: pageSize(limit) }), limit), json);
  });
}

async function show(id: string, options: Remote): Promise<void> {
  await asking(options, async client => {
    const { payload, advice, ...facts } = await client.dlq.get(id);
    if (options.json) return printJson({ ...facts, advice, payload });
    print(`${sheet({ ...facts })}\n\nadvice: ${advice}\n(the payload: chokaq jobs show ${id})`);
  });
}

async function errors(options: Remote): Promise<void> {
  await asking(options, async client => {
    const families = await client.dlq.errors().all();
    if (options.json) return printJson(families);
    if (families.length === 0) return print('There are none.');
    const rows = families.map(each => [each.id, each.count, each.reason, each.newestAt, each.prefix]);
    print(table(['FAMILY', 'JOBS', 'REASON', 'NEWEST', 'ERROR'], rows));
  });
}

async function act(action: Action, ids: readonly string[], options: BulkOptions): Promise<void> {
  const filter = filterIn(options);
  const isFiltered = options.all === true || Object.keys(filter).length > 0;
  if (isFiltered === ids.length > 0) throw new UsageError(`say which jobs: ids, or a filter such as --type, or --all`);
  if (options.payload !== undefined && ids.length !== 1) throw new UsageError('--payload needs exactly one id');
  await asking(options, client =>
    isFiltered ? byFilter(client, action, options) : byIds(client, action, ids, options),
  );
}

async function byIds(client: ChokaQ, action: Action, ids: readonly string[], options: BulkOptions): Promise<void> {
  const [id = ''] = ids;
  if (options.payload !== undefined) {
    const job = await client.dlq.resurrect(id, rawJson(jsonText({ payload: exact(options.payload) })));
    return options.json ? printJson(job) : print(`${id} is ${job.state}, round ${job.round}`);
  }
  const acknowledge = options.acknowledge ? { acknowledge: true } : {};
  const which = { ids: [...ids] };
  const answer =
    action === 'purge' ? client.dlq.purgeMany(which) : client.dlq.resurrectMany({ ...which, ...acknowledge });
  printResults((await answer) as Schemas['ActionResults'], options.json);
}

async function byFilter(client: ChokaQ, action: Action, options: BulkOptions): Promise<void> {
  const which = options.all ? { all: true } : { filter: filterIn(options) };
  const preview = await client.dlq.preview({ action, ...which, maxJobs: options.max ?? 1000 });
  if (!options.yes) return options.json ? printJson(preview) : printPreview(action, preview);
  const { token } = preview;
  const acknowledge = options.acknowledge ? { acknowledge: true } : {};
  const begun =
    action === 'purge' ? client.dlq.purgeMany({ token }) : client.dlq.resurrectMany({ token, ...acknowledge });
  const result = await finished(client, (await begun) as Schemas['BulkResult'] | Schemas['Operation']);
  if (options.json) printJson(result);
  if ('state' in result && result.state !== 'finished') throw notFinished(result);
  if (options.json) return;
  const skipped = Object.entries(result.skipped).filter(([, count]) => count > 0);
  print(
    `${result.affected} of ${preview.willAffect} jobs: ${action}${skipped.map(([why, count]) => `, ${count} skipped (${why})`).join('')}`,
  );
}

function printPreview(action: Action, preview: Schemas['Preview']): void {
  const { matched, isExact, willAffect, samples, reasons, needsAcknowledgement } = preview;
  printJobs(samples, undefined);
  const kinds = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  print(
    `\n${isExact ? '' : 'at least '}${matched} match, ${willAffect} would be affected${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}.`,
  );
  const also =
    needsAcknowledgement && action === 'resurrect' ? ' and --acknowledge, for some may have had their effects' : '';
  print(`Nothing was done. To ${action} them, add --yes${also}.`);
}

/** It ended before its time: what was moved stays moved, and the command has not done what it was asked for. */
function notFinished({ id, state, affected, total, error }: Schemas['Operation']): Error {
  const why = error === null ? '' : `: ${error}`;
  return Object.assign(new Error(`operation ${id} has ${state} after ${affected} of ${total} jobs${why}`), {
    code: state,
  });
}

async function finished(client: ChokaQ, answer: Schemas['BulkResult'] | Schemas['Operation']) {
  let now = answer;
  while ('state' in now && now.state === 'running') {
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS));
    now = await client.operations.get(now.id);
  }
  return now;
}
