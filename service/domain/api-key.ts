// Owns what an API key is, which secrets and names it may have, and how the keys of a file become the keys that are stored.
import { SCOPES, type Scope } from './access.ts';
import { nameFlaw } from './name.ts';
import type { RateLimit } from './rate-limit.ts';

/** A key as it is stored: its secret only as a hash. */
export interface ApiKey {
  readonly id: string;
  /** Unique among the keys that hold. */
  readonly name: string;
  /** SHA-256 of the secret, in hexadecimal. The secret has at least 160 random bits, so a slow hash would add nothing. */
  readonly hash: string;
  readonly scopes: readonly Scope[];
  readonly rateLimit: RateLimit | null;
  readonly managedBy: 'cli' | 'file';
  readonly createdAt: number;
  readonly revokedAt: number | null;
  readonly revokedBy: string | null;
  /** To within a minute or so. */
  readonly lastUsedAt: number | null;
}

/** What a key is made of; the rest is the store's. */
export type NewApiKey = Pick<ApiKey, 'id' | 'name' | 'hash' | 'scopes' | 'rateLimit'>;

const NAME_LENGTH = 100;
/** Names that the audit log uses for others. */
const OTHERS = /^(?:anonymous|service|file|cli:.*)$/is;
/** 27 characters of base64 hold 160 bits. */
const SECRET = /^ck_[A-Za-z0-9_-]{27,200}$/;
const HASH = /^[0-9a-f]{64}$/;

export const A_SECRET = 'ck_ and at least 27 of A-Z a-z 0-9 _ -, drawn at random';

export function keyNameFlaw(name: string): string | null {
  if (name.trim() !== name) return 'begins or ends with white space';
  return OTHERS.test(name) ? 'is reserved' : nameFlaw(name, NAME_LENGTH);
}

export function isSecret(text: string): boolean {
  return SECRET.test(text);
}

export function isHash(text: string): boolean {
  return HASH.test(text);
}

/** Stands for all of them, alone. */
const ALL = 'all';

/** The scopes in their own order, without repetition, or what is no scope. */
export function readScopes(
  names: readonly string[],
): { readonly scopes: readonly Scope[] } | { readonly flaw: string } {
  if (names.length === 1 && names[0] === ALL) return { scopes: SCOPES };
  const unknown = names.find(name => !SCOPES.some(scope => scope === name));
  if (unknown !== undefined)
    return { flaw: `${JSON.stringify(unknown)} is no scope; there are ${SCOPES.join(', ')}, and ${ALL} alone` };
  if (names.length === 0) return { flaw: `no scope is given; there are ${SCOPES.join(', ')}, and ${ALL} alone` };
  return { scopes: SCOPES.filter(scope => names.includes(scope)) };
}

/** What must change so that the stored keys of the file are those of the file. */
export interface Reconciliation {
  readonly created: readonly NewApiKey[];
  /** By the id of the stored key, which stays: the jobs that it made stay its own. */
  readonly changed: readonly NewApiKey[];
  readonly revoked: readonly ApiKey[];
  /** Named in the file, but revoked by a person: only another secret brings them back. */
  readonly stayRevoked: readonly ApiKey[];
  /** Names whose name or secret is that of another key; a revoked key's secret is never used again under another name. */
  readonly taken: readonly string[];
}

export const REVOKED_BY_FILE = 'file';

/** A key of the file is known again by its name. */
export function reconcileKeys(stored: readonly ApiKey[], wanted: readonly NewApiKey[]): Reconciliation {
  const found = { created: [], changed: [], stayRevoked: [], taken: [] } as {
    [Part in keyof Omit<Reconciliation, 'revoked'>]: Reconciliation[Part][number][];
  };
  const ofFile = new Map(stored.filter(isOfFile).map(key => [key.name, key]));
  for (const key of wanted) {
    const known = ofFile.get(key.name);
    const others = stored.filter(other => other !== known);
    if (others.some(other => other.hash === key.hash || holdsName(other, key.name))) found.taken.push(key.name);
    else if (known === undefined) found.created.push(key);
    else if (isRevokedByPerson(known) && known.hash === key.hash) found.stayRevoked.push(known);
    else if (known.revokedAt !== null || !isSame(known, key)) found.changed.push({ ...key, id: known.id });
  }
  const kept = new Set(wanted.map(({ name }) => name));
  const revoked = [...ofFile.values()].filter(key => key.revokedAt === null && !kept.has(key.name));
  return { ...found, revoked };
}

function isOfFile({ managedBy }: ApiKey): boolean {
  return managedBy === 'file';
}

function holdsName({ name, managedBy, revokedAt }: ApiKey, wanted: string): boolean {
  return name === wanted && managedBy === 'cli' && revokedAt === null;
}

function isRevokedByPerson({ revokedAt, revokedBy }: ApiKey): boolean {
  return revokedAt !== null && revokedBy !== REVOKED_BY_FILE;
}

function isSame(stored: ApiKey, wanted: NewApiKey): boolean {
  const facts = ({ hash, scopes, rateLimit }: NewApiKey) => JSON.stringify([hash, scopes, rateLimit]);
  return facts(stored) === facts(wanted);
}
