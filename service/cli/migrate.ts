// Owns `chokaq migrate`: the schema of the database brought up to date, for those who let no service do that by itself.
import { Command } from 'commander';
import { loadConfig } from '../config.ts';
import { configFileOption, readConfigFile } from './config-file.ts';
import { UsageError } from './failure.ts';

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('Bring the schema of the database that the settings name up to date, all or nothing.')
    .addOption(configFileOption())
    .option('--json', 'print JSON')
    .action(migrate);
}

async function migrate({ config: path, json }: { config?: string; json?: true }): Promise<void> {
  const config = loadConfig(process.env, readConfigFile(path));
  if (config.storage === 'memory') throw new UsageError('memory storage has no schema to bring up to date');
  const { migrateConfigured } = await import('../opening.ts');
  const applied = await migrateConfigured(config);
  process.stdout.write(`${json ? JSON.stringify({ applied }) : told(applied)}\n`);
}

function told(applied: readonly string[]): string {
  if (applied.length === 0) return 'the schema is up to date; nothing was applied';
  return applied.map(name => `applied ${name}`).join('\n');
}
