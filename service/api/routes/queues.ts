// Owns the operations on queues.
import type { Response } from 'express';
import type { QueueDraft, StoppedQueue } from '../../application/queues.ts';
import { noteForAudit } from '../audited.ts';
import { type ApiParts, type Operations, pathKey } from '../operation.ts';
import { presentQueue } from '../present.ts';
import { sendJson, sendNothing } from '../reply.ts';

export function queueOperations({ queues }: ApiParts): Operations {
  return {
    async listQueues(_req, res) {
      sendJson(res, 200, { items: (await queues.list()).map(presentQueue), nextCursor: null });
    },

    async getQueue(req, res) {
      sendJson(res, 200, presentQueue(await queues.get(pathKey(req, 'name'))));
    },

    async configureQueue(req, res) {
      const settings = req.body as QueueDraft;
      const stopped = await queues.configure(pathKey(req, 'name'), settings);
      noteForAudit(res, { details: { settings } });
      sendStopped(res, stopped);
    },

    async pauseQueue(req, res) {
      sendStopped(res, await queues.pause(pathKey(req, 'name')));
    },

    async resumeQueue(req, res) {
      sendJson(res, 200, presentQueue(await queues.resume(pathKey(req, 'name'))));
    },

    async removeQueue(req, res) {
      await queues.remove(pathKey(req, 'name'));
      sendNothing(res);
    },
  };
}

function sendStopped(res: Response, { queue, unacknowledgedBy }: StoppedQueue): void {
  sendJson(res, 200, { ...presentQueue(queue), unacknowledgedBy });
}
