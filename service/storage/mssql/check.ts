// Owns the proof of health: the server answers, every table the service needs is there, and the schema serves this service.
import { whyAway } from './faults.ts';
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
  'writes',
  'schema_migrations',
] as const;

const CHECK = `
  SELECT MAX(serves_from) AS serves_from FROM chokaq.schema_migrations;
  SELECT n.name FROM (VALUES ${TABLES.map(name => `('${name}')`).join(', ')}) AS n (name)
  WHERE OBJECT_ID('chokaq.' + n.name) IS NULL;`;

/** One try: whoever asks for health wants to know how it is now. */
export async function check(session: Session): Promise<void> {
  const answer = await session.readOnce(CHECK).catch((error: unknown) => {
    throw new Error(whyAway(error));
  });
  const missing = answer.rows<{ readonly name: string }>(1).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`the database lacks the tables ${missing.join(', ')}`);
  const { serves_from: servesFrom = 0 } = answer.row<{ readonly serves_from: number }>() ?? {};
  if (servesFrom > newestKnown())
    throw new Error(
      'a newer version of ChokaQ has changed the database, which serves this one no more: upgrade this node',
    );
}
