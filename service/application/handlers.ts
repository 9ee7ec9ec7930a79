// Owns the verbs of the handler registry: list, read, put, remove, test.
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { DomainError, type Fault } from '../domain/errors.ts';
import { type Handler, handlerChanged } from '../domain/handler.ts';
import { incompatibilities } from '../domain/schema-compatibility.ts';
import type { Delivery, PingAnswer } from '../ports/delivery.ts';
import type { Operation } from '../ports/operations.ts';
import type { Store } from '../ports/store.ts';
import { Faults } from './faults.ts';
import { type HandlerDraft, type ReadHandler, readHandlerDraft } from './handler-draft.ts';
import type { Operations } from './operations.ts';
import type { HandlerRegistry } from './registry.ts';

const SECRET_BYTES = 32;
/** How long the secret before a change stays valid. */
const SECRET_OVERLAP_MS = 86_400_000;
const MOST_SCHEMA_FAULTS = 100;
/** Others may change a handler while somebody's change is judged; after so many lost races the caller is told. */
const TRIES = 5;

interface HandlerParts {
  readonly store: Pick<Store, 'handlers' | 'clock'>;
  readonly operations: Pick<Operations, 'carryOut' | 'rejectionOf'>;
  readonly registry: HandlerRegistry;
  readonly delivery: Pick<Delivery, 'refusal' | 'ping'>;
}

export interface PutHandler {
  readonly handler: Handler;
  readonly created: boolean;
  /** The secret if this call set it; otherwise nobody sees it any more. */
  readonly secret: string | null;
}

export class Handlers {
  readonly #parts: HandlerParts;

  constructor(parts: HandlerParts) {
    this.#parts = parts;
  }

  async list(): Promise<readonly Handler[]> {
    return (await this.#parts.store.handlers.list()).handlers;
  }

  async get(type: string): Promise<Handler> {
    return (await this.#stored(type)) ?? absent(type);
  }

  /** Registers or replaces. `force` accepts a schema that may refuse what the old one took. */
  async put(type: string, draft: HandlerDraft, force: boolean): Promise<PutHandler> {
    const { store, delivery } = this.#parts;
    const faults = new Faults();
    const read = readHandlerDraft(type, draft, url => delivery.refusal(url), faults);
    faults.check();
    const first = await this.#stored(read.type);
    for (let tries = 1, stored = first; ; tries += 1, stored = await this.#stored(read.type)) {
      if (isSecretRaced(draft.secret, first, stored)) throw handlerChanged(read.type);
      if (stored?.managedBy === 'file') throw managedByFile(read.type);
      if (stored && !force) checkSchema(stored, read);
      const put = await this.#replace(stored, { ...read, ...secretsOf(draft.secret, stored, store.clock.now()) });
      if (put !== null) return put;
      if (tries === TRIES) throw handlerChanged(read.type);
    }
  }

  /** Null when it is no longer the one that was looked at. */
  async #replace(stored: Handler | undefined, wanted: Wanted): Promise<PutHandler | null> {
    const whole = { ...wanted, managedBy: 'api', lastResponse: null, createdAt: 0, updatedAt: 0 } as const;
    const put = await this.#parts.store.handlers.put(whole, stored?.updatedAt ?? null).catch(nullIfChanged);
    if (put === null) return null;
    await this.#reload();
    return { ...put, secret: wanted.secret === stored?.secret ? null : wanted.secret };
  }

  /** Removes it, unless jobs of its type wait, run or are dead. */
  async remove(type: string): Promise<void> {
    const stored = (await this.#stored(type)) ?? absent(type);
    if (stored.managedBy === 'file') throw managedByFile(type);
    const removed = await this.#parts.store.handlers.remove(type, false);
    if (removed === 'in-use') throw inUse(type);
    if (removed === 'absent') absent(type);
    await this.#reload();
  }

  /**
   * Removes it although there are jobs of its type: those that wait and that no other handler takes die by an operation, which
   * is the answer; null when there are none. Asked again while that operation goes on, it answers where it stands; asked later,
   * it takes what waits without a handler.
   */
  async removeByForce(type: string, by: string): Promise<Operation | null> {
    const { store, operations } = this.#parts;
    const stored = await this.#stored(type);
    if (stored?.managedBy === 'file') throw managedByFile(type);
    const running = stored === undefined ? await operations.rejectionOf(type) : undefined;
    if (running !== undefined) return running;
    const id = uuidv7();
    const removed = await operations.carryOut(id, owner => store.handlers.remove(type, true, { id, by, owner }));
    if (removed === 'absent') absent(type);
    await this.#reload();
    return typeof removed === 'string' ? null : removed;
  }

  async test(type: string): Promise<PingAnswer> {
    return this.#parts.delivery.ping(await this.get(type));
  }

  /** The change is made: a copy that cannot be read anew now is read anew with the next claim. */
  async #reload(): Promise<void> {
    await this.#parts.registry.load().catch((error: unknown) => {
      if (!(error instanceof DomainError)) throw error;
    });
  }

  async #stored(type: string): Promise<Handler | undefined> {
    return (await this.list()).find(handler => handler.type === type);
  }
}

type Secrets = Pick<Handler, 'secret' | 'previousSecret' | 'previousSecretUntil'>;
type Wanted = ReadHandler & Secrets;

/** Another secret came in between: to set this one too would end the one that both callers mean to leave valid for a day. */
function isSecretRaced(wanted: string | undefined, first: Handler | undefined, stored: Handler | undefined): boolean {
  return wanted !== undefined && wanted !== stored?.secret && first?.secret !== stored?.secret;
}

function nullIfChanged(error: unknown): null {
  if (error instanceof DomainError && error.code === 'conflict-state') return null;
  throw error;
}

/** What the secrets become; one that is replaced stays valid for a while. */
export function secretsOf(wanted: string | undefined, stored: Handler | undefined, now: number): Secrets {
  if (!stored) {
    const secret = wanted ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    return { secret, previousSecret: null, previousSecretUntil: null };
  }
  const { secret, previousSecret, previousSecretUntil } = stored;
  if (wanted === undefined || wanted === secret) return { secret, previousSecret, previousSecretUntil };
  return { secret: wanted, previousSecret: secret, previousSecretUntil: now + SECRET_OVERLAP_MS };
}

/** In which ways the schema may refuse what the stored one took. */
export function schemaFaults(stored: Handler, read: ReadHandler): readonly Fault[] {
  const found = incompatibilities(stored.schema ?? true, read.schema ?? true);
  return found.slice(0, MOST_SCHEMA_FAULTS).map(detail => ({ detail, pointer: '#/schema' }));
}

function checkSchema(stored: Handler, read: ReadHandler): void {
  const faults = schemaFaults(stored, read);
  if (faults.length === 0) return;
  const detail =
    'Payloads that were accepted may be refused now. Register the new schema under a new type key (email.send.v2 after email.send.v1), or replace it with force=true.';
  throw new DomainError('schema-incompatible', detail, faults);
}

function absent(type: string): never {
  throw new DomainError('not-found', `There is no handler for ${type}. Register one with PUT /handlers/{type}.`);
}

function managedByFile(type: string): DomainError {
  const detail = `The handler of ${type} comes from the file of handlers. Change it there and restart; a file that does not name it gives it up.`;
  return new DomainError('handler-managed-by-file', detail);
}

function inUse(type: string): DomainError {
  const detail = `Jobs of type ${type} wait, run or are dead. Let them finish, or remove the handler with force=true: then waiting jobs die.`;
  return new DomainError('handler-in-use', detail);
}
