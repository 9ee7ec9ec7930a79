// Owns the file of API keys: what it may say, and what is wrong with it, without ever repeating a secret.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { v7 } from 'uuid';
import { parseDocument } from 'yaml';
import { ConfigError } from '../config.ts';
import { A_SECRET, isHash, isSecret, keyNameFlaw, type NewApiKey, readScopes } from '../domain/api-key.ts';
import { A_RATE_LIMIT, parseRateLimit, type RateLimit } from '../domain/rate-limit.ts';

const SETTING = 'CHOKAQ_API_KEYS_FILE';
const MEMBERS = ['name', 'scopes', 'rateLimit', 'hash', 'key', 'keyFile'];

/** Throws `ConfigError` with every fault. */
export function readKeysFile(path: string): NewApiKey[] {
  const faults: string[] = [];
  const keys = entriesOf(path, faults).map((entry, at) => {
    const faultsHere: string[] = [];
    const key = readEntry(entry, faultsHere);
    faults.push(...faultsHere.map(fault => `keys[${at}] ${fault}`));
    return key;
  });
  for (const part of ['name', 'hash'] as const) {
    const values = keys.map(key => key[part]);
    const again = values.findIndex((value, at) => value !== '' && values.indexOf(value) !== at);
    const what = part === 'name' ? 'the name' : 'the secret';
    if (again !== -1) faults.push(`keys[${again}] has ${what} of another key in the file`);
  }
  if (faults.length > 0) throw new ConfigError(faults.map(fault => `${SETTING}: ${path}: ${fault}.`));
  return keys;
}

function entriesOf(path: string, faults: string[]): readonly unknown[] {
  const document = parseDocument(readText(path, faults));
  // The parser's own messages quote the line, which may hold a secret.
  const places = document.errors.map(({ linePos }) => `line ${linePos?.[0].line ?? 1} is not YAML`);
  faults.push(...places);
  if (faults.length > 0) return [];
  const content: unknown = document.toJS();
  const entries = isObject(content) && Object.keys(content).join() === 'keys' ? content.keys : undefined;
  if (Array.isArray(entries)) return entries;
  faults.push('must hold a list under `keys`, and nothing else');
  return [];
}

function readEntry(entry: unknown, faults: string[]): NewApiKey {
  if (!isObject(entry)) faults.push('is not a key with name, scopes, and hash, key or keyFile');
  const { name, scopes, rateLimit, ...given } = isObject(entry) ? entry : {};
  const strange = Object.keys(given).filter(member => !MEMBERS.includes(member));
  if (strange.length > 0) faults.push(`has members that mean nothing: ${strange.join(', ')}`);
  return {
    id: v7(),
    name: readName(name, faults),
    hash: readHash(given, faults),
    scopes: readScopeList(scopes, faults),
    rateLimit: readLimit(rateLimit, faults),
  };
}

function readName(name: unknown, faults: string[]): string {
  const flaw = typeof name === 'string' ? keyNameFlaw(name) : 'is not a text';
  if (flaw !== null) faults.push(`has a name that ${flaw}`);
  return typeof name === 'string' ? name : '';
}

function readScopeList(scopes: unknown, faults: string[]): NewApiKey['scopes'] {
  const read = Array.isArray(scopes) ? readScopes(scopes.map(String)) : { flaw: 'scopes is not a list' };
  if ('scopes' in read) return read.scopes;
  faults.push(`is wrong: ${read.flaw}`);
  return [];
}

function readLimit(text: unknown, faults: string[]): RateLimit | null {
  if (text === undefined || text === null) return null;
  const limit = typeof text === 'string' ? parseRateLimit(text) : undefined;
  if (limit === undefined) faults.push(`has a rateLimit that is not ${A_RATE_LIMIT}`);
  return limit ?? null;
}

/** Exactly one of the three; none of them is ever repeated in a message. */
function readHash({ hash, key, keyFile }: Readonly<Record<string, unknown>>, faults: string[]): string {
  if ([hash, key, keyFile].filter(one => one !== undefined).length !== 1) {
    faults.push('needs exactly one of hash, key and keyFile');
    return '';
  }
  if (hash !== undefined) {
    const lower = String(hash).toLowerCase();
    if (!isHash(lower)) faults.push('has a hash that is not the SHA-256 of a secret, in 64 hexadecimal digits');
    return lower;
  }
  const secret = keyFile === undefined ? String(key) : readText(String(keyFile), faults).trim();
  if (!isSecret(secret)) faults.push(`has a secret that is not ${A_SECRET}`);
  return createHash('sha256').update(secret).digest('hex');
}

function readText(path: string, faults: string[]): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    faults.push(`cannot be read: ${(error as Error).message}`);
    return '';
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
