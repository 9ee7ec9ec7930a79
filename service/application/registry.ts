// Owns the copy of the handlers that this process works with, and their compiled payload schemas.
import { CATCH_ALL, type Handler } from '../domain/handler.ts';
import type { Job } from '../domain/job.ts';
import type { HandlerStore } from '../ports/store.ts';
import { compileSchema, type PayloadCheck } from './payload-schema.ts';

export class HandlerRegistry {
  readonly #handlers: HandlerStore;
  /** What holds for a job when neither it nor its handler says how often it is tried. */
  readonly #service: { readonly maxAttempts: number };
  readonly #checks = new WeakMap<object, PayloadCheck>();
  #byType = new Map<string, Handler>();
  #limited: readonly string[] = [];
  #revision = -1;
  #searching: Promise<void> | undefined;

  constructor(handlers: HandlerStore, service: { readonly maxAttempts: number }) {
    this.#handlers = handlers;
    this.#service = service;
  }

  /** The revision of the copy; older than a claim's `handlersRevision` means it must be loaded again. */
  get revision(): number {
    return this.#revision;
  }

  /** The type keys of handlers that have a concurrency of their own. */
  get limited(): readonly string[] {
    return this.#limited;
  }

  /** Brings the copy up to date. An older answer never replaces a newer one. */
  async load(): Promise<void> {
    const { handlers, revision } = await this.#handlers.list();
    if (revision < this.#revision) return;
    this.#byType = new Map(handlers.map(handler => [handler.type, this.#known(handler)]));
    this.#limited = handlers.filter(handler => handler.concurrency !== null).map(handler => handler.type);
    this.#revision = revision;
  }

  /** Looks whether another node has registered handlers; searches at the same time share one read. */
  search(): Promise<void> {
    this.#searching ??= this.load().finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  all(): readonly Handler[] {
    return [...this.#byType.values()];
  }

  /** The handler registered under exactly this type key. */
  own(type: string): Handler | undefined {
    return this.#byType.get(type);
  }

  /** The handler that serves the type: its own, else the catch-all. */
  find(type: string): Handler | undefined {
    return this.#byType.get(type) ?? this.#byType.get(CATCH_ALL);
  }

  /** Why the payload breaks the handler's schema, or null when it does not. */
  flaw(handler: Handler, payload: Uint8Array): string | null {
    const { schema } = handler;
    if (schema === null || schema === true) return null;
    if (schema === false) return 'is refused: the handler takes no payload at all';
    let check = this.#checks.get(schema);
    if (check === undefined) {
      check = compileSchema(schema);
      this.#checks.set(schema, check);
    }
    return check(payload);
  }

  /** How many attempts the job has in all, as things stand now. */
  maxAttempts(job: Pick<Job, 'type' | 'overrides'>): number {
    return job.overrides.maxAttempts ?? this.find(job.type)?.attempts.maxAttempts ?? this.#service.maxAttempts;
  }

  /** An unchanged handler stays the same object, so that its schema is compiled once. */
  #known(handler: Handler): Handler {
    const known = this.#byType.get(handler.type);
    return known?.updatedAt === handler.updatedAt && JSON.stringify(known) === JSON.stringify(handler)
      ? known
      : handler;
  }
}
