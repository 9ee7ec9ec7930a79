// Owns the operations on the dead-letter queue.
import type { EditDraft } from '../../application/edits.ts';
import type { Job } from '../../domain/job.ts';
import { writeCursor } from '../cursor.ts';
import { readFilter, readPage } from '../filter.ts';
import { type ApiParts, type Operations, pathParameter } from '../operation.ts';
import { presentJob } from '../present.ts';
import { sendJob, sendJson, sendNothing } from '../reply.ts';

export function dlqOperations({ dlq, control, maxAttempts }: ApiParts): Operations {
  const present = (job: Job) => presentJob(job, maxAttempts(job));
  return {
    async listDeadJobs(req, res) {
      const { items, next } = await dlq.list(readFilter(req), readPage(req, 'failed'));
      sendJson(res, 200, { items: items.map(present), nextCursor: writeCursor('failed', next) });
    },

    async getDeadJob(req, res) {
      const job = await dlq.get(pathParameter(req, 'id'));
      sendJob(res, 200, job, maxAttempts(job));
    },

    async purgeJob(req, res) {
      await control.discard(pathParameter(req, 'id'), 'dead');
      sendNothing(res);
    },

    async resurrectJob(req, res) {
      const { payload: _, ...edits } = (req.body ?? {}) as Omit<EditDraft, 'payload'> & { payload?: null };
      const payload = res.locals.payloads.get('#/payload');
      const job = await dlq.resurrect(pathParameter(req, 'id'), payload ? { ...edits, payload } : edits, null);
      sendJob(res, 200, job, maxAttempts(job));
    },
  };
}
