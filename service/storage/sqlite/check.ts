// Owns the proof of health: the file is where it was, every table the service needs is there, and the schema serves this service.
import { type Parcel, plain } from './parcel.ts';
import { newestKnown } from './schema.ts';
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
  'revisions',
  'idempotency_claims',
  'settings',
  'api_keys',
  'audit_log',
  'schema_migrations',
] as const;

const FOUND = "SELECT name FROM sqlite_schema WHERE type = 'table'";
const SERVES_FROM = 'SELECT max(serves_from) FROM schema_migrations';

export function check(session: Session): Parcel<null> {
  if (!session.isInPlace)
    throw new Error('the database file was moved or deleted: put it back, or restart with one that is whole');
  const found = new Set(session.rows<[string]>(FOUND).map(([name]) => name));
  const missing = TABLES.filter(name => !found.has(name));
  if (missing.length > 0) throw new Error(`the database lacks the tables ${missing.join(', ')}`);
  const [servesFrom = 0] = session.row<[number]>(SERVES_FROM) ?? [];
  if (servesFrom > newestKnown())
    throw new Error(
      'a newer version of ChokaQ has changed the database, which serves this one no more: upgrade this node',
    );
  return plain(null);
}
