// Owns the wrapper that lets a logical operation run once at a time, and not again after it has succeeded.
import { durationMs } from '../duration.ts';
import type { JobContext } from './context.ts';
import { ThrottledError } from './errors.ts';
import type { HandlerFunction } from './profile.ts';

export type ClaimOutcome = 'claimed' | 'completed' | 'busy';

/**
 * Where claims are kept. Every call is atomic. With SQL: a table (key primary key, owner, expires_at, completed), where
 * - `claim` inserts, or takes over a row that has expired, and tells what it found otherwise;
 * - `complete` and `release` change the row only where the owner is theirs, for another may have taken over.
 * With Redis: `SET key owner NX PX lease`, and scripts that compare the owner for the other two.
 */
export interface IdempotencyStore {
  claim(key: string, owner: string, leaseMs: number): Promise<ClaimOutcome>;
  /** Remembers the success for `ttlMs`. */
  complete(key: string, owner: string, ttlMs: number): Promise<void>;
  release(key: string, owner: string): Promise<void>;
}

export interface IdempotentOptions<Payload> {
  readonly store: IdempotencyStore;
  /** How long a success is remembered; 24 h unless given. */
  readonly ttl?: string | number;
  /** How long a claim holds without an end; by default until the deadline of the call, at least 1 min. */
  readonly lease?: string | number;
  /** The operation. By default the job's idempotency key; for a job without one, this run of this job. */
  readonly key?: (job: Payload, ctx: JobContext) => string;
}

const LEAST_LEASE_MS = 60_000;

/** A completed operation is answered as success without a call; one that another call is at, as throttled. */
export function idempotent<Payload>(
  handler: HandlerFunction<Payload>,
  { store, ttl = '24h', lease, key = operationOf }: IdempotentOptions<Payload>,
): HandlerFunction<Payload> {
  const ttlMs = durationMs(ttl, 'ttl');
  return async (job, ctx) => {
    const [operation, owner] = [key(job, ctx), crypto.randomUUID()];
    const leaseMs = lease === undefined ? untilDeadline(ctx) : durationMs(lease, 'lease');
    const outcome = await store.claim(operation, owner, leaseMs);
    if (outcome === 'completed') return 'done before';
    if (outcome === 'busy') throw new ThrottledError({ message: `another call is at ${operation}`, retryAfter: '5s' });
    try {
      const result = await handler(job, ctx);
      await store.complete(operation, owner, ttlMs);
      return result;
    } catch (error) {
      await store.release(operation, owner);
      throw error;
    }
  };
}

/** Two names that cannot meet: a key names an operation, an id a physical job. */
function operationOf(_job: unknown, { idempotencyKey, webhookId }: JobContext): string {
  return idempotencyKey === null ? `job:${webhookId}` : `key:${idempotencyKey}`;
}

function untilDeadline({ deadline }: JobContext): number {
  const ms = deadline.getTime() - Date.now();
  return Number.isFinite(ms) ? Math.max(LEAST_LEASE_MS, ms) : LEAST_LEASE_MS;
}

/** In the memory of one process: for tests, and to learn the interface from. */
export class MemoryIdempotencyStore implements IdempotencyStore {
  readonly #claims = new Map<string, { owner: string; expiresAt: number; isCompleted: boolean }>();

  async claim(key: string, owner: string, leaseMs: number): Promise<ClaimOutcome> {
    const held = this.#claims.get(key);
    if (held && held.expiresAt > Date.now()) return held.isCompleted ? 'completed' : 'busy';
    this.#claims.set(key, { owner, expiresAt: Date.now() + leaseMs, isCompleted: false });
    return 'claimed';
  }

  async complete(key: string, owner: string, ttlMs: number): Promise<void> {
    if (this.#claims.get(key)?.owner !== owner) return;
    this.#claims.set(key, { owner, expiresAt: Date.now() + ttlMs, isCompleted: true });
  }

  async release(key: string, owner: string): Promise<void> {
    if (this.#claims.get(key)?.owner === owner) this.#claims.delete(key);
  }
}
