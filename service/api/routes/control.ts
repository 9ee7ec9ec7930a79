// Owns the operations of operators on single jobs: stop, edit, delete.
import type { EditDraft } from '../../application/edits.ts';
import { noteForAudit } from '../audited.ts';
import { seenVersion } from '../etag.ts';
import { type ApiParts, actorOf, type Operations, pathParameter } from '../operation.ts';
import { sendJob, sendJson, sendNothing } from '../reply.ts';

export function controlOperations({ control, maxAttempts }: ApiParts): Operations {
  return {
    async cancelJob(req, res) {
      const { job, isAsked } = await control.cancel(pathParameter(req, 'id'), actorOf(req));
      sendJob(res, isAsked ? 202 : 200, job, maxAttempts(job));
    },

    async cancelJobs(req, res) {
      const { ids } = req.body as { ids: string[] };
      const results = await control.cancelMany(ids, actorOf(req));
      noteForAudit(res, { affected: results.filter(({ ok }) => ok).length, details: { ids } });
      sendJson(res, 200, { results });
    },

    async editJob(req, res) {
      const { payload: _, ...draft } = req.body as Omit<EditDraft, 'payload'> & { payload?: null };
      const payload = res.locals.payloads.get('#/payload');
      const edits = payload ? { ...draft, payload } : draft;
      const job = await control.edit(pathParameter(req, 'id'), edits, seenVersion(req), actorOf(req));
      sendJob(res, 200, job, maxAttempts(job));
    },

    async deleteJob(req, res) {
      await control.discard(pathParameter(req, 'id'), 'succeeded');
      sendNothing(res);
    },
  };
}
