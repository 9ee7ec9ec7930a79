// Owns the verb that brings the registered handlers in line with a file: all of it or none, and no job is lost to it.
import { isDeepStrictEqual } from 'node:util';
import { DomainError, type Fault } from '../domain/errors.ts';
import type { Handler } from '../domain/handler.ts';
import type { Delivery } from '../ports/delivery.ts';
import type { Store } from '../ports/store.ts';
import type { Audit } from './audit.ts';
import { Faults } from './faults.ts';
import { type HandlerDraft, readHandlerDraft } from './handler-draft.ts';
import { schemaFaults, secretsOf } from './handlers.ts';

const FILE = 'file';

export interface FiledHandler {
  readonly type: string;
  readonly draft: HandlerDraft & { readonly secret: string };
  /** Its schema may refuse what the one before took. */
  readonly force: boolean;
}

/** Type keys, by what became of their handlers. */
export interface HandlerReconciliation {
  readonly created: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** No longer in the file, but jobs wait for them, run or are dead: operators have them now. */
  readonly released: readonly string[];
}

interface Parts {
  readonly store: Pick<Store, 'handlers' | 'clock'>;
  readonly delivery: Pick<Delivery, 'refusal'>;
  readonly audit: Pick<Audit, 'record'>;
}

export class FiledHandlers {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Handlers that were registered by hand become those of the file. Throws with every fault; a pointer begins with the entry. */
  async apply(wanted: readonly FiledHandler[]): Promise<HandlerReconciliation> {
    const { handlers } = await this.#parts.store.handlers.list();
    const stored = new Map(handlers.map(handler => [handler.type, handler]));
    const read = this.#read(wanted, stored);
    const [created, changed]: [string[], string[]] = [[], []];
    for (const handler of read) {
      const before = stored.get(handler.type);
      if (before && isSame(before, handler)) continue;
      const put = await this.#parts.store.handlers.put(handler);
      (put.created ? created : changed).push(handler.type);
      await this.#record('handler.put', handler.type, { created: put.created });
    }
    const named = new Set(wanted.map(({ type }) => type));
    const left = handlers.filter(({ type, managedBy }) => managedBy === FILE && !named.has(type));
    return { created, changed, ...(await this.#let(left)) };
  }

  #read(wanted: readonly FiledHandler[], stored: ReadonlyMap<string, Handler>): Handler[] {
    const { delivery, store } = this.#parts;
    const found: Fault[] = [];
    const read = wanted.map(({ type, draft, force }, at) => {
      const faults = new Faults();
      const handler = readHandlerDraft(type, draft, url => delivery.refusal(url), faults);
      const before = stored.get(type);
      const here = [...faults.found, ...(before && !force ? schemaFaults(before, handler) : [])];
      found.push(...here.map(fault => ({ ...fault, pointer: `#/${at}${fault.pointer?.slice(1) ?? ''}` })));
      const secrets = secretsOf(draft.secret, before, store.clock.now());
      return { ...handler, ...secrets, managedBy: FILE, lastResponse: null, createdAt: 0, updatedAt: 0 } as const;
    });
    if (found.length > 0) throw new DomainError('validation-failed', 'Correct the file of handlers.', found);
    return read;
  }

  /** Removes what the file no longer names, or hands it over when jobs depend on it. */
  async #let(left: readonly Handler[]): Promise<Pick<HandlerReconciliation, 'removed' | 'released'>> {
    const [removed, released]: [string[], string[]] = [[], []];
    for (const handler of left) {
      const { type } = handler;
      const isInUse = (await this.#parts.store.handlers.remove(type, false)) === 'in-use';
      if (isInUse) await this.#parts.store.handlers.put({ ...handler, managedBy: 'api' });
      (isInUse ? released : removed).push(type);
      await this.#record(isInUse ? 'handler.release' : 'handler.remove', type, null);
    }
    return { removed, released };
  }

  #record(action: string, target: string, details: Readonly<Record<string, unknown>> | null): Promise<void> {
    return this.#parts.audit.record({
      ...{ actor: FILE, keyId: null, action, target, filter: null },
      ...{ affected: 1, outcome: 'succeeded', requestId: null, details },
    });
  }
}

/** As they are stored: what is undefined is not there. */
function isSame(stored: Handler, wanted: Handler): boolean {
  const facts = ({ createdAt, updatedAt, lastResponse, ...rest }: Handler) => JSON.parse(JSON.stringify(rest));
  return isDeepStrictEqual(facts(stored), facts(wanted));
}
