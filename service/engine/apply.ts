// Owns how a move of a held job reaches the store: again and again while storage is away, a few times when it meets a bug.
import { setTimeout as pause } from 'node:timers/promises';
import { isStorageAway } from '../domain/errors.ts';
import type { Transition } from '../domain/lifecycle.ts';
import type { Log } from '../log.ts';
import type { Applied, Store } from '../ports/store.ts';
import { logCircuit } from './circuit-log.ts';

export interface ApplyParts {
  readonly store: Store;
  readonly log: Log;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;
/** Within two seconds: a bug seldom passes, and other means of ending the job are left. */
const TRIES_OF_A_BUG = 4;

/** Rejects only with a bug that each try has met; the job's lease lives meanwhile. */
export async function applyHeld({ store, log }: ApplyParts, transition: Transition): Promise<Applied> {
  const { jobId, move } = transition;
  let bugs = 0;
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      const [applied] = await store.jobs.apply([transition]);
      if (applied === undefined) throw new Error('the store answered no transition');
      if (applied.held && applied.circuitEvent) logCircuit(log, applied.circuitEvent);
      return applied;
    } catch (err) {
      const isAway = isStorageAway(err);
      if (!isAway) bugs += 1;
      if (bugs === TRIES_OF_A_BUG) throw err;
      log.event(isAway ? 'storageFailed' : 'moveRetried', { jobId, move, err });
      await pause(waitMs, undefined, { ref: false });
    }
  }
}
