// Owns what the service asks of the storage of bulk operations: what a preview may count, and where an operation stands.
import type { BulkAction } from '../domain/bulk.ts';
import type { FailureReason } from '../domain/failure.ts';
import type { Cursor, JobFilter } from './lists.ts';

/** The dead jobs that an operator has been shown: what matches, was dead at the mark, and is not older than the last. */
export interface DeadSet {
  /** Without states and mark. */
  readonly filter: JobFilter;
  /** `OperationStore.mark` at the time of the preview. */
  readonly mark: number;
  /** How many there were. */
  readonly total: number;
  /** The oldest failure among them; null when there was none. */
  readonly last: Cursor | null;
}

/** A bulk action that has begun. Jobs are taken newest failure first; `position` is the last one that was looked at. */
export interface Operation extends DeadSet {
  readonly id: string;
  readonly action: BulkAction;
  readonly by: string;
  /** The node that carries it on, or null when it was handed over. */
  readonly owner: string | null;
  readonly position: Cursor | null;
  /** Counted with each move, in its transaction (`Transition.operationId`). */
  readonly affected: number;
  readonly keyTaken: number;
  readonly noHandler: number;
  readonly schema: number;
  readonly startedAt: number;
  readonly movedAt: number;
  readonly finishedAt: number | null;
}

export type NewOperation = DeadSet & Pick<Operation, 'id' | 'action' | 'by' | 'owner'>;

/** What one batch found that it could not move, and how far it came. */
export interface Advance extends Pick<Operation, 'id' | 'keyTaken' | 'noHandler' | 'schema' | 'position'> {
  /** Held only when this node still owns it. */
  readonly owner: string;
  readonly isFinished: boolean;
}

export interface SurveyRequest {
  readonly after: Cursor | null;
  /** Stops once so many jobs match. */
  readonly limit: number;
  readonly withReasons: boolean;
}

/** `next` is null at the end of the DLQ; else the survey goes on there, having reached the limit or looked at enough rows. */
export interface Survey {
  readonly matched: number;
  readonly last: Cursor | null;
  readonly next: Cursor | null;
  /** By reason, when asked for. */
  readonly reasons: Readonly<Partial<Record<FailureReason, number>>>;
}

export interface OperationStore {
  /** What previews are signed with, the same for all nodes; `candidate` becomes it when there is none yet. */
  secret(candidate: string): Promise<string>;
  /** Where the DLQ ends now: whatever dies later lies behind it, for ever, also under a clock that was set back. */
  mark(): Promise<number>;
  /** Counts dead jobs, newest failure first, a bounded number of rows per call. */
  survey(filter: JobFilter, request: SurveyRequest): Promise<Survey>;
  /** False when an operation of that id has begun before. */
  begin(operation: NewOperation): Promise<boolean>;
  get(id: string): Promise<Operation | null>;
  /** Those that are not finished, oldest first, a bounded number. */
  unfinished(): Promise<readonly Operation[]>;
  /** Makes this node the owner of an operation as it was seen; false when it has moved on meanwhile. */
  take(seen: Operation, owner: string): Promise<boolean>;
  /** The operation after a batch, or null when another node has taken it. */
  advance(batch: Advance): Promise<Operation | null>;
  /** Hands over all that this node owns and has not finished. */
  release(owner: string): Promise<void>;
}
