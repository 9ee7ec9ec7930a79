// Owns what the engine asks of the registered handlers; `application/handlers.ts` answers from a copy held in memory.
import type { Handler } from '../domain/handler.ts';

export interface Registry {
  /** The revision of the copy; older than a claim's `handlersRevision` means it must be loaded again. */
  readonly revision: number;
  load(): Promise<void>;
  /** The type keys of handlers that have a concurrency of their own. */
  readonly limited: readonly string[];
  /** The type's own handler, else the catch-all, else undefined. */
  find(type: string): Handler | undefined;
  /** Why the payload breaks the handler's schema, or null when it does not. */
  flaw(handler: Handler, payload: Uint8Array): string | null;
}
