// Owns the ETag of a job: which round and version of it a caller has seen.
import type { Request } from 'express';
import type { SeenVersion } from '../application/control.ts';
import { DomainError } from '../domain/errors.ts';

const SHAPE = /^"(\d{1,15})-(\d{1,15})"$/;

export function etagOf({ round, version }: SeenVersion): string {
  return `"${round}-${version}"`;
}

/** What `If-Match` says was seen. A text that is no ETag of ours matches nothing, and nobody should look for a change of the job. */
export function seenVersion(req: Request): SeenVersion {
  const given = req.headers['if-match'];
  if (given === undefined) {
    const fault = { detail: 'is missing', header: 'if-match' };
    throw new DomainError('precondition-required', 'Read the job and send its ETag in If-Match.', [fault]);
  }
  const [, round, version] = SHAPE.exec(given.trim()) ?? [];
  if (round === undefined || version === undefined) {
    const fault = { detail: 'is not the ETag of a job, such as "1-3" with its quotes', header: 'if-match' };
    throw new DomainError('precondition-failed', 'Read the job and send its ETag in If-Match, as it is.', [fault]);
  }
  return { round: Number(round), version: Number(version) };
}
