// Owns the operations on the handler registry.
import type { Request } from 'express';
import type { HandlerDraft } from '../../application/handler-draft.ts';
import { noteForAudit } from '../audited.ts';
import { type ApiParts, type Operations, pathKey } from '../operation.ts';
import { presentHandler } from '../present.ts';
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
      await handlers.remove(pathKey(req, 'type'), isForced(req));
      sendNothing(res);
    },

    async testHandler(req, res) {
      sendJson(res, 200, await handlers.test(pathKey(req, 'type')));
    },
  };
}

/** The contract has made a boolean of the text. */
function isForced(req: Request): boolean {
  return (req.query as { force?: unknown }).force === true;
}
