// Owns the copy of the API keys that this process checks requests against, and the note of which were used.
import { hash } from 'node:crypto';
import type { Caller } from '../domain/access.ts';
import type { KeyStore } from '../ports/keys.ts';

export interface KeyHolder extends Caller {
  readonly keyId: string;
}

const TOUCH_EVERY_MS = 60_000;

export class KeyRing {
  readonly #keys: KeyStore;
  #holders = new Map<string, KeyHolder>();
  #ids = new Set<string>();
  #isRequired = false;
  #revision: number | null = null;
  #used = new Set<string>();
  #touchedAt = Number.NEGATIVE_INFINITY;

  constructor(keys: KeyStore) {
    this.#keys = keys;
  }

  /** True from the first key that was ever made, also when all are revoked. */
  get isRequired(): boolean {
    return this.#isRequired;
  }

  /** Whose secret this is, or null. The time it takes tells nothing: what is looked up is a hash that nobody can steer. */
  find(secret: string): KeyHolder | null {
    const holder = this.#holders.get(hash('sha256', secret, 'hex'));
    if (holder) this.#used.add(holder.keyId);
    return holder ?? null;
  }

  /** Whether the caller would still be let in; for answers that go on for long. */
  holds({ keyId }: Caller): boolean {
    return keyId === null ? !this.#isRequired : this.#ids.has(keyId);
  }

  /** Brings the copy up to date. */
  async load(): Promise<void> {
    const listed = await this.#keys.list(this.#revision);
    if (listed === null || listed.revision < (this.#revision ?? 0)) return;
    const held = listed.keys.filter(({ revokedAt }) => revokedAt === null);
    this.#holders = new Map(
      held.map(({ id: keyId, hash, name, scopes, rateLimit }) => [hash, { keyId, name, scopes, rateLimit }]),
    );
    this.#ids = new Set(held.map(({ id }) => id));
    this.#isRequired = listed.keys.length > 0;
    this.#revision = listed.revision;
  }

  /** To be called about once a second: takes up changes of other processes, and writes down now and then what was used. */
  async refresh(): Promise<void> {
    await this.load();
    if (this.#used.size === 0 || performance.now() - this.#touchedAt < TOUCH_EVERY_MS) return;
    const used = [...this.#used];
    this.#touchedAt = performance.now();
    this.#used.clear();
    // Only a note: it holds up nothing, and is lost rather than tried again.
    void this.#keys.touch(used).catch(() => undefined);
  }
}
