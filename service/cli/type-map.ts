// Owns `chokaq types`: the type keys of a running service as TypeScript, so that the SDK checks payloads by key.
import { Command } from 'commander';
import { clientOf, type ServiceAddress, withAddress } from './service-client.ts';
import { typescriptOf } from './typescript-of.ts';

const HEAD = `// Written by \`chokaq types\`: the type keys that were registered, with the payloads that their schemas allow.
import '@chokaq/sdk';

declare module '@chokaq/sdk' {
  interface JobTypes {
`;
const TAIL = `  }
}
`;

export function typesCommand(): Command {
  const command = new Command('types').description(
    'Print the registered type keys as TypeScript: chokaq types > jobs.d.ts, and the SDK checks payloads by key.',
  );
  return withAddress(command).action(async (address: ServiceAddress) => {
    const handlers = await clientOf(address).handlers.list().all();
    process.stdout.write(typeMap(handlers));
  });
}

/** A module that adds to the SDK's `JobTypes`. The handler `*` lets every key in, with any payload. */
export function typeMap(handlers: readonly { readonly type: string; readonly schema: unknown }[]): string {
  const members = [...handlers]
    .sort((one, other) => (one.type < other.type ? -1 : 1))
    .map(({ type, schema }) => {
      const name = type === '*' ? '[type: string]' : JSON.stringify(type);
      return `    ${name}: ${type === '*' || schema === null ? 'unknown' : typescriptOf(schema, '    ')};\n`;
    });
  return HEAD + members.join('') + TAIL;
}
