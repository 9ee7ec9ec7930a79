// Owns the finding of `chokaq.yaml`: in the working directory, or where `--config` says.
import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { UsageError } from './failure.ts';

const CONFIG_FILE = 'chokaq.yaml';

export function configFileOption(): Option {
  return new Option('--config <file>', `settings besides the environment (default: ./${CONFIG_FILE}, when it exists)`);
}

/** The text of the file, or undefined when there is none and none was asked for. */
export function readConfigFile(path: string | undefined): string | undefined {
  try {
    return readFileSync(path ?? CONFIG_FILE, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (path === undefined && code === 'ENOENT') return undefined;
    throw new UsageError(`${path ?? CONFIG_FILE} cannot be read: ${message}`);
  }
}
