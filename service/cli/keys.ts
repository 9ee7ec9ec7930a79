// Owns `chokaq keys`: API keys made, listed and revoked in the store itself, whether or not the service runs.
import { Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config.ts';
import { SCOPES } from '../domain/access.ts';
import { type ApiKey, readScopes } from '../domain/api-key.ts';
import { DomainError } from '../domain/errors.ts';
import { formatInstant } from '../domain/instant.ts';
import { A_RATE_LIMIT, formatRateLimit, parseRateLimit, type RateLimit } from '../domain/rate-limit.ts';
import { createLog } from '../log.ts';
import { actor } from './actor.ts';
import { configFileOption, readConfigFile } from './config-file.ts';
import { UsageError } from './failure.ts';

interface Shared {
  readonly config?: string;
  readonly json?: true;
}

interface CreateOptions extends Shared {
  readonly scopes: readonly string[];
  readonly rateLimit?: RateLimit;
}

interface ListOptions extends Shared {
  readonly all?: true;
}

export function keysCommand(): Command {
  return new Command('keys')
    .description(
      'Make, list and revoke API keys, in the store that the settings name. A running service follows within 2 s.',
    )
    .addCommand(
      sharing('create', 'Make a key. Its secret is printed this once, alone on standard output.')
        .argument('<name>', 'who will use it; unique among the keys that hold')
        .requiredOption('--scopes <list>', `separated by commas, or all: ${SCOPES.join(', ')}`, parseScopes)
        .option('--rate-limit <limit>', 'requests per duration and node, such as 100/1m', parseLimit)
        .action(create),
    )
    .addCommand(
      sharing('list', 'List the keys, without their secrets.').option('--all', 'revoked ones too').action(list),
    )
    .addCommand(sharing('revoke', 'Revoke a key, for ever.').argument('<key>', 'its name or id').action(revoke));
}

function sharing(name: string, description: string): Command {
  return new Command(name).description(description).addOption(configFileOption()).option('--json', 'print JSON');
}

async function create(name: string, { scopes, rateLimit, ...shared }: CreateOptions): Promise<void> {
  await atDesk(shared, async keys => {
    const { key, secret } = await keys.create({ name, scopes, rateLimit: rateLimit ?? null }, actor());
    if (shared.json) return print(JSON.stringify({ ...shown(key), key: secret }, null, 2));
    process.stderr.write(`API key ${name} (${key.scopes.join(', ')}); it cannot be shown again:\n`);
    print(secret);
  });
}

async function list({ all, ...shared }: ListOptions): Promise<void> {
  await atDesk(shared, async keys => {
    const listed = (await keys.list()).filter(({ revokedAt }) => all || revokedAt === null).map(shown);
    print(shared.json ? JSON.stringify(listed, null, 2) : table(listed, all === true));
  });
}

async function revoke(key: string, shared: Shared): Promise<void> {
  await atDesk(shared, async keys => {
    const revoked = await keys.revoke(key, actor());
    if (shared.json) return print(JSON.stringify(shown(revoked), null, 2));
    print(`${revoked.name} (${revoked.id}) is revoked; running services refuse it within 2 s`);
    if (revoked.managedBy === 'file')
      print('Take it out of the file of API keys too: there only another secret brings it back.');
  });
}

type Desk = Awaited<ReturnType<typeof import('../access.ts')['openKeyDesk']>>;

async function atDesk({ config: path }: Shared, work: (keys: Desk['keys']) => Promise<void>): Promise<void> {
  const config = loadConfig(process.env, readConfigFile(path));
  if (config.storage === 'memory')
    throw new UsageError('memory storage keeps no API keys; name a file of them in CHOKAQ_API_KEYS_FILE');
  const { openKeyDesk } = await import('../access.ts');
  const desk = await openKeyDesk(config, createLog('warn', process.stderr));
  try {
    await work(desk.keys);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'validation-failed') throw new UsageError(error.message);
    throw error;
  } finally {
    await desk.close();
  }
}

function shown(key: ApiKey) {
  const { id, name, scopes, rateLimit, managedBy, createdAt, revokedAt, revokedBy, lastUsedAt } = key;
  return {
    ...{ id, name, scopes },
    rateLimit: rateLimit && formatRateLimit(rateLimit),
    managedBy,
    createdAt: formatInstant(createdAt),
    lastUsedAt: lastUsedAt === null ? null : formatInstant(lastUsedAt),
    revokedAt: revokedAt === null ? null : formatInstant(revokedAt),
    revokedBy,
  };
}

function table(keys: readonly ReturnType<typeof shown>[], withRevoked: boolean): string {
  if (keys.length === 0) return 'no API key holds';
  const heading = ['NAME', 'SCOPES', 'RATE LIMIT', 'MANAGED BY', 'CREATED', 'LAST USED', 'ID'];
  const rows = keys.map(key => [
    ...[key.name, key.scopes.join(','), key.rateLimit ?? '–', key.managedBy],
    ...[key.createdAt, key.lastUsedAt ?? '–', key.id],
    ...(withRevoked ? [key.revokedAt ?? '–'] : []),
  ]);
  const all = [[...heading, ...(withRevoked ? ['REVOKED'] : [])], ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map(row => row[column]?.length ?? 0)));
  return all
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function parseScopes(text: string): string[] {
  const read = readScopes(text.split(',').map(name => name.trim()));
  if ('scopes' in read) return [...read.scopes];
  throw new InvalidArgumentError(`${read.flaw}.`);
}

function parseLimit(text: string): RateLimit {
  const limit = parseRateLimit(text);
  if (limit === undefined) throw new InvalidArgumentError(`It must be ${A_RATE_LIMIT}.`);
  return limit;
}
