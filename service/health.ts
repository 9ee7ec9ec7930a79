// Owns what this node says of its own health: alive without asking anybody, ready only when it can do its work.
import type { Engine } from './engine/engine.ts';
import type { Store } from './ports/store.ts';

interface HealthReport {
  /** `degraded` works, only slower than it might. */
  readonly status: 'ok' | 'degraded' | 'failed';
  readonly checks: Readonly<Record<string, string>>;
}

/** A store that takes longer than this to answer is as good as away. */
const STORE_ANSWERS_WITHIN_MS = 2_000;

export class NodeHealth {
  readonly #store: Store;
  readonly #engine: Engine;
  readonly #stopping: AbortSignal;

  constructor(store: Store, engine: Engine, stopping: AbortSignal) {
    this.#store = store;
    this.#engine = engine;
    this.#stopping = stopping;
  }

  live(): HealthReport {
    return { status: 'ok', checks: { process: 'ok' } };
  }

  async ready(): Promise<HealthReport> {
    const faults: Record<string, string> = {
      shutdown: this.#stopping.aborted ? 'the service is shutting down' : 'ok',
      storage: await this.#storage(),
      claimLoop: 'ok',
      heartbeat: 'ok',
      ...this.#engine.faults(),
    };
    const isReady = Object.values(faults).every(state => state === 'ok');
    const load = this.#engine.strain();
    const status = isReady ? (load === null ? 'ok' : 'degraded') : 'failed';
    return { status, checks: { ...faults, load: load ?? 'ok' } };
  }

  async #storage(): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>(resolve => {
      timer = setTimeout(() => resolve(`no answer within ${STORE_ANSWERS_WITHIN_MS} ms`), STORE_ANSWERS_WITHIN_MS);
    });
    const answer = this.#store.check().then(
      () => 'ok',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  }
}
