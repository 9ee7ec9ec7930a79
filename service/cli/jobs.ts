// Owns `chokaq jobs`: list, show, wait for, cancel, edit and delete jobs of a running service.
import { readFileSync } from 'node:fs';
import { jsonText, rawJson } from '@chokaq/sdk';
import { Command } from 'commander';
import { UsageError } from './failure.ts';
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

type Filter = Readonly<Record<'state' | 'queue' | 'type' | 'tag' | 'search', string | undefined>>;
interface EditOptions extends Remote {
  readonly payload?: string;
  readonly priority?: number;
  readonly dueAt?: string;
  readonly tag?: readonly string[];
}

export function jobsCommand(): Command {
  const id = '<id>';
  return new Command('jobs')
    .description('List, show, cancel, edit and delete jobs of a running service.')
    .addCommand(filtered(listing('list', 'List jobs in any state, newest first.')).action(list))
    .addCommand(
      remote('show', 'Show a job with its payload, exactly as posted, and its attempts.').argument(id).action(show),
    )
    .addCommand(
      remote('wait', 'Wait until a job has ended. Exits with 1 when it is dead, or not done in time.')
        .argument(id)
        .option('--timeout <duration>', 'how long at most', '5m')
        .action(wait),
    )
    .addCommand(remote('cancel', 'Stop jobs, running ones too.').argument('<ids...>').action(cancel))
    .addCommand(edited(remote('edit', 'Change a job that is not running.').argument(id)).action(edit))
    .addCommand(remote('delete', 'Delete a succeeded job.').argument(id).action(remove));
}

function filtered(command: Command): Command {
  return command
    .option('--state <state>', 'scheduled, pending, fetched, processing, succeeded or dead')
    .option('--queue <name>')
    .option('--type <key>')
    .option('--tag <tag>')
    .option('--search <text>', 'in id, type, tags or error');
}

function edited(command: Command): Command {
  return command
    .option('--payload <json>', 'the new payload; @file reads it from a file')
    .option('--priority <number>', '-1000 to 1000', parseWhole)
    .option('--due-at <instant>', 'when it may run, as 2030-01-01T00:00:00Z')
    .option('--tag <tag...>', 'the new tags');
}

async function list({ json, limit, url, apiKey, ...filter }: ListOptions & Filter): Promise<void> {
  await asking({ url, ...(apiKey && { apiKey }) }, async client => {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
    printJobs(await take(client.jobs.list({ ...given, limit: pageSize(limit) }), limit), json);
  });
}

async function show(id: string, options: Remote): Promise<void> {
  await asking(options, async client => {
    const { job, text } = await client.jobs.read(id);
    if (options.json) return print(text);
    const { payload: _, lastResponseBody, ...facts } = job;
    print(sheet({ ...facts, lastResponseBody }));
    const attempts = await client.jobs.attempts(id).all();
    const rows = attempts.map(each => [
      each.round,
      each.attempt,
      each.startedAt,
      each.durationMs,
      each.outcome,
      each.error,
    ]);
    if (rows.length > 0) print(`\n${table(['ROUND', 'ATTEMPT', 'STARTED', 'MS', 'OUTCOME', 'ERROR'], rows)}`);
    print(`\npayload:\n${payloadIn(text)}`);
  });
}

/** The payload is the last member of a job; parsing it would change big numbers. */
function payloadIn(text: string): string {
  const from = text.indexOf('"payload":');
  return from < 0 ? '–' : text.slice(from + '"payload":'.length, text.lastIndexOf('}'));
}

async function wait(id: string, { timeout, ...options }: Remote & { timeout: string }): Promise<void> {
  await asking(options, async client => {
    const job = await client.waitFor(id, { timeout });
    if (options.json) printJson(job);
    else print(`${id} ${job.failureReason ?? job.outcome ?? job.state}${job.lastError ? `: ${job.lastError}` : ''}`);
    if (job.state === 'dead') process.exitCode = 1;
  });
}

async function cancel(ids: readonly string[], options: Remote): Promise<void> {
  await asking(options, async client => printResults(await client.jobs.cancelMany(ids), options.json));
}

async function edit(id: string, { payload, priority, dueAt, tag, ...options }: EditOptions): Promise<void> {
  const given = Object.entries({ priority, dueAt, tags: tag }).filter(([, value]) => value !== undefined);
  if (given.length === 0 && payload === undefined)
    throw new UsageError('say what to change: --payload, --priority, --due-at or --tag');
  const body = { ...Object.fromEntries(given), ...(payload !== undefined && { payload: exact(payload) }) };
  await asking(options, async client => {
    const { etag } = await client.jobs.read(id);
    const job = await client.jobs.edit(id, etag, rawJson(jsonText(body)));
    if (options.json) printJson(job);
    else print(`${id} is changed and ${job.state}`);
  });
}

async function remove(id: string, options: Remote): Promise<void> {
  await asking(options, async client => {
    await client.jobs.delete(id);
    if (!options.json) print(`${id} is deleted`);
  });
}

/** JSON as it is written, on the command line or in a file. */
export function exact(text: string) {
  try {
    return rawJson(text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text);
  } catch (error) {
    throw new UsageError(`--payload: ${(error as Error).message}`);
  }
}
