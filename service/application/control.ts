// Owns an operator's verbs on single jobs outside the DLQ list: stop, edit, delete.
import { DomainError } from '../domain/errors.ts';
import type { Job } from '../domain/job.ts';
import { discard, edit, stop, type Transition } from '../domain/lifecycle.ts';
import type { Store } from '../ports/store.ts';
import { checkRunnable, type EditDraft, type EditRules, readEdits } from './edits.ts';
import { absent, type Wake } from './jobs.ts';
import { readBack } from './read-back.ts';

interface ControlParts extends EditRules {
  readonly store: Pick<Store, 'jobs' | 'clock'>;
  readonly wake: Wake;
  /** Tells this node's engine to look for wishes to abort what it runs. */
  readonly look: () => void;
}

/** The result for one id of many; `code` is that of the refusal when it is not ok. */
export interface ActionResult {
  readonly id: string;
  readonly ok: boolean;
  readonly code: string | null;
}

/** The state of a job a caller has seen: its round and version, as in the ETag. */
export interface SeenVersion {
  readonly round: number;
  readonly version: number;
}

/** A job can start, end or be edited while somebody decides about it; after so many lost races the caller is told. */
const TRIES = 3;
const AT_ONCE = 20;

export class JobControl {
  readonly #parts: ControlParts;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /** Ends an unstarted job, or asks the owner of a running one to abort it: then `isAsked` and the job is still running. */
  async cancel(id: string, by: string): Promise<{ readonly job: Job; readonly isAsked: boolean }> {
    const transition = await this.#stop(id, by);
    const done = transition.move === 'requestCancel' ? 'The owner was asked to abort it' : 'The job was cancelled';
    const job = (await readBack(done, this.#parts.store.jobs.get(id))) ?? absent(id);
    return { job, isAsked: transition.move === 'requestCancel' && job.state === 'processing' };
  }

  /** Cancels each job by itself; answers in order, a repeated id once per mention. */
  async cancelMany(ids: readonly string[], by: string): Promise<readonly ActionResult[]> {
    return eachOf(ids, id => this.#stop(id, by));
  }

  async #stop(id: string, by: string): Promise<Transition> {
    const transition = await this.#change(id, job => stop(job, by) ?? refuse(job, 'cannot be cancelled any more'));
    this.#parts.look();
    return transition;
  }

  /** Changes a job that is not running, unless it is no longer as `seen`. */
  async edit(id: string, draft: EditDraft, seen: SeenVersion, by: string): Promise<Job> {
    const { store, rules, wake } = this.#parts;
    const edits = readEdits(draft, rules, store.clock.now());
    const job = (await store.jobs.get(id)) ?? absent(id);
    if (job.round !== seen.round || job.version !== seen.version) throw changed(id);
    const transition = edit(job, edits, by) ?? refuse(job, 'cannot be edited');
    if (edits.payload) await checkRunnable(job, edits, this.#parts);
    const [applied] = await store.jobs.apply([transition]);
    if (!applied?.held) throw changed(id);
    wake(store.clock.now());
    return (await readBack('The job was edited', store.jobs.get(id))) ?? absent(id);
  }

  /** Deletes a job that has ended in this state for good. */
  async discard(id: string, state: 'succeeded' | 'dead'): Promise<void> {
    await this.#change(id, job => {
      const transition = job.state === state ? discard(job) : null;
      return transition ?? refuse(job, `cannot be deleted here: only ${state} jobs can`);
    });
  }

  async #change(id: string, rule: (job: Job) => Transition): Promise<Transition> {
    const { jobs } = this.#parts.store;
    for (let tries = 0; tries < TRIES; tries++) {
      const transition = rule((await jobs.get(id)) ?? absent(id));
      const [applied] = await jobs.apply([transition]);
      if (applied?.held) return transition;
    }
    throw new DomainError(
      'conflict-state',
      `Job ${id} is changing too fast at this moment. Read it again and decide anew.`,
    );
  }
}

/** Runs the action for each id, a bounded number at once; a refusal becomes that id's result. */
export async function eachOf(
  ids: readonly string[],
  action: (id: string) => Promise<unknown>,
): Promise<ActionResult[]> {
  const results: ActionResult[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const group = ids.slice(at, at + AT_ONCE).map(id => resultOf(id, action(id)));
    results.push(...(await Promise.all(group)));
  }
  return results;
}

async function resultOf(id: string, done: Promise<unknown>): Promise<ActionResult> {
  try {
    await done;
    return { id, ok: true, code: null };
  } catch (error) {
    if (error instanceof DomainError) return { id, ok: false, code: error.code };
    throw error;
  }
}

function refuse(job: Job, what: string): never {
  throw new DomainError('conflict-state', `Job ${job.id} is ${job.state} and ${what}. Read it again and decide anew.`);
}

function changed(id: string): DomainError {
  return new DomainError(
    'precondition-failed',
    `Job ${id} has changed since you read it. Read it again and edit what is there now.`,
  );
}
