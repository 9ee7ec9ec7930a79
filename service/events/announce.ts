// Owns what is announced: a decorator of the store that tells, after each commit, what it has changed.

import type { Change, Transition } from '../domain/lifecycle.ts';
import type { JobEvent, LiveEvent } from '../domain/live-event.ts';
import type { CircuitStore } from '../ports/circuits.ts';
import type { SettingsStore } from '../ports/settings.ts';
import type { Applied, Claim, HandlerStore, Inserted, JobStore, QueueStore, Store } from '../ports/store.ts';

export interface Announcer {
  add(event: LiveEvent): void;
}

type Tell = (event: WithoutTime<LiveEvent>) => void;
type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> & { readonly at?: number } : never;

/** The same store; whatever it commits is announced after the commit. */
export function announcedStore(store: Store, announcer: Announcer): Store {
  const tell: Tell = event => announcer.add({ at: store.clock.now(), ...event } as LiveEvent);
  return {
    ...store,
    check: () => store.check(),
    close: () => store.close(),
    jobs: announcedJobs(store.jobs, tell),
    queues: announcedQueues(store.queues, tell),
    handlers: announcedHandlers(store.handlers, tell),
    circuits: announcedCircuits(store.circuits, tell),
    settings: announcedSettings(store.settings, tell),
  };
}

function announcedJobs(jobs: JobStore, tell: Tell): JobStore {
  return {
    insert: async posted => told(await jobs.insert(posted), stored => tellInserted(tell, stored)),
    claim: async request => told(await jobs.claim(request), claim => tellClaimed(tell, claim)),
    apply: async moves => told(await jobs.apply(moves), applied => tellApplied(tell, moves, applied)),
    heartbeat: (owner, leaseIds) => jobs.heartbeat(owner, leaseIds),
    stale: request => jobs.stale(request),
    get: id => jobs.get(id),
    list: (filter, page) => jobs.list(filter, page),
    attempts: id => jobs.attempts(id),
    retain: limits => jobs.retain(limits),
  };
}

function announcedQueues(queues: QueueStore, tell: Tell): QueueStore {
  return {
    list: () => queues.list(),
    get: name => queues.get(name),
    configure: async (name, settings, create) =>
      told(await queues.configure(name, settings, create), configured => {
        if (configured === null) return;
        const { isPaused, isActive, maxWorkers } = configured.queue;
        tell({ kind: 'queue', data: { name, change: 'configured', isPaused, isActive, maxWorkers } });
      }),
    remove: async name =>
      told(await queues.remove(name), removed => {
        if (removed === 'removed') tell({ kind: 'queue', data: { name, change: 'removed' } });
      }),
  };
}

function announcedHandlers(handlers: HandlerStore, tell: Tell): HandlerStore {
  return {
    list: () => handlers.list(),
    put: async (handler, seen) =>
      told(await handlers.put(handler, seen), ({ created }) => {
        tell({ kind: 'handler', data: { type: handler.type, change: created ? 'registered' : 'replaced' } });
      }),
    heard: responses => handlers.heard(responses),
    remove: async (type, force, rejection) =>
      told(await handlers.remove(type, force, rejection), removed => {
        if (removed !== 'absent' && removed !== 'in-use') tell({ kind: 'handler', data: { type, change: 'removed' } });
      }),
  };
}

function announcedCircuits(circuits: CircuitStore, tell: Tell): CircuitStore {
  const tellOrder = (ordered: Awaited<ReturnType<CircuitStore['open']>>) => {
    if (ordered?.event) tell({ kind: 'circuit', data: ordered.event });
  };
  return {
    list: () => circuits.list(),
    open: async type => told(await circuits.open(type), tellOrder),
    reset: async type => told(await circuits.reset(type), tellOrder),
  };
}

function announcedSettings(settings: SettingsStore, tell: Tell): SettingsStore {
  return {
    read: () => settings.read(),
    change: async (changes, by, seen) =>
      told(await settings.change(changes, by, seen), changed => {
        if (changed !== null) tell({ kind: 'settings', data: { names: Object.keys(changes) } });
      }),
  };
}

function told<T>(answer: T, tell: (answer: T) => void): T {
  tell(answer);
  return answer;
}

function tellInserted(tell: Tell, stored: readonly Inserted[]): void {
  for (const { job, duplicate } of stored) {
    if (duplicate) continue;
    const { id, queue, type, state, createdAt: at } = job;
    tell({ kind: 'job', at, data: { id, queue, type, move: 'enqueue', state, reason: null } });
  }
}

function tellClaimed(tell: Tell, claim: Claim): void {
  for (const data of claim.circuitEvents) tell({ kind: 'circuit', data });
  for (const { id, queue, type, state } of claim.jobs) {
    const move = state === 'processing' ? 'start' : 'claim';
    tell({ kind: 'job', data: { id, queue, type, move, state, reason: null } });
  }
}

function tellApplied(tell: Tell, moves: readonly Transition[], applied: readonly Applied[]): void {
  moves.forEach(({ move, jobId: id, change }, index) => {
    const result = applied[index];
    if (!result?.held) return;
    const { at, queue, type, circuitEvent } = result;
    const reason = change.to === 'dead' ? change.reason : null;
    tell({ kind: 'job', at, data: { id, queue, type, move, state: stateAfter(change, at), reason } });
    if (circuitEvent) tell({ kind: 'circuit', at, data: circuitEvent });
  });
}

function stateAfter(change: Change, at: number): JobEvent['state'] {
  switch (change.to) {
    case 'pending':
      return (change.dueInMs ?? 0) > 0 ? 'scheduled' : 'pending';
    case 'resurrected': {
      const { due } = change.edits;
      return due && ('inMs' in due ? due.inMs > 0 : due.at > at) ? 'scheduled' : 'pending';
    }
    case 'cancelRequested':
    case 'edited':
      return null;
    default:
      return change.to;
  }
}
