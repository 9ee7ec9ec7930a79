// Owns the job verbs of the store as their callers see them: domain shapes in and out, lean rows on the way to the database.
import type { Attempt, ClaimedJob, Job, NewJob } from '../../domain/job.ts';
import type { Transition } from '../../domain/lifecycle.ts';
import type {
  Applied,
  Claim,
  ClaimRequest,
  HeldLease,
  Inserted,
  JobFilter,
  JobStore,
  Page,
  PageRequest,
  RetentionLimits,
  StaleJob,
  StaleRequest,
} from '../../ports/store.ts';
import {
  type ClaimedValues,
  claimedFrom,
  FETCHED,
  jobFromRow,
  jobJustStored,
  overridesText,
  tagsText,
} from '../rows.ts';
import type { ClaimAnswer, ClaimedAnswer } from './claim.ts';
import type { Database } from './database.ts';
import { type RowValues, rowFromValues } from './get.ts';
import type { StaleValues } from './heartbeat.ts';
import type { NewJobValues } from './insert.ts';
import type { Parcel } from './parcel.ts';

export class SqliteJobs implements JobStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async insert(jobs: readonly NewJob[]): Promise<readonly Inserted[]> {
    if (jobs.length === 0) return [];
    const parts = jobs.flatMap(({ payload, payloadHash }) => [payload, payloadHash]);
    const { body } = await this.#database.write('insert', jobs.map(newJobValues), { parts, rows: jobs.length });
    const { now, duplicates } = body;
    return jobs.map((job, index) => {
      const stored = duplicates[index] ?? null;
      if (stored === null) return { job: jobJustStored(job, now), duplicate: false };
      return { job: jobFromRow(rowFromValues(stored), now), duplicate: true };
    });
  }

  async claim(request: ClaimRequest): Promise<Claim> {
    return claimFrom(await this.#database.write('claim', request, { rows: request.limit }));
  }

  async apply(transitions: readonly Transition[]): Promise<readonly Applied[]> {
    if (transitions.length === 0) return [];
    const { body } = await this.#database.write('apply', transitions, { rows: transitions.length });
    return body;
  }

  async heartbeat(owner: string, leaseIds: readonly string[]): Promise<readonly HeldLease[]> {
    if (leaseIds.length === 0) return [];
    const { body } = await this.#database.write('heartbeat', { owner, leaseIds }, { rows: leaseIds.length });
    return body;
  }

  async stale(request: StaleRequest): Promise<readonly StaleJob[]> {
    const { body } = await this.#database.read('stale', request);
    return body.map(staleFrom);
  }

  async get(id: string): Promise<Job | null> {
    const { body } = await this.#database.read('get', id);
    return body.values === null ? null : jobFromRow(rowFromValues(body.values), body.now);
  }

  async list(filter: JobFilter, page: PageRequest): Promise<Page<Job>> {
    const { body, parts } = await this.#database.read('list', { filter, page });
    const items = body.rows.map((values, index) => listedFrom(values, parts[index] ?? null, body.now));
    return { items, next: body.next };
  }

  async attempts(id: string): Promise<readonly Attempt[]> {
    const { body } = await this.#database.read('listAttempts', id);
    return body;
  }

  async retain(limits: RetentionLimits): Promise<number> {
    const { body } = await this.#database.write('retain', limits, { rows: limits.batch });
    return body;
  }
}

function newJobValues(job: NewJob): NewJobValues {
  return [
    job.id,
    job.queue,
    job.type,
    job.priority,
    job.overrides.maxAttempts ?? null,
    overridesText(job.overrides),
    tagsText(job.tags),
    job.idempotencyKey,
    job.resultTtlMs,
    job.createdBy,
    job.creatorKeyId,
    job.traceparent,
    job.tracestate,
    job.onConflict,
    'at' in job.due ? job.due.at : null,
    'inMs' in job.due ? job.due.inMs : 0,
  ];
}

function claimFrom({ body, parts }: Parcel<ClaimAnswer>): Claim {
  const { jobs, now, nextDueAt, cancelRequests, handlersRevision } = body;
  const claimed = jobs.map((job, index) => claimedJob(job, parts[index] ?? new Uint8Array(), now));
  return { jobs: claimed, nextDueAt, cancelRequests, handlersRevision };
}

/** The values are those before the claim: a start counts on top of them. */
function claimedJob(
  [values, leaseId, isStarted, queueTimeoutMs]: ClaimedAnswer,
  payload: Uint8Array,
  now: number,
): ClaimedJob {
  const job = claimedFrom(values);
  if (!isStarted) return { ...job, state: 'fetched', leaseId, queueTimeoutMs, payload };
  return { ...job, state: 'processing', attempts: job.attempts + 1, startedAt: now, leaseId, queueTimeoutMs, payload };
}

function staleFrom(values: StaleValues): StaleJob {
  const [status, leaseId, workerId, heartbeatAt, cancelRequestedBy, queueTimeoutMs] = values.slice(16) as [
    number,
    string,
    string,
    number | null,
    string | null,
    number | null,
  ];
  const state = status === FETCHED ? 'fetched' : 'processing';
  const job = claimedFrom(values.slice(0, 16) as unknown as ClaimedValues);
  return { ...job, state, leaseId, workerId, heartbeatAt, cancelRequestedBy, queueTimeoutMs };
}

function listedFrom(values: RowValues, payload: Uint8Array | null, now: number): Job {
  return jobFromRow({ ...rowFromValues(values), payload }, now);
}
