// Owns the verbs on API keys: make, list, revoke, and bring in line with a file; each is in the audit log.
import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { type ApiKey, keyNameFlaw, type NewApiKey, type Reconciliation, readScopes } from '../domain/api-key.ts';
import { DomainError } from '../domain/errors.ts';
import { formatRateLimit, type RateLimit } from '../domain/rate-limit.ts';
import type { KeyStore } from '../ports/keys.ts';
import type { Audit } from './audit.ts';

const SECRET_BYTES = 32;
const FILE = 'file';

export interface KeyDraft {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly rateLimit: RateLimit | null;
}

export interface MadeKey {
  readonly key: ApiKey;
  /** Known only now: the store has its hash. */
  readonly secret: string;
}

export class ApiKeys {
  readonly #keys: KeyStore;
  readonly #audit: Pick<Audit, 'record'>;

  constructor(keys: KeyStore, audit: Pick<Audit, 'record'>) {
    this.#keys = keys;
    this.#audit = audit;
  }

  /** Oldest first, revoked ones included. */
  async list(): Promise<readonly ApiKey[]> {
    return (await this.#keys.list(null))?.keys ?? [];
  }

  async create(draft: KeyDraft, by: string): Promise<MadeKey> {
    const flaw = keyNameFlaw(draft.name);
    if (flaw !== null) throw refusal(`The name ${flaw}. Give it another one.`);
    const read = readScopes(draft.scopes);
    if ('flaw' in read) throw refusal(`${read.flaw}.`);
    const secret = `ck_${randomBytes(SECRET_BYTES).toString('base64url')}`;
    const { name, rateLimit } = draft;
    const wanted = { id: v7(), name, hash: hash('sha256', secret, 'hex'), scopes: read.scopes, rateLimit };
    const key = await this.#keys.create(wanted);
    if (key === 'taken') throw refusal(`A key named ${name} exists. Revoke it first, or choose another name.`);
    await this.#record('key.create', key, by);
    return { key, secret };
  }

  /** By name or id; for ever. */
  async revoke(nameOrId: string, by: string): Promise<ApiKey> {
    const held = (await this.list()).filter(({ revokedAt }) => revokedAt === null);
    const found = held.find(({ id }) => id === nameOrId) ?? held.find(({ name }) => name === nameOrId);
    const revoked = found && (await this.#keys.revoke(found.id, by));
    if (!revoked) throw refusal(`There is no key ${nameOrId} that holds. chokaq keys list shows those there are.`);
    await this.#record('key.revoke', revoked, by);
    return revoked;
  }

  /** The keys of the file, whatever they were before. Throws when a name or a secret belongs to another key. */
  async applyFile(wanted: readonly NewApiKey[]): Promise<Reconciliation> {
    const reconciled = await this.#keys.reconcile(wanted);
    const { created, changed, revoked, taken } = reconciled;
    if (taken.length > 0) {
      const names = taken.join(', ');
      throw refusal(`The name or the secret of ${names} belongs to another key. Revoke that one, or change the file.`);
    }
    for (const key of created) await this.#record('key.create', key, FILE);
    for (const key of changed) await this.#record('key.change', key, FILE);
    for (const key of revoked) await this.#record('key.revoke', key, FILE);
    return reconciled;
  }

  #record(action: string, { id, name, scopes, rateLimit }: NewApiKey, actor: string): Promise<void> {
    const details = { id, scopes, rateLimit: rateLimit && formatRateLimit(rateLimit) };
    return this.#audit.record({
      ...{ actor, keyId: null, action, target: name, filter: null },
      ...{ affected: 1, outcome: 'succeeded', requestId: null, details },
    });
  }
}

function refusal(detail: string): DomainError {
  return new DomainError('validation-failed', detail);
}
