// Owns the reading and writing of stored API keys: how a row becomes a key, and what of a key is kept as JSON.
import type { ApiKey, NewApiKey } from '../domain/api-key.ts';

export interface KeyRow {
  readonly id: string;
  readonly name: string;
  readonly hash: string;
  readonly scopes: string;
  readonly rate_limit: string | null;
  readonly managed_by: ApiKey['managedBy'];
  readonly created_at: number;
  readonly revoked_at: number | null;
  readonly revoked_by: string | null;
  readonly last_used_at: number | null;
}

export function keyFrom(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    scopes: JSON.parse(row.scopes),
    rateLimit: row.rate_limit === null ? null : JSON.parse(row.rate_limit),
    managedBy: row.managed_by,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    revokedBy: row.revoked_by,
    lastUsedAt: row.last_used_at,
  };
}

/** Scopes and rate limit. */
export function keyFacts({ scopes, rateLimit }: Pick<NewApiKey, 'scopes' | 'rateLimit'>): [string, string | null] {
  return [JSON.stringify(scopes), rateLimit && JSON.stringify(rateLimit)];
}
