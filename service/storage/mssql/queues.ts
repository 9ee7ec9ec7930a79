// Owns queues: their settings and their live counts.
import { LIMITS } from '../../domain/job.ts';
import { type Queue, type QueueSettings, queueTooMany } from '../../domain/queue.ts';
import type { Configured, QueueStore } from '../../ports/store.ts';
import { NO_BACKLOG, QUEUE_COLUMNS, type QueueRow, queueFrom } from '../queue-rows.ts';
import { BACKLOG_SETS, backlogsFrom, READ_BACKLOGS } from './backlog.ts';
import type { Answer, Session, Values } from './session.ts';
import { NOTHING_RECENT, READ_RECENT, recentFrom } from './stats.ts';

const READ = `
  ${READ_BACKLOGS}
  ${READ_RECENT}
  SELECT ${QUEUE_COLUMNS.join(', ')}
  FROM chokaq.queues q JOIN chokaq.stats_summary s ON s.queue = q.name
  WHERE @queue IS NULL OR q.name = @queue ORDER BY q.name;`;

/** Each setting is stored when its flag says that it is given. */
const SETTINGS = {
  is_paused: 'isPaused',
  is_active: 'isActive',
  max_workers: 'maxWorkers',
  zombie_timeout_ms: 'zombieTimeoutMs',
  execution_timeout_ms: 'executionTimeoutMs',
  archive_retention_ms: 'archiveRetentionMs',
  dlq_retention_ms: 'dlqRetentionMs',
} as const satisfies Record<string, keyof QueueSettings>;

const ASSIGNMENTS = Object.keys(SETTINGS).map(
  column => `${column} = CASE WHEN @has_${column} = 1 THEN @${column} ELSE ${column} END`,
);

const CONFIGURE = `
  DECLARE @outcome VARCHAR(10) = 'done';
  IF NOT EXISTS (SELECT 1 FROM chokaq.queues WHERE name = @queue)
  BEGIN
    IF @create = 0 SET @outcome = 'absent';
    ELSE IF (SELECT COUNT(*) FROM chokaq.queues) >= ${LIMITS.queueNames} SET @outcome = 'too-many';
    ELSE
    BEGIN
      INSERT INTO chokaq.queues (name, created_at, updated_at) VALUES (@queue, @now, @now);
      INSERT INTO chokaq.stats_summary (queue) VALUES (@queue);
    END
  END
  IF @outcome = 'done'
  BEGIN
    UPDATE chokaq.queues SET ${ASSIGNMENTS.join(', ')}, updated_at = @now WHERE name = @queue;
    UPDATE chokaq.revisions SET value = value + 1 WHERE name = 'queues';
  END
  DECLARE @revision BIGINT = (SELECT value FROM chokaq.revisions WHERE name = 'queues');`;

/** Its lifetime totals go with it; its buckets stay, for they are history. */
const REMOVE = `
  DECLARE @outcome VARCHAR(10) = 'absent';
  IF EXISTS (SELECT 1 FROM chokaq.queues WHERE name = @queue)
    SET @outcome = CASE WHEN EXISTS (SELECT 1 FROM chokaq.stats_summary WHERE queue = @queue
      AND pending + scheduled + fetched + processing + succeeded + dead > 0) THEN 'in-use' ELSE 'removed' END;
  IF @outcome = 'removed'
  BEGIN
    DELETE FROM chokaq.lanes WHERE queue = @queue;
    DELETE FROM chokaq.stats_summary WHERE queue = @queue;
    DELETE FROM chokaq.queues WHERE name = @queue;
  END`;

const OUTCOME = 'SELECT @outcome AS outcome;';

export function queuesOver(session: Session): QueueStore {
  return {
    list: async () => queuesFrom(await session.read('listQueues', READ, { queue: null })),
    get: name => getQueue(session, name),
    configure: (name, settings, create = false) => configureQueue(session, name, settings, create),
    remove: async name => {
      const answer = await session.write('removeQueue', { work: REMOVE, answer: OUTCOME }, { queue: name });
      return answer.row<{ outcome: 'removed' | 'absent' | 'in-use' }>()?.outcome ?? 'absent';
    },
  };
}

async function getQueue(session: Session, name: string): Promise<Queue | null> {
  return queuesFrom(await session.read('getQueue', READ, { queue: name }))[0] ?? null;
}

async function configureQueue(
  session: Session,
  name: string,
  settings: Partial<QueueSettings>,
  create: boolean,
): Promise<Configured | null> {
  const text = { work: CONFIGURE, answer: 'SELECT @outcome AS outcome, @revision AS revision;' };
  const values = { queue: name, create: create ? 1 : 0, ...valuesOf(settings) };
  const row = (await session.write('configureQueue', text, values)).row<{ outcome: string; revision: number }>();
  if (row?.outcome === 'too-many') throw queueTooMany(name, { parameter: 'name' });
  const queue = row?.outcome === 'done' ? await getQueue(session, name) : null;
  return queue === null ? null : { queue, revision: row?.revision ?? 0 };
}

function valuesOf(settings: Partial<QueueSettings>): Values {
  const entries = Object.entries(SETTINGS).flatMap(([column, key]) => {
    const value = settings[key];
    const stored = typeof value === 'boolean' ? Number(value) : (value ?? null);
    return [
      [`has_${column}`, value === undefined ? 0 : 1],
      [column, stored],
    ];
  });
  return Object.fromEntries(entries);
}

function queuesFrom(answer: Answer): Queue[] {
  const backlogs = backlogsFrom(answer, 0);
  const recent = recentFrom(answer, BACKLOG_SETS);
  return answer
    .rows<QueueRow>(BACKLOG_SETS + 1)
    .map(row => queueFrom(row, backlogs.get(row.name) ?? NO_BACKLOG, recent.get(row.name) ?? NOTHING_RECENT));
}
