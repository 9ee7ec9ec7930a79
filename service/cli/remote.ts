// Owns commands that ask a running service: their shared options, their lists, and what their refusals look like.
import { type ChokaQ, ChokaQError, type Listing, type Schemas } from '@chokaq/sdk';
import { Command, InvalidArgumentError } from 'commander';
import { UsageError } from './failure.ts';
import { clientOf, type ServiceAddress, withAddress } from './service-client.ts';
import { print, printJson, table } from './table.ts';

export interface Remote extends ServiceAddress {
  readonly json?: true;
}

export interface ListOptions extends Remote {
  readonly limit: number;
}

type Job = Schemas['ListedJob'];

/** A command with `--url`, `--api-key` and `--json`. */
export function remote(name: string, description: string): Command {
  return withAddress(new Command(name).description(description)).option('--json', "print the service's own JSON");
}

export function listing(name: string, description: string): Command {
  return remote(name, description).option('--limit <items>', 'how many at most', parseLimit, 50);
}

/** Runs with a client; a refusal of the service ends the command with what it says. */
export async function asking(options: Remote, work: (client: ChokaQ) => Promise<void>): Promise<void> {
  try {
    await work(clientOf(options, { retryFor: '2s' }));
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    if (!(error instanceof ChokaQError)) throw error;
    const hint = error.status === 401 || error.status === 403 ? ' Set CHOKAQ_API_KEY, or --api-key.' : '';
    const away = error.code === 'unreachable' ? ' Is the service running? Set CHOKAQ_URL, or --url.' : '';
    throw Object.assign(new Error(`${error.message.replace(/[^.]$/, '$&.')}${hint}${away}`), { code: error.code });
  }
}

/** As many items as wanted, over as many pages as that takes. */
export async function take<Item>(list: Listing<Item>, limit: number): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) {
    items.push(item);
    if (items.length === limit) break;
  }
  return items;
}

export function printJobs(jobs: readonly Job[], json: true | undefined) {
  if (json) return printJson(jobs);
  if (jobs.length === 0) return print('There are none.');
  const rows = jobs.map(job => [
    job.id,
    job.type,
    job.queue,
    job.failureReason ?? job.state,
    `${job.attempts}/${job.maxAttempts}`,
    job.failedAt ?? job.finishedAt ?? job.dueAt,
    (job.lastError ?? '').slice(0, 60),
  ]);
  print(table(['ID', 'TYPE', 'QUEUE', 'STATE', 'ATTEMPTS', 'AT', 'LAST ERROR'], rows));
}

/** The result for each id; the exit code says whether all went well. */
export function printResults({ results }: Schemas['ActionResults'], json: true | undefined): void {
  if (json) printJson(results);
  else
    print(
      table(
        ['ID', 'RESULT'],
        results.map(({ id, ok, code }) => [id, ok ? 'ok' : code]),
      ),
    );
  if (results.some(({ ok }) => !ok)) process.exitCode = 1;
}

/** A request takes at most 200. */
export function pageSize(limit: number): number {
  return Math.min(limit, 200);
}

function parseLimit(text: string): number {
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw new InvalidArgumentError('It must be a number from 1.');
  return limit;
}

export function parseWhole(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
