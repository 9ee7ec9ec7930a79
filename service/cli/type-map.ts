// Owns `chokaq types`: the type keys of a running service as TypeScript, so that the SDK checks payloads by key.
import { typeMap } from '@chokaq/sdk/types';
import { Command } from 'commander';
import { clientOf, type ServiceAddress, withAddress } from './service-client.ts';

export function typesCommand(): Command {
  const command = new Command('types').description(
    'Print the registered type keys as TypeScript: chokaq types > jobs.d.ts, and the SDK checks payloads by key.',
  );
  return withAddress(command).action(async (address: ServiceAddress) => {
    const handlers = await clientOf(address).handlers.list().all();
    process.stdout.write(typeMap(handlers));
  });
}
