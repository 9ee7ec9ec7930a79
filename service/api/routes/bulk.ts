// Owns the operations on many dead jobs: preview, execution by ids or by token, and how a long one comes along.
import type { Request, Response } from 'express';
import type { ActionResult } from '../../application/control.ts';
import { skippedBy } from '../../application/operations.ts';
import { askedFilter } from '../../application/previews.ts';
import type { BulkAction } from '../../domain/bulk.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Operation } from '../../ports/operations.ts';
import { noteForAudit } from '../audited.ts';
import { type DeadFilter, filterFrom } from '../filter.ts';
import { type ApiParts, actorOf, callerOf, type Operations } from '../operation.ts';
import { presentOperation, presentPreview } from '../present-bulk.ts';
import { sendJson } from '../reply.ts';

interface PreviewBody {
  readonly action: BulkAction;
  readonly filter?: DeadFilter;
  readonly all?: boolean;
  readonly maxJobs?: number;
}

interface BulkBody {
  readonly ids?: string[];
  readonly token?: string;
  readonly acknowledge?: boolean;
}

export function bulkOperations(parts: ApiParts): Operations {
  return {
    async previewBulk(req, res) {
      const { filter = {}, ...draft } = req.body as PreviewBody;
      const caller = callerOf(req);
      const previewed = await parts.previews.preview({ ...draft, filter: filterFrom(filter, caller) });
      sendJson(res, 200, presentPreview(previewed, parts.maxAttempts, caller));
    },

    resurrectJobs: (req, res) => run(parts, 'resurrect', req, res),
    purgeJobs: (req, res) => run(parts, 'purge', req, res),
  };
}

async function run({ bulkById, operations }: ApiParts, action: BulkAction, req: Request, res: Response): Promise<void> {
  const { ids, token, acknowledge = false } = req.body as BulkBody;
  if ((ids === undefined) === (token === undefined)) throw eitherOr();
  if (token === undefined)
    return sendResults(res, await bulkById.run({ ids: ids ?? [], action, acknowledge }, actorOf(req)));
  sendOperation(res, await operations.execute({ token, action, acknowledge }, actorOf(req)));
}

function sendResults(res: Response, results: readonly ActionResult[]): void {
  noteForAudit(res, { affected: results.filter(({ ok }) => ok).length });
  sendJson(res, 200, { results });
}

/** What has not finished is carried on behind the answer, unless somebody has cancelled it meanwhile. */
function sendOperation(res: Response, operation: Operation): void {
  const { id, affected, ended } = operation;
  const filter = askedFilter(operation.filter);
  const isDone = ended === 'finished';
  noteForAudit(res, { target: id, filter, affected: isDone ? affected : null, details: { operation: id } });
  if (!isDone) res.setHeader('location', `/operations/${id}`);
  if (isDone) sendJson(res, 200, { affected, skipped: skippedBy(operation) });
  else sendJson(res, 202, presentOperation(operation));
}

function eitherOr(): DomainError {
  const detail = 'Send either ids, or the token of a preview.';
  return new DomainError('validation-failed', detail, [
    { detail: 'must have exactly one of ids and token', pointer: '#' },
  ]);
}
