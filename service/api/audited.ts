// Owns which operations are actions of operators, and what each is called in the audit log.
import type { Response } from 'express';

/** By operationId, complete for everything but GET; null = not an action of an operator, so not audited. */
export const ACTIONS: Readonly<Record<string, string | null>> = {
  enqueueJob: null,
  enqueueBatch: null,
  editJob: 'job.edit',
  deleteJob: 'job.delete',
  cancelJob: 'job.cancel',
  cancelJobs: 'job.cancel',
  purgeJob: 'dlq.purge',
  resurrectJob: 'dlq.resurrect',
  configureQueue: 'queue.configure',
  removeQueue: 'queue.remove',
  pauseQueue: 'queue.pause',
  resumeQueue: 'queue.resume',
  changeSettings: 'settings.change',
  putHandler: 'handler.put',
  removeHandler: 'handler.remove',
  testHandler: 'handler.test',
};

/** What only the operation knows of its own effect. Names, ids, counts and settings: never payloads, never secrets. */
export interface AuditNote {
  /** What it was about, when that is not the last parameter of the path. */
  readonly target?: string;
  /** The filter of a bulk action, as it was asked for. */
  readonly filter?: object;
  /** How many things changed, when that is not one on success and none otherwise. */
  readonly affected?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Adds to what the audit log will say of this request once its answer is known. */
export function noteForAudit(res: Response, note: AuditNote): void {
  res.locals.auditNote = { ...res.locals.auditNote, ...note };
}
