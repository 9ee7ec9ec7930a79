// Owns the operations on the dead-letter queue.
import type { Request } from 'express';
import type { EditDraft } from '../../application/edits.ts';
import { ownJobsOf } from '../../domain/access.ts';
import type { Job } from '../../domain/job.ts';
import { writeCursor } from '../cursor.ts';
import { readFilter, readLimit, readPage } from '../filter.ts';
import { type ApiParts, actorOf, callerOf, type Operations, pathParameter } from '../operation.ts';
import { presentFamily, presentJob } from '../present.ts';
import { sendJob, sendJson, sendNothing } from '../reply.ts';

export function dlqOperations({ dlq, control, maxAttempts }: ApiParts): Operations {
  const present = (req: Request) => (job: Job) => presentJob(job, maxAttempts(job), callerOf(req));
  return {
    async listDeadJobs(req, res) {
      const { items, next } = await dlq.list(readFilter(req), readPage(req, 'failed'));
      sendJson(res, 200, { items: items.map(present(req)), nextCursor: writeCursor('failed', next) });
    },

    async listErrorFamilies(req, res) {
      const families = await dlq.families(readLimit(req));
      sendJson(res, 200, { items: families.map(family => presentFamily(family, callerOf(req))), nextCursor: null });
    },

    async getDeadJob(req, res) {
      const job = await dlq.get(pathParameter(req, 'id'), ownJobsOf(callerOf(req)));
      sendJob(res, 200, job, maxAttempts(job));
    },

    async purgeJob(req, res) {
      await control.discard(pathParameter(req, 'id'), 'dead');
      sendNothing(res);
    },

    async resurrectJob(req, res) {
      const { payload: _, ...edits } = (req.body ?? {}) as Omit<EditDraft, 'payload'> & { payload?: null };
      const payload = res.locals.payloads.get('#/payload');
      const job = await dlq.resurrect(pathParameter(req, 'id'), payload ? { ...edits, payload } : edits, actorOf(req));
      sendJob(res, 200, job, maxAttempts(job));
    },
  };
}
