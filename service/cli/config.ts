// Owns `chokaq config`: every effective setting and where it comes from, without starting anything, and the removal of stored ones.
import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { type Config, type DescribedSetting, describeConfig, loadConfig, type StoredCopy } from '../config.ts';
import { DomainError } from '../domain/errors.ts';
import { actor } from './actor.ts';
import { configFileOption, readConfigFile } from './config-file.ts';
import { explainFailure, UsageError } from './failure.ts';

interface Options {
  readonly config?: string;
  readonly json?: true;
  readonly unset?: readonly string[];
}

export function configCommand(): Command {
  return new Command('config')
    .description('Show every effective setting with its source; secrets are hidden. Fails as `serve` would.')
    .addOption(configFileOption())
    .option('--json', 'print JSON, with the range and meaning of each setting')
    .option('--unset <names...>', 'first remove these from what is stored for all nodes, such as pollInterval')
    .action(show);
}

async function show(options: Options): Promise<void> {
  const yaml = readConfigFile(options.config);
  const config = loadConfig(process.env, yaml);
  if (options.unset) await unset(config, options.unset);
  const settings = describeConfig(process.env, yaml, await storedIn(config));
  process.stdout.write(options.json ? `${JSON.stringify(settings, null, 2)}\n` : table(settings));
}

/** A database that is not there has nothing stored, and looking at it must not make it. */
async function storedIn(config: Config): Promise<StoredCopy | undefined> {
  if (config.storage === 'memory' || (config.storage === 'sqlite' && !existsSync(config.sqlitePath))) return undefined;
  const { peekConfigured } = await import('../opening.ts');
  try {
    return (await peekConfigured(config)) ?? undefined;
  } catch (error) {
    // `serve` would wait for it.
    if (!(error instanceof DomainError && error.code === 'storage-unavailable')) throw error;
    process.stderr.write(`${explainFailure(error).text}\nSettings that are stored in the database are not shown.\n`);
    return undefined;
  }
}

async function unset(config: Config, names: readonly string[]): Promise<void> {
  const { unsetStored } = await import('../main.ts');
  const missing = await unsetStored(config, names, actor());
  if (missing.length > 0) throw new UsageError(`${missing.join(', ')}: not stored; \`chokaq config\` shows what is.`);
}

function table(settings: readonly DescribedSetting[]): string {
  const rows = settings.map(({ env, value, source }) => [env, value || '–', source]);
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `${lines.join('\n')}\n`;
}
