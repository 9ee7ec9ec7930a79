// Owns previews: what a bulk action on dead jobs would take, counted and shown, and bound into a token that executes exactly that.
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { BULK, type BulkAction, needsAcknowledgement, staleness } from '../domain/bulk.ts';
import { DomainError } from '../domain/errors.ts';
import type { FailureReason } from '../domain/failure.ts';
import { formatInstant } from '../domain/instant.ts';
import type { Job } from '../domain/job.ts';
import type { DeadSet, Survey } from '../ports/operations.ts';
import type { Cursor, JobFilter, Store } from '../ports/store.ts';
import { Faults } from './faults.ts';
import { backwardRanges } from './jobs.ts';
import { type Preview, readToken, writeToken } from './preview-token.ts';

export interface PreviewDraft {
  readonly action: BulkAction;
  readonly filter?: JobFilter;
  /** Every dead job, when there is no filter. */
  readonly all?: boolean;
  readonly maxJobs?: number;
}

export interface Previewed extends Pick<Preview, 'needsAcknowledgement' | 'expiresAt'> {
  readonly matched: number;
  /** Whether no more than `matched` match; else the counting was given up there. */
  readonly isExact: boolean;
  readonly willAffect: number;
  /** Of those that will be affected. */
  readonly reasons: Survey['reasons'];
  readonly samples: readonly Job[];
  readonly token: string;
}

interface Counted {
  readonly matched: number;
  readonly isExact: boolean;
  readonly set: DeadSet;
  readonly reasons: Survey['reasons'];
}

const SECRET_BYTES = 32;
/** Each looks at a bounded number of rows: together at a million. */
const MOST_CALLS = 100;

export class Previews {
  readonly #store: Pick<Store, 'jobs' | 'operations' | 'clock'>;

  constructor(store: Pick<Store, 'jobs' | 'operations' | 'clock'>) {
    this.#store = store;
  }

  /** Changes no job. */
  async preview(draft: PreviewDraft): Promise<Previewed> {
    const { action, maxJobs = BULK.jobs } = draft;
    const filter = readFilter(draft);
    const { jobs, clock } = this.#store;
    const { set, reasons, ...counted } = await this.#count(filter, maxJobs);
    const page = { order: 'failed', limit: BULK.samples, after: null, withPayload: false } as const;
    const samples = await jobs.list({ ...filter, states: ['dead'], deadUpTo: set.mark }, page);
    const needs = needsAcknowledgement(action, Object.keys(reasons) as FailureReason[]);
    const expiresAt = clock.now() + BULK.previewLifeMs;
    const preview: Preview = { ...set, id: uuidv7(), action, needsAcknowledgement: needs, expiresAt };
    const token = writeToken(preview, await this.#secret());
    const willAffect = set.total;
    return {
      ...{ ...counted, willAffect, reasons, token, expiresAt, needsAcknowledgement: needs },
      samples: samples.items.slice(0, willAffect),
    };
  }

  /** The preview behind a token that may be executed now; whether it was executed before shows when the operation begins. */
  async open(token: string, action: BulkAction): Promise<Preview> {
    const preview = readToken(token, await this.#secret());
    if (preview === null) throw stale('was not made by this service');
    const why = staleness(preview, action, this.#store.clock.now());
    if (why !== null) throw stale(why);
    return preview;
  }

  /** Counts the jobs that the action will take, then the rest, newest failure first, in bounded steps. */
  async #count(filter: JobFilter, maxJobs: number): Promise<Counted> {
    const mark = await this.#store.operations.mark();
    const calls = { left: MOST_CALLS };
    const taken = await this.#survey({ ...filter, deadUpTo: mark }, { limit: maxJobs, after: null }, calls);
    const { matched: total, last, reasons } = taken;
    const set = { filter, mark, total, last };
    if (taken.next === null || total < maxJobs) return { matched: total, isExact: taken.next === null, set, reasons };
    const limit = BULK.countedBeyond;
    const rest = await this.#survey({ ...filter, deadUpTo: mark }, { limit, after: taken.next }, calls);
    return { matched: total + rest.matched, isExact: rest.next === null, set, reasons };
  }

  async #survey(
    filter: JobFilter,
    { limit, after }: { readonly limit: number; readonly after: Cursor | null },
    calls: { left: number },
  ): Promise<Survey> {
    let sum: Survey = { matched: 0, last: null, next: after, reasons: {} };
    const withReasons = after === null;
    do {
      const request = { after: sum.next, limit: limit - sum.matched, withReasons };
      sum = added(sum, await this.#store.operations.survey(filter, request));
      calls.left -= 1;
    } while (sum.next !== null && sum.matched < limit && calls.left > 0);
    return sum;
  }

  #secret(): Promise<string> {
    return this.#store.operations.secret(randomBytes(SECRET_BYTES).toString('base64'));
  }
}

function added(sum: Survey, { matched, last, next, reasons }: Survey): Survey {
  const all = { ...sum.reasons };
  for (const [reason, count] of Object.entries(reasons) as [FailureReason, number][])
    all[reason] = (all[reason] ?? 0) + count;
  return { matched: sum.matched + matched, last: last ?? sum.last, next, reasons: all };
}

function readFilter({ filter = {}, all = false }: PreviewDraft): JobFilter {
  const faults = new Faults();
  const isEmpty = Object.keys(filter).length === 0;
  if (isEmpty && !all) faults.add('#/filter', 'names nothing; for every dead job send all: true instead');
  if (!isEmpty && all) faults.add('#/all', 'contradicts the filter: send one of them');
  for (const name of backwardRanges(filter))
    faults.add(`#/filter/${name}`, 'must be later than the start of the range');
  faults.check();
  return filter;
}

/** The filter as it was asked for, with instants as texts. */
export function askedFilter({ searchErrors: _, ...filter }: JobFilter): object {
  const members = Object.entries(filter).map(([name, value]: [string, unknown]) =>
    /(?:After|Before)$/.test(name) && typeof value === 'number' ? [name, formatInstant(value)] : [name, value],
  );
  return Object.fromEntries(members);
}

export function stale(why: string): DomainError {
  return new DomainError(
    'preview-stale',
    `The preview ${why}. Nothing was changed; make a new preview and execute that.`,
  );
}
