// Owns `chokaq config`: every effective setting and where it comes from, without starting anything.
import { Command } from 'commander';
import { type DescribedSetting, describeConfig } from '../config.ts';
import { configFileOption, readConfigFile } from './config-file.ts';

export function configCommand(): Command {
  return new Command('config')
    .description('Show every effective setting with its source; secrets are hidden. Fails as `serve` would.')
    .addOption(configFileOption())
    .option('--json', 'print JSON, with the range and meaning of each setting')
    .action(show);
}

function show(options: { config?: string; json?: true }): void {
  const settings = describeConfig(process.env, readConfigFile(options.config));
  process.stdout.write(options.json ? `${JSON.stringify(settings, null, 2)}\n` : table(settings));
}

function table(settings: readonly DescribedSetting[]): string {
  const rows = settings.map(({ env, value, source }) => [env, value || '–', source]);
  const widths = [0, 1].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  const lines = rows.map(row => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return `${lines.join('\n')}\n`;
}
