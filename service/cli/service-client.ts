// Owns how commands reach a running service: the SDK's client, and the address options that all of them share.
import { ChokaQ, type ClientOptions } from '@chokaq/sdk';
import { type Command, Option } from 'commander';
import { UsageError } from './failure.ts';

export interface ServiceAddress {
  readonly url: string;
  readonly apiKey?: string;
}

export function withAddress(command: Command): Command {
  return command
    .addOption(new Option('--url <url>', 'the service').default('http://127.0.0.1:8080').env('CHOKAQ_URL'))
    .addOption(new Option('--api-key <key>', 'sent as Authorization: Bearer').env('CHOKAQ_API_KEY'));
}

export function clientOf({ url, apiKey }: ServiceAddress, more: Partial<ClientOptions> = {}): ChokaQ {
  const isUsable = URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
  if (!isUsable) throw new UsageError(`--url must be an http or https URL, not ${JSON.stringify(url)}`);
  return new ChokaQ({ url: url.replace(/\/+$/, ''), apiKey, ...more });
}
