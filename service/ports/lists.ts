// Owns how jobs are asked for in numbers: what a list may be filtered by, its order, and its pages.
import type { FailureReason } from '../domain/failure.ts';
import type { JobState } from '../domain/job.ts';

export interface JobFilter {
  readonly states?: readonly JobState[];
  readonly queue?: string;
  readonly type?: string;
  readonly tag?: string;
  /** Instants, epoch ms; after is inclusive, before is exclusive. */
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly failedAfter?: number;
  readonly failedBefore?: number;
  readonly reason?: FailureReason;
  /** Dead jobs of this error family, by its id. */
  readonly errorFamily?: number;
  readonly responseStatus?: number;
  /** Of the dead jobs only those that were dead when this mark was read (`OperationStore.mark`). */
  readonly deadUpTo?: number;
  /** Literal, case-insensitive for ASCII; looks at id, type, tags and error, never at payloads. */
  readonly search?: string;
  /** False: `search` leaves errors out, for who may not read them must not find out what they say by guessing. */
  readonly searchErrors?: boolean;
  /** Only jobs made with this API key. */
  readonly creatorKeyId?: string;
}

export interface PageRequest {
  /** `created`: newest created first, over all tables. `failed`: newest failure first, dead jobs only. */
  readonly order: 'created' | 'failed';
  readonly limit: number;
  readonly after: Cursor | null;
  readonly withPayload: boolean;
}

/** The last row of the page before: its ordering instant and id. */
export interface Cursor {
  readonly at: number;
  readonly id: string;
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly next: Cursor | null;
}

/** Ages in ms by the database's clock, where a queue has no limit of its own; at most `batch` rows of each kind go in one call. */
