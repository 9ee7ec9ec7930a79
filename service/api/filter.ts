// Owns list queries: from checked query parameters to a filter and a page request of the store.
import type { Request } from 'express';
import { type Caller, ownJobsOf, seesPayloads } from '../domain/access.ts';
import type { FailureReason } from '../domain/failure.ts';
import { parseInstant } from '../domain/instant.ts';
import type { JobState } from '../domain/job.ts';
import type { JobFilter, PageRequest } from '../ports/store.ts';
import { readCursor } from './cursor.ts';
import { callerOf } from './operation.ts';

/** What dead jobs can be chosen by, in a query or in a body. */
export interface DeadFilter {
  readonly queue?: string;
  readonly type?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly failedAfter?: string;
  readonly failedBefore?: string;
  readonly reason?: FailureReason;
  readonly errorFamily?: number;
  readonly responseStatus?: number;
  readonly search?: string;
}

/** As the contract leaves it: known names, coerced, defaults filled in. */
interface ListQuery extends DeadFilter {
  readonly state?: JobState;
  readonly tag?: string;
  readonly view?: 'summary' | 'full';
  readonly limit: number;
  readonly cursor?: string;
}

/** A caller that may only produce sees its own jobs in every list. */
export function readFilter(req: Request): JobFilter {
  const { state, tag, view, limit, cursor, ...rest } = queryOf(req);
  const creatorKeyId = ownJobsOf(callerOf(req)) ?? undefined;
  return given({ ...filterFrom(rest, callerOf(req)), tag, states: state && [state], creatorKeyId });
}

/** A caller that may not read errors does not search them. */
export function filterFrom(filter: DeadFilter, caller: Caller): JobFilter {
  const { createdAfter, createdBefore, failedAfter, failedBefore, ...same } = filter;
  return given({
    ...same,
    createdAfter: instant(createdAfter),
    createdBefore: instant(createdBefore),
    failedAfter: instant(failedAfter),
    failedBefore: instant(failedBefore),
    searchErrors: filter.search === undefined || seesPayloads(caller) ? undefined : false,
  });
}

function given(members: object): JobFilter {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
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
