// Owns `chokaq serve`: the service in the foreground, until a signal ends it.
import { Command } from 'commander';
import { startConfig } from '../config.ts';
import { configFileOption, readConfigFile } from './config-file.ts';

export function serveCommand(): Command {
  return new Command('serve')
    .description('Run the service until SIGTERM or SIGINT. Settings: docs/configuration.md, or `chokaq config`.')
    .addOption(configFileOption())
    .action(serve);
}

async function serve(options: { config?: string }): Promise<void> {
  const start = startConfig(process.env, readConfigFile(options.config));
  // Only here, so that the other commands start without loading the service.
  const { runService } = await import('../main.ts');
  await runService(start);
}
