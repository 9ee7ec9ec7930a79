// Owns the retry arithmetic: how long to wait after the n-th failed attempt, and which settings hold for a job.

/** How often and how late an attempt is repeated. Durations in milliseconds; `maxAgeMs: null` means no age limit. */
export interface RetryPolicy {
  readonly baseMs: number;
  readonly factor: number;
  readonly maxMs: number;
  readonly jitterMs: number;
  readonly maxAgeMs: number | null;
}

/** All limits under which attempts of one job run, after job, handler, queue and service were asked in that order. */
export interface AttemptPolicy {
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  readonly retryOnTimeout: boolean;
  readonly retryOnZombie: boolean;
}

/** What a job, a handler, a queue or the service may say about attempts; whatever is absent is asked of the next in line. */
export interface AttemptOverrides {
  readonly maxAttempts?: number;
  readonly timeoutMs?: number;
  readonly retry?: Partial<RetryPolicy>;
  readonly retryOnTimeout?: boolean;
  readonly retryOnZombie?: boolean;
}

export const DEFAULT_ATTEMPT_POLICY: AttemptPolicy = {
  maxAttempts: 3,
  timeoutMs: 15 * 60_000,
  retry: { baseMs: 3_000, factor: 2, maxMs: 3_600_000, jitterMs: 1_000, maxAgeMs: 86_400_000 },
  retryOnTimeout: false,
  retryOnZombie: false,
};

/** Resolves field by field, the first of `layers` that has a value wins (job > handler > queue), `service` answers for the rest. */
export function resolvePolicy(service: AttemptPolicy, ...layers: readonly AttemptOverrides[]): AttemptPolicy {
  let resolved = service;
  for (const layer of layers.toReversed()) {
    resolved = {
      ...resolved,
      ...withoutAbsent(layer),
      retry: { ...resolved.retry, ...withoutAbsent(layer.retry ?? {}) },
    };
  }
  return resolved;
}

function withoutAbsent<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

/**
 * The wait in milliseconds after the `failed`-th failed attempt (1-based): `min(base × factor^(failed−1), max)`
 * plus `uniform[0, jitter]`, never above `max`. `random` is uniform in [0, 1).
 */
export function retryDelayMs(policy: RetryPolicy, failed: number, random: number): number {
  // 0 × Infinity would not be a number: without a base there is nothing to grow.
  const grown = policy.baseMs === 0 ? 0 : policy.baseMs * policy.factor ** (failed - 1);
  return Math.min(Math.round(Math.min(grown, policy.maxMs) + random * policy.jitterMs), policy.maxMs);
}

/** A wait the handler asked for, in milliseconds: at least 1 s, at most the policy's `max`, no jitter below it. */
export function requestedDelayMs(policy: RetryPolicy, askedMs: number): number {
  return Math.min(Math.max(askedMs, 1_000), Math.max(policy.maxMs, 1_000));
}
