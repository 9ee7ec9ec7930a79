// Owns bulk actions on dead jobs that are named one by one: all are looked at first, then each is moved or says why not.
import { BULK, type BulkAction, needsAcknowledgement } from '../domain/bulk.ts';
import { DomainError, type RefusalCode } from '../domain/errors.ts';
import type { Job } from '../domain/job.ts';
import { discard, resurrect, type Transition } from '../domain/lifecycle.ts';
import type { Applied, Store } from '../ports/store.ts';
import type { ActionResult } from './control.ts';
import { type EditRules, obstacle } from './edits.ts';
import type { Wake } from './jobs.ts';
import { unacknowledged } from './operations.ts';

interface BulkParts extends EditRules {
  readonly store: Pick<Store, 'jobs' | 'clock'>;
  readonly wake: Wake;
}

export interface NamedJobs {
  readonly ids: readonly string[];
  readonly action: BulkAction;
  readonly acknowledge: boolean;
}

/** A job that was looked at: what is to be done with it, or why nothing can be. */
type Decided = { readonly job: Job; readonly transition: Transition } | { readonly code: RefusalCode };

const CODES = { noHandler: 'type-not-registered', schema: 'validation-failed' } as const;
const READ_AT_ONCE = 20;

export class BulkById {
  readonly #parts: BulkParts;

  constructor(parts: BulkParts) {
    this.#parts = parts;
  }

  /**
   * Answers in order; of two mentions of one job only the first can hold. Refuses all when one must be acknowledged and is not,
   * or when storage is away before the first is moved; from then on each id tells whether it was reached.
   */
  async run({ ids, action, acknowledge }: NamedJobs, by: string): Promise<readonly ActionResult[]> {
    const { registry, store, wake } = this.#parts;
    if (action === 'resurrect') await registry.load();
    const decided: Decided[] = [];
    for (let at = 0; at < ids.length; at += READ_AT_ONCE) {
      const group = ids.slice(at, at + READ_AT_ONCE).map(id => this.#decide(id, action, by));
      decided.push(...(await Promise.all(group)));
    }
    if (!acknowledge) refuseUnknownEffects(decided, action);
    const codes = await this.#apply(decided.flatMap(one => ('job' in one ? [one.transition] : [])));
    if (action === 'resurrect' && codes.includes(null)) wake(store.clock.now());
    return ids.map((id, at) => {
      const one = decided[at];
      const code = one === undefined || 'job' in one ? (codes.shift() ?? null) : one.code;
      return { id, ok: code === null, code };
    });
  }

  async #decide(id: string, action: BulkAction, by: string): Promise<Decided> {
    const full = await this.#parts.store.jobs.get(id);
    if (full === null) return { code: 'not-found' };
    if (full.state !== 'dead') return { code: 'conflict-state' };
    const job = { ...full, payload: null };
    if (action === 'resurrect') {
      const found = obstacle(job, full.payload, this.#parts);
      return found === null ? { job, transition: resurrect(job, {}, by) } : { code: CODES[found] };
    }
    const transition = discard(job);
    return transition === null ? { code: 'conflict-state' } : { job, transition };
  }

  /** What became of each; a refusal of storage ends it, and is the code of all that were not reached. */
  async #apply(transitions: readonly Transition[]): Promise<(RefusalCode | null)[]> {
    const codes: (RefusalCode | null)[] = [];
    try {
      for (let at = 0; at < transitions.length; at += BULK.batch) {
        const applied = await this.#parts.store.jobs.apply(transitions.slice(at, at + BULK.batch));
        codes.push(...applied.map(codeOf));
      }
    } catch (error) {
      if (!(error instanceof DomainError) || codes.length === 0) throw error;
      codes.push(...transitions.slice(codes.length).map(() => error.code));
    }
    return codes;
  }
}

function refuseUnknownEffects(decided: readonly Decided[], action: BulkAction): void {
  const pointers = decided.flatMap((one, at) => {
    const reason = 'job' in one ? one.job.failureReason : null;
    return reason !== null && needsAcknowledgement(action, [reason]) ? [`#/ids/${at}`] : [];
  });
  if (pointers.length > 0) throw unacknowledged(pointers);
}

function codeOf(applied: Applied): RefusalCode | null {
  if (applied.held) return null;
  return applied.why === 'key-taken' ? 'key-taken' : 'conflict-state';
}
