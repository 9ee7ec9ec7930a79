// Owns what previews and operations on many jobs look like on the wire.
import { skippedBy } from '../application/operations.ts';
import { askedFilter, type Previewed } from '../application/previews.ts';
import type { Caller } from '../domain/access.ts';
import { formatInstant } from '../domain/instant.ts';
import type { Job } from '../domain/job.ts';
import type { Operation } from '../ports/operations.ts';
import { presentJob } from './present.ts';

export function presentPreview(previewed: Previewed, maxAttempts: (job: Job) => number, caller: Caller): object {
  const { samples, expiresAt, ...rest } = previewed;
  return {
    ...rest,
    samples: samples.map(job => presentJob(job, maxAttempts(job), caller)),
    expiresAt: formatInstant(expiresAt),
  };
}

export function presentOperation(operation: Operation): object {
  const { id, action, filter, total, affected, by, startedAt, finishedAt, ended, error } = operation;
  return {
    ...{ id, action, filter: askedFilter(filter), total, affected },
    skipped: skippedBy(operation),
    state: ended ?? 'running',
    error,
    startedBy: by,
    startedAt: formatInstant(startedAt),
    finishedAt: finishedAt === null ? null : formatInstant(finishedAt),
  };
}
