// Owns the operations on jobs: from request to verb, from stored job to answer.
import type { Request, Response } from 'express';
import type { JobDraft } from '../../application/draft.ts';
import { ownJobsOf } from '../../domain/access.ts';
import { parseDuration } from '../../domain/duration.ts';
import { DomainError } from '../../domain/errors.ts';
import type { Job } from '../../domain/job.ts';
import { writeCursor } from '../cursor.ts';
import { readFilter, readPage } from '../filter.ts';
import { type ApiParts, callerOf, type Operations, pathParameter } from '../operation.ts';
import { presentAttempt, presentJob } from '../present.ts';
import { producerOf, refuseHeaderKey, withHeaderKey } from '../producer.ts';
import { fullJob, send, sendJob, sendJson } from '../reply.ts';

const LONGEST_WAIT_MS = 60_000;

type Posted = Omit<JobDraft, 'payload'>;

export function jobOperations(parts: ApiParts): Operations {
  return { ...producing(parts), ...reading(parts) };
}

function producing({ jobs, maxAttempts }: ApiParts): Operations {
  return {
    async enqueueJob(req, res) {
      const draft = withHeaderKey(req, { ...(req.body as Posted), payload: payloadAt(res, '#/payload') });
      const { job, duplicate } = await jobs.enqueue(draft, producerOf(req));
      if (!duplicate) res.setHeader('location', `/jobs/${job.id}`);
      sendJson(res, duplicate ? 200 : 201, { ...presentJob(job, maxAttempts(job), callerOf(req)), duplicate });
    },

    async enqueueBatch(req, res) {
      refuseHeaderKey(req);
      const { jobs: posted } = req.body as { jobs: Posted[] };
      const drafts = posted.map((job, index) => ({ ...job, payload: payloadAt(res, `#/jobs/${index}/payload`) }));
      const stored = await jobs.enqueueBatch(drafts, producerOf(req));
      sendJson(res, 200, { results: stored.map(({ job, duplicate }) => ({ id: job.id, duplicate })) });
    },
  };
}

function reading({ jobs, maxAttempts, stopping }: ApiParts): Operations {
  const present = (req: Request) => (job: Job) => presentJob(job, maxAttempts(job), callerOf(req));
  const full = (req: Request) => (job: Job) => fullJob(job, maxAttempts(job), callerOf(req));
  return {
    async listJobs(req, res) {
      const page = readPage(req, 'created');
      const { items, next } = await jobs.list(readFilter(req), page);
      const nextCursor = writeCursor('created', next);
      if (page.withPayload) send(res, 200, 'application/json', joinPage(items.map(full(req)), nextCursor));
      else sendJson(res, 200, { items: items.map(present(req)), nextCursor });
    },

    async getJob(req, res) {
      const waitMs = readWait(req);
      const id = pathParameter(req, 'id');
      const owner = ownJobsOf(callerOf(req));
      const job = await (waitMs === 0
        ? jobs.get(id, owner)
        : jobs.waitFor({ id, owner }, waitMs, untilClosed(res, stopping)));
      sendJob(res, 200, job, maxAttempts(job));
    },

    async listAttempts(req, res) {
      const caller = callerOf(req);
      const attempts = await jobs.attempts(pathParameter(req, 'id'), ownJobsOf(caller));
      sendJson(res, 200, { items: attempts.map(attempt => presentAttempt(attempt, caller)), nextCursor: null });
    },
  };
}

function payloadAt(res: Response, pointer: string): Uint8Array {
  const payload = res.locals.payloads.get(pointer);
  if (payload === undefined) throw new Error(`the body was read without its payload at ${pointer}`);
  return payload;
}

function readWait(req: Request): number {
  const { wait } = req.query;
  if (typeof wait !== 'string') return 0;
  const waitMs = parseDuration(wait) ?? Number.POSITIVE_INFINITY;
  if (waitMs <= LONGEST_WAIT_MS) return waitMs;
  const fault = { detail: 'must be a duration of at most 1m', parameter: 'wait' };
  throw new DomainError('malformed-request', 'Wait for at most a minute, then ask again.', [fault]);
}

/** Nobody waits once the connection is closed, and nobody may once the service stops. */
function untilClosed(res: Response, stopping: AbortSignal): AbortSignal {
  const closed = new AbortController();
  res.once('close', () => closed.abort());
  return AbortSignal.any([closed.signal, stopping]);
}

function joinPage(items: readonly Buffer[], nextCursor: string | null): Buffer {
  const parts = items.flatMap((item, index) => (index === 0 ? [item] : [Buffer.from(','), item]));
  return Buffer.concat([
    Buffer.from('{"items":['),
    ...parts,
    Buffer.from(`],"nextCursor":${JSON.stringify(nextCursor)}}`),
  ]);
}
