// Owns which operations are actions of operators, what each is called in the audit log, and that each request for one is written down.
import type { Request, RequestHandler, Response } from 'express';
import type { Audit } from '../application/audit.ts';
import type { AuditEntry } from '../ports/audit.ts';
import type { DocumentedOperation } from './contract.ts';

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
  previewBulk: null,
  resurrectJobs: 'dlq.resurrect',
  purgeJobs: 'dlq.purge',
  configureQueue: 'queue.configure',
  removeQueue: 'queue.remove',
  pauseQueue: 'queue.pause',
  resumeQueue: 'queue.resume',
  changeSettings: 'settings.change',
  putHandler: 'handler.put',
  removeHandler: 'handler.remove',
  testHandler: 'handler.test',
  openCircuit: 'circuit.open',
  resetCircuit: 'circuit.reset',
  cancelOperation: 'operation.cancel',
};

/** What only the operation knows of its own effect. Names, ids, counts and settings: never payloads, never secrets. */
export interface AuditNote {
  /** What it was about, when that is not the last parameter of the path. */
  readonly target?: string | null;
  /** The filter of a bulk action, as it was asked for. */
  readonly filter?: object;
  /** How many things changed, when that is not one on success and none otherwise; null when it is not known yet. */
  readonly affected?: number | null;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Adds to what the audit log will say of this request once its answer is known. */
export function noteForAudit(res: Response, note: AuditNote): void {
  res.locals.auditNote = { ...res.locals.auditNote, ...note };
}

/** An answer waits no longer than this for its row in the audit log. */
const LONGEST_WAIT_MS = 1_000;
const LONGEST_TARGET = 300;
const MOST_FIELDS = 20;
/** Problems that can come after something was changed: how much is not known. */
const OPEN_ENDS: readonly string[] = ['storage-unavailable', 'internal-error'];

/**
 * Lets the answer of every action be written down first: whoever has read it finds the row, unless storage went away just
 * then. Requests that the contract or a rule refuses are written down as well, with the code of the problem.
 */
export function auditTrail(operations: readonly DocumentedOperation[], audit: Pick<Audit, 'record'>): RequestHandler {
  const actions = new Map(operations.map(({ id, method }) => [method.toUpperCase(), ACTIONS[id] ?? null]));
  return (req, res, next) => {
    const action = actions.get(req.method) ?? null;
    if (action !== null) {
      // Now: where errors are answered, the parameters of the path are no longer known.
      res.locals.auditNote = { target: targetOf(req) };
      res.locals.conclude = problem => inTime(audit.record(entryOf(action, problem, req, res)));
    }
    next();
  };
}

function entryOf(action: string, problem: string | null, req: Request, { locals, statusCode }: Response): AuditEntry {
  const { caller, requestId, auditNote: { target = null, filter = null, affected, details } = {} } = locals;
  const isDone = problem === null;
  const otherwise = problem !== null && OPEN_ENDS.includes(problem) ? null : Number(isDone);
  return {
    actor: caller.name,
    keyId: caller.keyId,
    action,
    target,
    filter,
    affected: affected === undefined ? otherwise : affected,
    outcome: problem ?? (statusCode === 202 ? 'accepted' : 'succeeded'),
    requestId,
    details: { address: req.ip ?? null, ...(isDone && { fields: fieldsOf(req) }), ...details },
  };
}

async function inTime(recorded: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, LONGEST_WAIT_MS);
  });
  await Promise.race([recorded, late]).finally(() => clearTimeout(timer));
}

function targetOf({ params }: Request): string | null {
  const last = Object.values(params).at(-1);
  return typeof last === 'string' ? last.trim().slice(0, LONGEST_TARGET) : null;
}

/** The names of what was sent, not the values: those may be payloads. */
function fieldsOf({ body }: Request): string[] {
  return typeof body === 'object' && body !== null ? Object.keys(body).slice(0, MOST_FIELDS) : [];
}
