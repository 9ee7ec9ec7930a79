// Owns the audit log as a verb: what was done is written down without ever standing in the way of it, and can be read.
import type { Caller, Scope } from '../domain/access.ts';
import { DomainError } from '../domain/errors.ts';
import type { Log } from '../log.ts';
import type { AuditCursor, AuditEntry, AuditFilter, AuditPage, AuditStore, ScopeRefusals } from '../ports/audit.ts';

/** What was asked for with a key that may not. */
export interface ScopeRefusal {
  readonly caller: Caller & { readonly keyId: string };
  readonly action: string;
  readonly route: string;
  readonly needed: readonly Scope[];
  readonly address: string | null;
}

export class Audit {
  readonly #store: AuditStore;
  readonly #log: Log;
  #refusals = new Map<string, ScopeRefusals>();

  constructor(store: AuditStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Never rejects: the action has happened whether or not it can be written down. The log then has what the audit log lacks. */
  async record(entry: AuditEntry): Promise<void> {
    try {
      await this.#store.record(entry);
    } catch (err) {
      const { actor, action, target, outcome, requestId } = entry;
      this.#log.event('auditFailed', { actor, action, target, outcome, requestId, err });
    }
  }

  /** Counted here and written once a second, so that a client that hammers on a closed door costs no write per knock. */
  countRefusal({ caller, action, route, needed, address }: ScopeRefusal): void {
    const { keyId, name: actor } = caller;
    const id = JSON.stringify([keyId, route]);
    const count = (this.#refusals.get(id)?.count ?? 0) + 1;
    this.#refusals.set(id, { actor, keyId, action, route, count, details: { needed, address } });
  }

  /** To be called about once a second, and at the end. What could not be written is counted on. */
  async refresh(): Promise<void> {
    if (this.#refusals.size === 0) return;
    const refusals = this.#refusals;
    this.#refusals = new Map();
    try {
      await this.#store.refuse([...refusals.values()]);
    } catch (error) {
      for (const [id, refusal] of refusals) {
        const count = refusal.count + (this.#refusals.get(id)?.count ?? 0);
        this.#refusals.set(id, { ...refusal, count });
      }
      throw error;
    }
  }

  list(filter: AuditFilter, limit: number, after: AuditCursor | null): Promise<AuditPage> {
    const { after: from, before } = filter;
    if (from === undefined || before === undefined || from < before) return this.#store.list(filter, limit, after);
    const fault = { detail: 'must be later than the start of the range', parameter: 'before' };
    throw new DomainError('malformed-request', 'Give a range that begins before it ends.', [fault]);
  }
}
