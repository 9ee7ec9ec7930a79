// Owns the proof of health: the database answers, and every table the service needs is there.
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';

const TABLES = [
  'jobs_hot',
  'jobs_archive',
  'jobs_dlq',
  'job_attempts',
  'queues',
  'handlers',
  'stats_summary',
  'lanes',
  'metric_buckets',
  'circuits',
  'nodes',
  'error_families',
  'operations',
  'secrets',
] as const;

const FOUND = "SELECT name FROM sqlite_schema WHERE type = 'table'";

export function check(session: Session): Parcel<null> {
  const found = new Set(session.rows<[string]>(FOUND).map(([name]) => name));
  const missing = TABLES.filter(name => !found.has(name));
  if (missing.length > 0) throw new Error(`the database lacks the tables ${missing.join(', ')}`);
  return plain(null);
}
