// Owns the operations on queues.
import { type ApiParts, type Operations, pathKey } from '../operation.ts';
import { presentQueue } from '../present.ts';
import { sendJson } from '../reply.ts';

export function queueOperations({ queues }: ApiParts): Operations {
  return {
    async listQueues(_req, res) {
      sendJson(res, 200, { items: (await queues.list()).map(presentQueue), nextCursor: null });
    },

    async getQueue(req, res) {
      sendJson(res, 200, presentQueue(await queues.get(pathKey(req, 'name'))));
    },
  };
}
