// Owns how a service comes to know the handlers of its file: read, judged as a whole, and brought in line with the store before anything is claimed.
import { Audit } from './application/audit.ts';
import { type FiledHandler, FiledHandlers, type HandlerReconciliation } from './application/filed-handlers.ts';
import { HandlersFile } from './config/handlers-file.ts';
import type { Config } from './config.ts';
import { DomainError } from './domain/errors.ts';
import type { Log } from './log.ts';
import type { Delivery } from './ports/delivery.ts';
import type { Store } from './ports/store.ts';

interface Foundation {
  readonly config: Config;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly log: Log;
}

/** Without a file nothing changes. Throws `ConfigError` with every fault of the file, each with its line. */
export async function registerFile({ config, store, delivery, log }: Foundation): Promise<void> {
  const { handlersFile: path } = config;
  if (path === null) return;
  const file = new HandlersFile(path, process.env);
  const handlers = new FiledHandlers({ store, delivery, audit: new Audit(store.audit, log) });
  const reconciled = await handlers.apply(file.entries as readonly FiledHandler[]).catch((error: unknown) => {
    throw error instanceof DomainError && error.code === 'validation-failed' ? file.refusal(error.faults) : error;
  });
  tell(reconciled, path, log);
}

function tell({ created, changed, removed, released }: HandlerReconciliation, path: string, log: Log): void {
  const counts = { created: created.length, changed: changed.length, removed: removed.length };
  log.event('handlersFromFile', { path, ...counts });
  for (const type of released) log.event('handlerReleased', { type, path });
}
