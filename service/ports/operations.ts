// Owns what the service asks of the storage of operations on many jobs: what a preview may count, and where an operation stands.
import type { OperationAction, OperationEnd } from '../domain/bulk.ts';
import type { FailureReason } from '../domain/failure.ts';
import type { Cursor, JobFilter, Page } from './lists.ts';

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

/**
 * An action on many jobs that has begun. Dead jobs are taken newest failure first; `position` is the last one that was
 * looked at. A rejection has no dead set (mark 0, last null): it takes waiting jobs, newest created first, and `total` is
 * how many waited when it began.
 */
export interface Operation extends DeadSet {
  readonly id: string;
  readonly action: OperationAction;
  readonly by: string;
  /** The node that carries it on, or null when it was handed over. */
  readonly owner: string | null;
  readonly position: Cursor | null;
  /** Counted with each move, in its transaction (`Transition.operationId`); once the operation has ended none of its moves holds. */
  readonly affected: number;
  readonly keyTaken: number;
  readonly noHandler: number;
  readonly schema: number;
  readonly startedAt: number;
  readonly movedAt: number;
  /** Tries of the present batch that met a bug, and what the last of them met; a batch that is done begins anew at 0. */
  readonly failures: number;
  readonly error: string | null;
  /** When and how it ended; both null while it goes on. */
  readonly finishedAt: number | null;
  readonly ended: OperationEnd | null;
}

export type NewOperation = DeadSet & Pick<Operation, 'id' | 'action' | 'by' | 'owner'>;

/** A rejection that begins with the removal of a handler (`HandlerStore.remove`); what it takes is read there. */
export type NewRejection = Pick<Operation, 'id' | 'by' | 'owner'>;

/** What one batch found that it could not move, and how far it came. */
export interface Advance extends Pick<Operation, 'id' | 'keyTaken' | 'noHandler' | 'schema' | 'position'> {
  /** Held only when this node still owns it. */
  readonly owner: string;
  readonly isFinished: boolean;
}

/** A try of a batch that met a bug. */
export interface OperationFailure extends Pick<Operation, 'id'> {
  /** Held only when this node still owns it. */
  readonly owner: string;
  readonly error: string;
  /** Whether the operation has failed by this; else the batch is tried again. */
  readonly isLast: boolean;
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
  /** The operation as it begins, or null when one of that id has begun before. */
  begin(operation: NewOperation): Promise<Operation | null>;
  get(id: string): Promise<Operation | null>;
  /** Those that have not ended, oldest first, a bounded number per page; the cursor's instant is `startedAt`. */
  unfinished(after: Cursor | null): Promise<Page<Operation>>;
  /** Makes this node the owner of an operation as it was seen; false when it has moved on meanwhile. */
  take(seen: Operation, owner: string): Promise<boolean>;
  /** The operation after a batch, or null when another node has taken it or it has ended. */
  advance(batch: Advance): Promise<Operation | null>;
  /** The operation after a try that failed; null as for `advance`. */
  fail(failure: OperationFailure): Promise<Operation | null>;
  /** Ends it where it stands, whoever owns it; null when there is none of that id that goes on. */
  cancel(id: string): Promise<Operation | null>;
  /** Hands over all that this node owns and has not finished. */
  release(owner: string): Promise<void>;
}
