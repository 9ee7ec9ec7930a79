#!/usr/bin/env node
// Owns the command line: which commands exist, and how the process ends when one of them cannot go on.
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { packageFile } from '../root.ts';
import { configCommand } from './config.ts';
import { enqueueCommand } from './enqueue.ts';
import { explainFailure } from './failure.ts';
import { serveCommand } from './serve.ts';

const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string };

const program = new Command('chokaq')
  .description('A durable background-job queue offered as an HTTP service.')
  .version(version)
  .addCommand(serveCommand())
  .addCommand(enqueueCommand())
  .addCommand(configCommand());

for (const command of [program, ...program.commands]) {
  command.showHelpAfterError(`(chokaq ${command === program ? '' : `${command.name()} `}--help tells more)`);
  command.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2));
}

try {
  await program.parseAsync();
} catch (error) {
  const { text, exitCode } = explainFailure(error);
  process.stderr.write(`${text}\n`);
  process.exit(exitCode);
}
