// Owns how answers are written: JSON with its length at once, payloads spliced in untouched, problems for refusals.
import type { Response } from 'express';
import { type Caller, seenJob } from '../domain/access.ts';
import type { Job } from '../domain/job.ts';
import { etagOf } from './etag.ts';
import { presentJob } from './present.ts';
import { problemOf, type Refusal } from './problem.ts';

/** Seconds a caller should wait before it asks again after a 503. */
const RETRY_AFTER = '1';

export function sendJson(res: Response, status: number, value: unknown): void {
  send(res, status, 'application/json', JSON.stringify(value));
}

/** The job with a last member `payload` whose value is the stored bytes, which are JSON already. */
export function fullJob(job: Job, maxAttempts: number, caller: Caller): Buffer {
  const head = JSON.stringify(presentJob(job, maxAttempts, caller)).slice(0, -1);
  const payload = seenJob(job, caller).payload ?? Buffer.from('null');
  return Buffer.concat([Buffer.from(`${head},"payload":`), payload, Buffer.from('}')]);
}

/** One job with its payload, and the ETag that an edit of it must name. */
export function sendJob(res: Response, status: number, job: Job, maxAttempts: number): void {
  res.setHeader('etag', etagOf(job));
  send(res, status, 'application/json', fullJob(job, maxAttempts, res.locals.caller));
}

export function sendNothing(res: Response): void {
  res.statusCode = 204;
  conclude(res, null, () => res.end());
}

export function send(res: Response, status: number, type: string, body: string | Uint8Array): void {
  prepare(res, status, type, body);
  conclude(res, null, () => res.end(body));
}

function prepare(res: Response, status: number, type: string, body: string | Uint8Array): void {
  res.statusCode = status;
  res.setHeader('content-type', type);
  res.setHeader('content-length', typeof body === 'string' ? Buffer.byteLength(body) : body.length);
}

/** What must be done once the answer is known comes before the answer; `outcome` is the code of a problem, else null. */
function conclude({ locals }: Response, outcome: string | null, end: () => void): void {
  const { conclude: first } = locals;
  delete locals.conclude;
  if (first === undefined) end();
  else void first(outcome).finally(end);
}

export function sendProblem(res: Response, refusal: Refusal): void {
  const { originalUrl } = res.req;
  const problem = problemOf(refusal, originalUrl.split('?', 1)[0] ?? originalUrl, res.locals.requestId);
  for (const [name, value] of Object.entries(refusal.headers ?? {})) res.setHeader(name, value);
  if (problem.status === 503) res.setHeader('retry-after', RETRY_AFTER);
  const body = JSON.stringify(problem);
  prepare(res, problem.status, 'application/problem+json', body);
  conclude(res, problem.code, () => res.end(body));
}
