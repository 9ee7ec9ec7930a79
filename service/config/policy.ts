// Owns the service's own limits on attempts, as they are configured now.
import type { Config } from '../config.ts';
import type { AttemptPolicy } from '../domain/retry.ts';

/** What holds when nobody else says otherwise, as the settings are at the time of each decision. */
export function servicePolicy(config: Config): AttemptPolicy {
  return {
    get maxAttempts() {
      return config.maxAttempts;
    },
    get timeoutMs() {
      return config.executionTimeoutMs;
    },
    get retry() {
      const { retryBaseMs, retryFactor, retryMaxMs, retryJitterMs, maxJobAgeMs } = config;
      return {
        baseMs: retryBaseMs,
        factor: retryFactor,
        maxMs: retryMaxMs,
        jitterMs: retryJitterMs,
        maxAgeMs: maxJobAgeMs,
      };
    },
    retryOnTimeout: false,
    retryOnZombie: false,
  };
}
