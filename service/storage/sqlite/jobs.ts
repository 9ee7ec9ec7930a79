// Owns the job verbs of the store as their callers see them: domain shapes in and out, lean rows on the way to the database.
import { randomUUID } from 'node:crypto';
import type { Attempt, Job, NewJob } from '../../domain/job.ts';
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
import { claimedJob, staleJob } from '../claimed-rows.ts';
import { jobFromRow, jobJustStored, overridesText, tagsText } from '../rows.ts';
import type { ClaimAnswer } from './claim.ts';
import type { Database } from './database.ts';
import { type RowValues, rowFromValues } from './get.ts';
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
    const claim = { ...request, claimId: randomUUID() };
    return claimFrom(await this.#database.write('claim', claim, { rows: request.limit }));
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
    return body.map(staleJob);
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
    job.seesAll,
  ];
}

function claimFrom({ body, parts }: Parcel<ClaimAnswer>): Claim {
  const { jobs: claimed, now, ...rest } = body;
  const jobs = claimed.map(([values, leaseId, isStarted, queueTimeoutMs, circuitEpoch], index) => {
    const startedAt = isStarted ? now : null;
    return claimedJob(values, parts[index] ?? NOTHING, { leaseId, startedAt, queueTimeoutMs, circuitEpoch });
  });
  return { jobs, ...rest };
}

const NOTHING = new Uint8Array();

function listedFrom(values: RowValues, payload: Uint8Array | null, now: number): Job {
  return jobFromRow({ ...rowFromValues(values), payload }, now);
}
