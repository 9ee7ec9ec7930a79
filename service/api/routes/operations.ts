// Owns the operations of the API on long actions: how one comes along, and its end before its time.
import { noteForAudit } from '../audited.ts';
import { type ApiParts, type Operations, pathParameter } from '../operation.ts';
import { presentOperation } from '../present-bulk.ts';
import { sendJson } from '../reply.ts';

export function longOperations({ operations }: ApiParts): Operations {
  return {
    async getOperation(req, res) {
      sendJson(res, 200, presentOperation(await operations.get(pathParameter(req, 'id'))));
    },

    async cancelOperation(req, res) {
      const operation = await operations.cancel(pathParameter(req, 'id'));
      const { action, affected, total } = operation;
      noteForAudit(res, { details: { action, affected, total } });
      sendJson(res, 200, presentOperation(operation));
    },
  };
}
