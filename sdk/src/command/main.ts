#!/usr/bin/env node
// Owns `npx chokaq types` where only the SDK is installed; in a clone of the service its whole command line takes over.
import { ChokaQ } from '../client.ts';
import { typeMap } from './type-map.ts';

/** The part of Node.js that is used here; the rest of the SDK needs none of it. */
declare const process: {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void };
  exitCode: number;
};

const USAGE = `Usage: chokaq types [--url <url>] [--api-key <key>] > jobs.d.ts

Prints the type keys that are registered with a running service as TypeScript: with that file in the program, the SDK
checks payloads by key. CHOKAQ_URL and CHOKAQ_API_KEY stand for the options. All other commands are those of the service.
`;
const SERVICE = new URL('../../../dist/service/cli/main.js', import.meta.url);
const OPTIONS = { '--url': 'url', '--api-key': 'apiKey' } as const;

interface Address {
  url: string;
  apiKey: string | undefined;
}

/** Null when the arguments are none of this command. */
function addressIn(args: readonly string[]): Address | null {
  const { CHOKAQ_URL: url = 'http://127.0.0.1:8080', CHOKAQ_API_KEY: apiKey } = process.env;
  const address: Address = { url, apiKey };
  for (let at = 0; at < args.length; at++) {
    const [name = '', inline] = (args[at] ?? '').split(/=(.*)/s);
    const value = inline ?? args[++at];
    if (!(name in OPTIONS) || value === undefined) return null;
    address[OPTIONS[name as keyof typeof OPTIONS]] = value;
  }
  return address;
}

async function printTypes(args: readonly string[]): Promise<void> {
  const address = addressIn(args);
  if (address === null) return tell(USAGE);
  try {
    process.stdout.write(typeMap(await new ChokaQ({ ...address, retryFor: 0 }).handlers.list().all()));
  } catch (error) {
    tell(`chokaq: ${(error as Error).message}\n`);
  }
}

function tell(text: string): void {
  process.stderr.write(text);
  process.exitCode = 1;
}

async function hasService(): Promise<boolean> {
  try {
    await import(SERVICE.href);
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return false;
    throw error;
  }
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'types') await printTypes(rest);
else if (!(await hasService())) tell(USAGE);
