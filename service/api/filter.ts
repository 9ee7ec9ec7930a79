// Owns list queries: from checked query parameters to a filter and a page request of the store.
import type { Request } from 'express';
import { ownJobsOf, seesPayloads } from '../domain/access.ts';
import type { FailureReason } from '../domain/failure.ts';
import { parseInstant } from '../domain/instant.ts';
import type { JobState } from '../domain/job.ts';
import type { JobFilter, PageRequest } from '../ports/store.ts';
import { readCursor } from './cursor.ts';
import { callerOf } from './operation.ts';

/** As the contract leaves it: known names, coerced, defaults filled in. */
interface ListQuery {
  readonly state?: JobState;
  readonly queue?: string;
  readonly type?: string;
  readonly tag?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly failedAfter?: string;
  readonly failedBefore?: string;
  readonly reason?: FailureReason;
  readonly errorFamily?: number;
  readonly responseStatus?: number;
  readonly search?: string;
  readonly view?: 'summary' | 'full';
  readonly limit: number;
  readonly cursor?: string;
}

/** A caller that may only produce sees its own jobs in every list; one that may not read errors does not search them. */
export function readFilter(req: Request): JobFilter {
  const { state, createdAfter, createdBefore, failedAfter, failedBefore, view, limit, cursor, ...same } = queryOf(req);
  const filter = {
    ...same,
    states: state && [state],
    createdAfter: instant(createdAfter),
    createdBefore: instant(createdBefore),
    failedAfter: instant(failedAfter),
    failedBefore: instant(failedBefore),
    creatorKeyId: ownJobsOf(callerOf(req)) ?? undefined,
    searchErrors: seesPayloads(callerOf(req)) ? undefined : false,
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

export function readPage(req: Request, order: PageRequest['order']): PageRequest {
  const { limit, cursor, view } = queryOf(req);
  return { order, limit, after: readCursor(order, cursor), withPayload: view === 'full' };
}

export function readLimit(req: Request): number {
  return queryOf(req).limit;
}

function queryOf(req: Request): ListQuery {
  return req.query as unknown as ListQuery;
}

function instant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text);
}
