// Owns the running nodes: who announced itself, and when it was last seen.
import type { Node, NodeStore } from '../../ports/nodes.ts';
import type { Session } from './session.ts';

const ANNOUNCE = `
  UPDATE chokaq.nodes SET concurrency = @concurrency, version = @version, seen_at = @now WHERE id = @id;
  IF @@ROWCOUNT = 0
    INSERT INTO chokaq.nodes (id, host, version, concurrency, started_at, seen_at)
    VALUES (@id, @host, @version, @concurrency, @now, @now);
  DECLARE @settings_revision BIGINT = (SELECT value FROM chokaq.revisions WHERE name = 'settings');`;

/** What a node holds is counted in the index of owned rows alone. */
const LIST = `
  SELECT n.id, n.host, n.version, n.concurrency, n.started_at, n.seen_at, n.is_draining, n.queues_revision,
    (SELECT COUNT(*) FROM chokaq.jobs_hot j WHERE j.worker_id = n.id AND j.status > 0) AS running
  FROM chokaq.nodes n ORDER BY n.started_at, n.id;`;

const ACKNOWLEDGE = 'UPDATE chokaq.nodes SET queues_revision = @queues_revision WHERE id = @id;';
const DRAIN = 'UPDATE chokaq.nodes SET is_draining = 1 WHERE id = @id;';
const FORGET = 'DELETE FROM chokaq.nodes WHERE id = @id;';

interface NodeRow {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly concurrency: number;
  readonly started_at: number;
  readonly seen_at: number;
  readonly is_draining: number;
  readonly queues_revision: number | null;
  readonly running: number;
}

export function nodesOver(session: Session): NodeStore {
  return {
    announce: async ({ id, host, version, concurrency }) => {
      const text = { work: ANNOUNCE, answer: 'SELECT @settings_revision AS revision;' };
      const answer = await session.write('announceNode', text, { id, host, version, concurrency });
      return { settingsRevision: answer.row<{ revision: number }>()?.revision ?? 0 };
    },
    acknowledge: async (id, queuesRevision) =>
      void (await session.write('acknowledgeQueues', { work: ACKNOWLEDGE }, { id, queues_revision: queuesRevision })),
    drain: async id => void (await session.write('drainNode', { work: DRAIN }, { id })),
    list: async () => (await session.read('listNodes', LIST)).rows<NodeRow>().map(nodeFrom),
    forget: async id => void (await session.write('forgetNode', { work: FORGET }, { id })),
  };
}

function nodeFrom(row: NodeRow): Node {
  const { id, host, version, concurrency, running } = row;
  return {
    ...{ id, host, version, concurrency, running, startedAt: row.started_at, seenAt: row.seen_at },
    ...{ isDraining: row.is_draining === 1, queuesRevision: row.queues_revision },
  };
}
