// Owns the running nodes: who announced itself, and when it was last seen.
import type { Node, NodeIdentity } from '../../ports/store.ts';
import { type Parcel, plain } from './parcel.ts';
import type { Session } from './session.ts';
import { settingsRevision } from './settings.ts';

const ANNOUNCE = `
  INSERT INTO nodes (id, host, version, concurrency, started_at, seen_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET concurrency = excluded.concurrency, version = excluded.version, seen_at = excluded.seen_at`;

/** What a node holds is counted in the index of owned rows alone. */
const LIST = `
  SELECT id, host, version, concurrency, started_at AS startedAt, seen_at AS seenAt, is_draining AS isDraining,
    queues_revision AS queuesRevision,
    (SELECT count(*) FROM jobs_hot INDEXED BY hot_owned WHERE worker_id = nodes.id AND status > 0) AS running
  FROM nodes ORDER BY started_at, id`;

const ACKNOWLEDGE = 'UPDATE nodes SET queues_revision = ? WHERE id = ?';
const DRAIN = 'UPDATE nodes SET is_draining = 1 WHERE id = ?';
const FORGET = 'DELETE FROM nodes WHERE id = ?';

export function announceNode(
  session: Session,
  { id, host, version, concurrency }: NodeIdentity,
): Parcel<{ readonly settingsRevision: number }> {
  session.run(ANNOUNCE, id, host, version, concurrency, session.now, session.now);
  return plain({ settingsRevision: settingsRevision(session) });
}

export function listNodes(session: Session): Parcel<readonly Node[]> {
  const rows = session.records<Omit<Node, 'isDraining'> & { readonly isDraining: number }>(LIST);
  return plain(rows.map(row => ({ ...row, isDraining: row.isDraining === 1 })));
}

export interface Acknowledgement {
  readonly id: string;
  readonly queuesRevision: number;
}

export function acknowledgeQueues(session: Session, { id, queuesRevision }: Acknowledgement): Parcel<null> {
  session.run(ACKNOWLEDGE, queuesRevision, id);
  return plain(null);
}

export function drainNode(session: Session, id: string): Parcel<null> {
  session.run(DRAIN, id);
  return plain(null);
}

export function forgetNode(session: Session, id: string): Parcel<null> {
  session.run(FORGET, id);
  return plain(null);
}
