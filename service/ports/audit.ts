// Owns what the service asks of the storage of its audit log: who did what to what, and what came of it.

/** Never payloads, never secrets. */
export interface AuditEntry {
  /** The name of the API key, `anonymous`, `cli:<user>`, `file`, or `service`. */
  readonly actor: string;
  readonly keyId: string | null;
  /** Such as `queue.pause`; `access` for a refused request that is no action. */
  readonly action: string;
  /** The job, queue, handler, …; for refusals by scope the route. */
  readonly target: string | null;
  readonly filter: object | null;
  /** How many things changed, or null when it is not known yet. */
  readonly affected: number | null;
  /** `succeeded`, `accepted`, the code of the problem that it was answered with, or how a long action ended otherwise (`failed`, `cancelled`). */
  readonly outcome: string;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/** As stored. `count` is above 1 only for refusals by scope, which share a row per key, route and minute. */
export interface AuditRow extends AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly count: number;
}

/** Requests that were refused because their key lacks the scope, since the last time they were written down. */
export interface ScopeRefusals {
  readonly actor: string;
  readonly keyId: string;
  readonly action: string;
  /** Method and path template. */
  readonly route: string;
  readonly count: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface AuditFilter {
  readonly actor?: string;
  readonly action?: string;
  readonly target?: string;
  /** Instants, epoch ms; after is inclusive, before is exclusive. */
  readonly after?: number;
  readonly before?: number;
}

/** The last row of the page before. */
export interface AuditCursor {
  readonly at: number;
  readonly id: number;
}

export interface AuditPage {
  readonly items: readonly AuditRow[];
  readonly next: AuditCursor | null;
}

export interface AuditStore {
  /** Resolves once the row is durable. */
  record(entry: AuditEntry): Promise<void>;
  /** Adds to the row of the same key, route and minute. */
  refuse(refusals: readonly ScopeRefusals[]): Promise<void>;
  /** Newest first. A page may be short before the end: `next` tells. */
  list(filter: AuditFilter, limit: number, after: AuditCursor | null): Promise<AuditPage>;
}
