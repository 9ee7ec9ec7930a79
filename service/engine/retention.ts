// Owns forgetting: finished and dead jobs, buckets and audit rows that are older than their limit go by themselves.
import type { Log } from '../log.ts';
import type { Store } from '../ports/store.ts';
import { Loop } from './loop.ts';
import type { EngineSettings } from './settings.ts';

interface RetentionParts {
  readonly store: Store;
  readonly log: Log;
  readonly settings: Pick<
    EngineSettings,
    'retentionArchiveMs' | 'retentionDlqMs' | 'retentionBucketsMs' | 'retentionAuditMs'
  >;
}

const BATCH = 1_000;
const REST_MS = 60_000;
/** A breath between two full batches, so that a large clean-up never holds up the work. */
const BREATH_MS = 100;

export class Retention {
  readonly loop: Loop;
  readonly #parts: RetentionParts;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    this.loop = new Loop('retention', () => this.step(), parts.log);
  }

  /** One batch of each kind; answers how long to rest. */
  async step(): Promise<number> {
    const { store, log, settings } = this.#parts;
    const removed = await store.jobs.retain({
      archiveMs: settings.retentionArchiveMs,
      dlqMs: settings.retentionDlqMs,
      bucketsMs: settings.retentionBucketsMs,
      auditMs: settings.retentionAuditMs,
      batch: BATCH,
    });
    if (removed > 0) log.event('retained', { removed });
    return removed >= BATCH ? BREATH_MS : REST_MS;
  }
}
