// Owns what the service asks of the storage of API keys.
import type { ApiKey, NewApiKey, Reconciliation } from '../domain/api-key.ts';

export interface KeyList {
  /** All keys ever made, oldest first, revoked ones included: one row is enough to require keys for ever. */
  readonly keys: readonly ApiKey[];
  /** Grows with every change of a key, by any node or command; being used is no change. */
  readonly revision: number;
}

export interface KeyStore {
  /** All keys, or null when nothing has changed since revision `unless`. */
  list(unless: number | null): Promise<KeyList | null>;
  /** Stores a key made on the command line, or answers `taken` when a key that holds has its name. */
  create(key: NewApiKey): Promise<ApiKey | 'taken'>;
  /** Revokes a key that holds, for ever; answers it, or null when there is none of this id that holds. */
  revoke(id: string, by: string): Promise<ApiKey | null>;
  /** Makes the stored keys of the file those that are wanted, as `reconcileKeys` says, or nothing when a name is taken. */
  reconcile(wanted: readonly NewApiKey[]): Promise<Reconciliation>;
  /** Notes that these keys are in use. */
  touch(ids: readonly string[]): Promise<void>;
}
