// Owns the operations on circuits.
import { type ApiParts, type Operations, pathKey } from '../operation.ts';
import { presentCircuit } from '../present.ts';
import { sendJson } from '../reply.ts';

export function circuitOperations({ circuits }: ApiParts): Operations {
  return {
    async listCircuits(_req, res) {
      sendJson(res, 200, { items: (await circuits.list()).map(presentCircuit), nextCursor: null });
    },

    async openCircuit(req, res) {
      sendJson(res, 200, presentCircuit(await circuits.open(pathKey(req, 'type'))));
    },

    async resetCircuit(req, res) {
      sendJson(res, 200, presentCircuit(await circuits.reset(pathKey(req, 'type'))));
    },
  };
}
