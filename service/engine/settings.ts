// Owns what the engine reads of the settings, at each use because they change while it runs, and how it hears of a change.
import type { Log } from '../log.ts';

/** As in docs/configuration.md; durations in milliseconds. */
export interface EngineSettings {
  readonly concurrency: number;
  readonly pollIntervalMs: number;
  readonly fetchedTimeoutMs: number;
  readonly zombieTimeoutMs: number;
  readonly recoveryIntervalMs: number;
  readonly cancelOnHeartbeatFailure: boolean;
  readonly retentionArchiveMs: number;
  readonly retentionDlqMs: number;
  readonly retentionBucketsMs: number;
  readonly retentionAuditMs: number;
}

/** The copy of what is stored for all nodes; `application/settings.ts` keeps it. */
export interface StoredCopy {
  readonly revision: number;
  load(): Promise<void>;
}

/** Nobody waits for it: what cannot be read now is read after the next claim or heartbeat that tells of it. */
export function refresh({ stored, log }: { readonly stored: StoredCopy; readonly log: Log }): void {
  stored.load().catch(error => log.event('storageFailed', { reading: 'settings', err: error }));
}
