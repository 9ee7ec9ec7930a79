// Owns the job verbs of the store: which of them wait for each other in a queue of writes, and which are single requests.
import type { NewJob } from '../../domain/job.ts';
import type { Transition } from '../../domain/lifecycle.ts';
import type {
  Applied,
  ClaimRequest,
  Inserted,
  JobFilter,
  JobStore,
  PageRequest,
  RetentionLimits,
  StaleRequest,
} from '../../ports/store.ts';
import { type Settled, type Write, WriteQueue } from '../write-queue.ts';
import { applyAll } from './apply.ts';
import { MOVES } from './apply-round.ts';
import { listAttempts } from './attempts.ts';
import { claim } from './claim.ts';
import { get } from './get.ts';
import { heartbeat, stale } from './heartbeat.ts';
import { insertAll } from './insert.ts';
import { list } from './list.ts';
import { retain } from './retain.ts';
import type { Session } from './session.ts';

/** One call of `insert`: its jobs are stored all or none, whatever becomes of the other calls of its batch. */
export interface Insertion extends Write {
  readonly jobs: readonly NewJob[];
}

/** One call of `apply`. */
export interface Application extends Write {
  readonly transitions: readonly Transition[];
}

const INSERT_LIMITS = { operations: 500, rows: 1_000, bytes: 16_000_000 };
const APPLY_LIMITS = { operations: 500, rows: MOVES, bytes: 16_000_000 };

export function jobsOver(session: Session): JobStore & { idle(): Promise<void> } {
  const insertions = new WriteQueue<Insertion, readonly Inserted[]>(batch => insertAll(session, batch), INSERT_LIMITS);
  const applications = new WriteQueue<Application, readonly Applied[]>(batch => applyAll(session, batch), APPLY_LIMITS);
  return {
    insert: async (jobs: readonly NewJob[]) => {
      if (jobs.length === 0) return [];
      const bytes = jobs.reduce((sum, { payload }) => sum + payload.length, 0);
      return insertions.submit({ jobs, rows: jobs.length, bytes });
    },
    apply: async (transitions: readonly Transition[]) => {
      if (transitions.length === 0) return [];
      return applications.submit({ transitions, rows: transitions.length, bytes: 0 });
    },
    claim: (request: ClaimRequest) => claim(session, request),
    heartbeat: async (owner: string, leaseIds: readonly string[]) =>
      leaseIds.length === 0 ? [] : heartbeat(session, owner, leaseIds),
    stale: (request: StaleRequest) => stale(session, request),
    get: (id: string) => get(session, id),
    list: (filter: JobFilter, page: PageRequest) => list(session, filter, page),
    attempts: (id: string) => listAttempts(session, id),
    retain: (limits: RetentionLimits) => retain(session, limits),
    idle: async () => void (await Promise.all([insertions.idle(), applications.idle()])),
  };
}

/** What became of each call of a batch, in order. */
export type SettledAll<T> = Promise<readonly Settled<T>[]>;
