// Owns the operations on the handler registry.
import type { Request, Response } from 'express';
import type { HandlerDraft } from '../../application/handler-draft.ts';
import type { Operation } from '../../ports/operations.ts';
import { noteForAudit } from '../audited.ts';
import { type ApiParts, actorOf, callerOf, type Operations, pathKey } from '../operation.ts';
import { presentHandler, presentPing } from '../present.ts';
import { presentOperation } from '../present-bulk.ts';
import { sendJson, sendNothing } from '../reply.ts';

export function handlerOperations({ handlers }: ApiParts): Operations {
  return {
    async listHandlers(_req, res) {
      sendJson(res, 200, { items: (await handlers.list()).map(presentHandler), nextCursor: null });
    },

    async getHandler(req, res) {
      sendJson(res, 200, presentHandler(await handlers.get(pathKey(req, 'type'))));
    },

    async putHandler(req, res) {
      const { handler, created, secret } = await handlers.put(
        pathKey(req, 'type'),
        req.body as HandlerDraft,
        isForced(req),
      );
      noteForAudit(res, { details: { created, isSecretNew: secret !== null, force: isForced(req) } });
      if (created) res.setHeader('location', `/handlers/${encodeURIComponent(handler.type)}`);
      sendJson(res, created ? 201 : 200, { ...presentHandler(handler), secret });
    },

    async removeHandler(req, res) {
      const type = pathKey(req, 'type');
      if (isForced(req)) return sendRemoved(res, await handlers.removeByForce(type, actorOf(req)));
      await handlers.remove(type);
      sendNothing(res);
    },

    async testHandler(req, res) {
      const answer = await handlers.test(pathKey(req, 'type'));
      sendJson(res, 200, presentPing(answer, callerOf(req)));
    },
  };
}

/** The handler is gone; what waited for it may still be on its way to the DLQ. */
function sendRemoved(res: Response, rejection: Operation | null): void {
  const isDone = rejection === null || rejection.ended === 'finished';
  if (rejection !== null) {
    const { id, affected } = rejection;
    noteForAudit(res, { affected: isDone ? affected : null, details: { operation: id } });
    if (!isDone) res.setHeader('location', `/operations/${id}`);
  }
  if (isDone) sendNothing(res);
  else sendJson(res, 202, presentOperation(rejection));
}

/** The contract has made a boolean of the text. */
function isForced(req: Request): boolean {
  return (req.query as { force?: unknown }).force === true;
}
