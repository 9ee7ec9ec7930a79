// Owns the operation on nodes.
import type { ApiParts, Operations } from '../operation.ts';
import { presentNode } from '../present.ts';
import { sendJson } from '../reply.ts';

export function nodeOperations({ nodes }: ApiParts): Operations {
  return {
    async listNodes(_req, res) {
      sendJson(res, 200, { items: (await nodes.list()).map(presentNode), nextCursor: null });
    },
  };
}
