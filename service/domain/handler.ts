// Owns what a registered handler is: the webhook that one type key is delivered to, with its own limits.
import { DomainError } from './errors.ts';
import type { AttemptOverrides } from './retry.ts';

/** The type key of the handler that takes every type without a handler of its own. */
export const CATCH_ALL = '*';

/** Circuit breaker policy; durations in milliseconds. */
export interface CircuitPolicy {
  readonly failureThreshold: number;
  readonly windowMs: number;
  readonly breakTimeMs: number;
  readonly maxBreakTimeMs: number;
  readonly probeTimeoutMs: number;
}

/** When it last answered a call of a job, to within a minute or so, and with which status. */
export interface LastResponse {
  readonly status: number;
  readonly at: number;
}

export interface Handler {
  readonly type: string;
  readonly url: string;
  /** `whsec_` + base64 of 24..64 bytes. */
  readonly secret: string;
  /** The secret before the last change, still valid (both signatures are sent) until `previousSecretUntil`, epoch ms. */
  readonly previousSecret: string | null;
  readonly previousSecretUntil: number | null;
  readonly attempts: AttemptOverrides;
  /** Response statuses, besides the general table, that mean "this job can never work". */
  readonly fatalStatuses: readonly number[];
  readonly circuit: Partial<CircuitPolicy>;
  /** Extra request headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON Schema 2020-12 that payloads must satisfy, or null. */
  readonly schema: Readonly<Record<string, unknown>> | boolean | null;
  /** Calls in flight per node, or null for no limit besides the node's own. */
  readonly concurrency: number | null;
  readonly managedBy: 'api' | 'file';
  /** Null until it has answered. */
  readonly lastResponse: LastResponse | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Somebody was faster: what was decided by looking at the handler before no longer holds. */
export function handlerChanged(type: string): DomainError {
  const detail = `The handler of ${type} has been changed by somebody else at this moment. Read it, and send yours again if it is still meant.`;
  return new DomainError('conflict-state', detail);
}
