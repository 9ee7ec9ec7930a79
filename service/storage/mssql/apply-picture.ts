// Owns what a batch of transitions is decided on: the rows of its jobs and whatever its rules ask beyond them, read in one request.
import type { Transition } from '../../domain/lifecycle.ts';
import type { Answer, Session } from './session.ts';

const HELD = `
  h.seq, h.id, h.queue, h.type, h.status, h.promoted, h.lease_id, h.heartbeat_at, h.round, h.version, h.attempts, h.started_at,
  h.due_at, h.cancel_requested_by, h.idempotency_key, h.holds_key, h.result_ttl_ms, h.circuit_epoch, h.updated_at`;

const named = (ids: string) => `
  SELECT j.id COLLATE Latin1_General_BIN2 FROM OPENJSON(@${ids}) WITH (id NVARCHAR(100) '$.id') j`;

/** Each is a statement of its own, so that no read holds a row of one table while it waits for another. */
const READS = {
  /** First: what was read after it is as new as it says. */
  queuesRevision: "SELECT value FROM chokaq.revisions WHERE name = 'queues';",
  hot: `SELECT ${HELD} FROM chokaq.jobs_hot h WHERE h.id IN (${named('hot_ids')});`,
  archived: `SELECT a.seq, a.id, a.queue, a.type, a.round, a.version FROM chokaq.jobs_archive a WHERE a.id IN (${named('archived_ids')});`,
  dead: `
    SELECT d.seq, d.id, d.queue, d.type, d.round, d.version, d.idempotency_key, d.holds_key
    FROM chokaq.jobs_dlq d WHERE d.id IN (${named('dead_ids')});`,
  queues: `
    SELECT name, is_paused, is_active, zombie_timeout_ms FROM chokaq.queues
    WHERE is_paused = 1 OR is_active = 0 OR zombie_timeout_ms IS NOT NULL;`,
  claims: `
    SELECT c.idempotency_key, c.state, c.job_id, c.expires_at FROM chokaq.idempotency_claims c
    WHERE c.idempotency_key IN (SELECT h.idempotency_key FROM chokaq.jobs_hot h
      WHERE h.result_ttl_ms IS NOT NULL AND h.idempotency_key IS NOT NULL AND h.id IN (${named('hot_ids')}));`,
  holders: `
    SELECT h.idempotency_key FROM chokaq.jobs_hot h
    WHERE h.holds_key = 1 AND h.idempotency_key IS NOT NULL AND h.idempotency_key IN (
      SELECT d.idempotency_key FROM chokaq.jobs_dlq d WHERE d.idempotency_key IS NOT NULL AND d.id IN (${named('dead_ids')}));`,
  operations: `
    SELECT o.id FROM chokaq.operations o WHERE o.finished_at IS NULL AND o.id IN (${named('operation_ids')});`,
} as const;

type ReadName = keyof typeof READS;

/** A hot row, as far as moves look at it. */
export interface HeldRow {
  readonly seq: number;
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly status: number;
  readonly promoted: number;
  readonly lease_id: string | null;
  readonly heartbeat_at: number | null;
  readonly round: number;
  readonly version: number;
  readonly attempts: number;
  readonly started_at: number | null;
  readonly due_at: number;
  readonly cancel_requested_by: string | null;
  readonly idempotency_key: string | null;
  readonly holds_key: number;
  readonly result_ttl_ms: number | null;
  readonly circuit_epoch: number | null;
  readonly updated_at: number;
}

/** A row of the archive or the DLQ. */
export interface EndedRow {
  readonly seq: number;
  readonly id: string;
  readonly queue: string;
  readonly type: string;
  readonly round: number;
  readonly version: number;
  /** Only of dead jobs. */
  readonly idempotency_key?: string | null;
  readonly holds_key?: number;
}

interface QueueRow {
  readonly name: string;
  readonly is_paused: number;
  readonly is_active: number;
  readonly zombie_timeout_ms: number | null;
}

export interface ClaimRow {
  readonly idempotency_key: string;
  readonly state: 'in-progress' | 'completed';
  readonly job_id: string;
  readonly expires_at: number;
}

export interface Picture {
  readonly now: number;
  readonly hot: ReadonlyMap<string, HeldRow>;
  readonly archived: ReadonlyMap<string, EndedRow>;
  readonly dead: ReadonlyMap<string, EndedRow>;
  /** Queues that stand still, or have a zombie timeout of their own; absent: neither. */
  readonly queues: ReadonlyMap<string, QueueRow>;
  readonly queuesRevision: number;
  readonly claims: ReadonlyMap<string, ClaimRow>;
  /** Idempotency keys that an active job holds. */
  readonly holders: ReadonlySet<string>;
  /** The operations that go on. */
  readonly operations: ReadonlySet<string>;
}

/** For `decided` only: one try. */
export async function look(session: Session, transitions: readonly Transition[]): Promise<Picture> {
  const asked = askedOf(transitions);
  const names = (Object.keys(READS) as ReadName[]).filter(name => isNeeded[name](asked));
  const values = Object.fromEntries(
    Object.entries(asked.ids)
      .filter(([, ids]) => ids.length > 0)
      .map(([name, ids]) => [name, JSON.stringify(ids.map(id => ({ id })))]),
  );
  const answer = await session.readOnce(names.map(name => READS[name]).join(' '), values);
  return pictureFrom(answer, names);
}

interface Asked {
  readonly ids: Readonly<Record<'hot_ids' | 'archived_ids' | 'dead_ids' | 'operation_ids', readonly string[]>>;
  readonly starts: boolean;
  readonly resurrects: boolean;
}

const isNeeded: Readonly<Record<ReadName, (asked: Asked) => boolean>> = {
  queuesRevision: ({ starts }) => starts,
  hot: ({ ids }) => ids.hot_ids.length > 0,
  archived: ({ ids }) => ids.archived_ids.length > 0,
  dead: ({ ids }) => ids.dead_ids.length > 0,
  queues: ({ starts }) => starts,
  claims: ({ starts }) => starts,
  holders: ({ resurrects }) => resurrects,
  operations: ({ ids }) => ids.operation_ids.length > 0,
};

function askedOf(transitions: readonly Transition[]): Asked {
  const idsFrom = (from: 'hot' | 'succeeded' | 'dead') => [
    ...new Set(transitions.filter(({ guard }) => tableOf(guard.states[0]) === from).map(({ jobId }) => jobId)),
  ];
  return {
    ids: {
      hot_ids: idsFrom('hot'),
      archived_ids: idsFrom('succeeded'),
      dead_ids: idsFrom('dead'),
      operation_ids: [...new Set(transitions.flatMap(({ operationId }) => operationId ?? []))],
    },
    starts: transitions.some(({ change }) => change.to === 'processing'),
    resurrects: transitions.some(({ change }) => change.to === 'resurrected'),
  };
}

export function tableOf(from: Transition['guard']['states'][number] | undefined): 'hot' | 'succeeded' | 'dead' {
  return from === 'succeeded' || from === 'dead' ? from : 'hot';
}

function pictureFrom(answer: Answer, names: readonly ReadName[]): Picture {
  const rows = <Row extends object>(name: ReadName): readonly Row[] =>
    names.includes(name) ? answer.rows<Row>(names.indexOf(name)) : [];
  return {
    now: answer.now,
    hot: byId(rows<HeldRow>('hot')),
    archived: byId(rows<EndedRow>('archived')),
    dead: byId(rows<EndedRow>('dead')),
    queues: new Map(rows<QueueRow>('queues').map(row => [row.name, row])),
    queuesRevision: rows<{ value: number }>('queuesRevision')[0]?.value ?? 0,
    claims: new Map(rows<ClaimRow>('claims').map(row => [row.idempotency_key, row])),
    holders: new Set(rows<{ idempotency_key: string }>('holders').map(row => row.idempotency_key)),
    operations: new Set(rows<{ id: string }>('operations').map(({ id }) => id)),
  };
}

function byId<Row extends { readonly id: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> {
  return new Map(rows.map(row => [row.id, row]));
}
