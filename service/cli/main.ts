#!/usr/bin/env node
// Owns the command line: which commands exist, and how the process ends when one of them cannot go on.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packageFile } from '../root.ts';
import { configCommand } from './config.ts';
import { dlqCommand } from './dlq.ts';
import { enqueueCommand } from './enqueue.ts';
import { explainFailure } from './failure.ts';
import { jobsCommand } from './jobs.ts';
import { keysCommand } from './keys.ts';
import { migrateCommand } from './migrate.ts';
import { queuesCommand } from './queues.ts';
import { serveCommand } from './serve.ts';
import { typesCommand } from './type-map.ts';

const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

const program = new Command('chokaq')
  .description('A durable background-job queue offered as an HTTP service.')
  .version(version)
  .addCommand(serveCommand())
  .addCommand(enqueueCommand())
  .addCommand(jobsCommand())
  .addCommand(dlqCommand())
  .addCommand(queuesCommand())
  .addCommand(configCommand())
  .addCommand(keysCommand())
  .addCommand(migrateCommand())
  .addCommand(typesCommand());

complete(program, 'chokaq');

/** Commands of commands too: a wrong word ends with 2 and says where help is. */
function complete(command: Command, path: string): void {
  command.showHelpAfterError(`(${path} --help tells more)`);
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
  for (const inner of command.commands) complete(inner, `${path} ${inner.name()}`);
}

try {
  await program.parseAsync();
} catch (error) {
  const { text, exitCode } = explainFailure(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
