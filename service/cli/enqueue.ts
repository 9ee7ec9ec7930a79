// Owns `chokaq enqueue`: NDJSON lines, each the body of a job, sent in batches, with a true account of every line.
import { type FileHandle, open } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { formatDuration, parseDuration } from '../domain/duration.ts';
import { LIMITS } from '../domain/job.ts';
import { batches, LONGEST_LINE } from './batch.ts';
import { BatchSender, CallFailed } from './batch-sender.ts';
import { UsageError } from './failure.ts';
import { readLines } from './ndjson.ts';
import { Progress } from './progress.ts';
import { clientOf, type ServiceAddress, withAddress } from './service-client.ts';
import { Tally } from './tally.ts';

const ANSWER_LIMIT_MS = 120_000;

interface EnqueueOptions extends ServiceAddress {
  readonly file: string;
  readonly batch: number;
  readonly json?: true;
  /** How long a call is tried again while the service is away or throttles, in ms. */
  readonly retryFor: number;
}

interface Input {
  readonly stream: AsyncIterable<Buffer>;
  readonly totalBytes: number | null;
}

export function enqueueCommand(): Command {
  const command = new Command('enqueue')
    .description(
      'Enqueue NDJSON: one job per line, as in the body of POST /jobs. Exits with 1 when a line was not stored.',
    )
    .option('--file <path>', 'where to read the lines, - for standard input', '-');
  return withAddress(command)
    .option('--batch <jobs>', `jobs per request, 1 to ${LIMITS.batchJobs}`, parseBatch, LIMITS.batchJobs)
    .addOption(
      new Option('--retry-for <duration>', 'how long to try again while the service is away or throttles')
        .default(120_000, '2m')
        .argParser(parseRetryFor),
    )
    .option('--json', 'print the summary as JSON')
    .action(enqueue);
}

async function enqueue(options: EnqueueOptions): Promise<void> {
  const tally = new Tally();
  const input = await openInput(options.file);
  const progress = new Progress(tally, input.totalBytes);
  const { retryFor } = options;
  const client = clientOf(options, { timeout: ANSWER_LIMIT_MS, retryFor, onRetry: fault => progress.wait(fault) });
  const sender = new BatchSender(client, tally, formatDuration(retryFor));
  process.once('SIGINT', () => sender.interrupt());
  try {
    await sendAll(input, options.batch, { sender, tally, progress });
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    const lines = sender.unsettled.map(({ line }) => line);
    const unsettled = { from: Math.min(...lines), to: Math.max(...lines), jobs: lines.length };
    tally.stopped({ reason: error.message, unsettled });
  } finally {
    progress.end();
  }
  process.stdout.write(options.json ? `${JSON.stringify(tally, null, 2)}\n` : `${tally}\n`);
  // A stopped reader of standard input would keep the process waiting for the rest of it.
  process.exit(tally.isComplete ? 0 : 1);
}

interface Sending {
  readonly sender: BatchSender;
  readonly tally: Tally;
  readonly progress: Progress;
}

async function sendAll(input: Input, batchSize: number, { sender, tally, progress }: Sending): Promise<void> {
  let bytesRead = 0;
  const counted = countBytes(input.stream, count => {
    bytesRead += count;
  });
  const refuse = (line: number, reason: string) => tally.refuse(line, reason);
  for await (const batch of batches(readLines(counted, LONGEST_LINE), batchSize, refuse)) {
    await sender.send(batch);
    progress.show(bytesRead);
  }
  progress.show(bytesRead);
}

async function* countBytes(stream: AsyncIterable<Buffer>, add: (count: number) => void): AsyncGenerator<Buffer> {
  for await (const chunk of stream) {
    add(chunk.length);
    yield chunk;
  }
}

async function openInput(path: string): Promise<Input> {
  if (path === '-') {
    if (process.stdin.isTTY) process.stderr.write('Reading lines from the terminal; end with Ctrl-D.\n');
    return { stream: process.stdin, totalBytes: null };
  }
  try {
    const file: FileHandle = await open(path);
    const stats = await file.stat();
    if (stats.isDirectory()) throw new Error('it is a folder');
    return { stream: file.createReadStream(), totalBytes: stats.isFile() ? stats.size : null };
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

function parseBatch(text: string): number {
  const jobs = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (jobs < 1 || jobs > LIMITS.batchJobs) throw new InvalidArgumentError(`It must be 1 to ${LIMITS.batchJobs}.`);
  return jobs;
}

function parseRetryFor(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('It must be a duration such as 30s or 5m.');
  return ms;
}
