// Owns the client: jobs in, whatever form they have, and a named call for what else one does with them.
import { DlqCalls, OperationCalls } from './calls/dlq.ts';
import { JobCalls } from './calls/jobs.ts';
import { CircuitCalls, HandlerCalls, QueueCalls } from './calls/registry.ts';
import { AuditCalls, NodeCalls, SettingCalls, StatsCalls } from './calls/service.ts';
import type { Schemas } from './calls/shapes.ts';
import type { Carriable } from './carriable.ts';
import type { ContractJob, FieldsOf, Job } from './contract.ts';
import { durationMs } from './duration.ts';
import { type BatchItem, type Draft, draftOf, draftOfItem, draftOfType, type EnqueueOptions } from './enqueue.ts';
import { type EventOptions, follow, type ServiceEvent } from './events.ts';
import { RawJson } from './json-text.ts';
import { ChokaQError } from './problem.ts';
import { type Api, type CallOptions, type ClientOptions, type WaitOptions, Wire } from './wire.ts';

/** Filled by the file that `chokaq types` writes: each registered type key with its payload. */
// biome-ignore lint/suspicious/noEmptyInterface: it is there to be added to.
export interface JobTypes {}

/** Any text until there is a file of types; then only the keys in it. */
export type TypeKey<Types> = [keyof Types] extends [never] ? string : Extract<keyof Types, string>;
type PayloadFor<Types, Key> = Key extends keyof Types ? Types[Key] : unknown;

/** A job in either form whose fields JSON can carry. */
type Enqueueable<J extends Job> = J extends ContractJob<infer _> ? J : J & Carriable<FieldsOf<J>>;

/** What one request asks the service to hold its answer. */
const LONGEST_WAIT_MS = 30_000;
const MARGIN_MS = 15_000;

export class ChokaQ<Types extends object = JobTypes> {
  readonly #wire: Wire;
  readonly jobs: JobCalls;
  readonly dlq: DlqCalls;
  readonly queues: QueueCalls;
  readonly handlers: HandlerCalls;
  readonly circuits: CircuitCalls;
  readonly operations: OperationCalls;
  readonly nodes: NodeCalls;
  readonly settings: SettingCalls;
  readonly stats: StatsCalls;
  readonly audit: AuditCalls;

  constructor(options: ClientOptions) {
    this.#wire = new Wire(options);
    this.jobs = new JobCalls(this.#wire);
    this.dlq = new DlqCalls(this.#wire);
    this.queues = new QueueCalls(this.#wire);
    this.handlers = new HandlerCalls(this.#wire);
    this.circuits = new CircuitCalls(this.#wire);
    this.operations = new OperationCalls(this.#wire);
    this.nodes = new NodeCalls(this.#wire);
    this.settings = new SettingCalls(this.#wire);
    this.stats = new StatsCalls(this.#wire);
    this.audit = new AuditCalls(this.#wire);
  }

  /** Every route of the contract, typed; refusals are thrown as `ChokaQError` here too. */
  get api(): Api {
    return this.#wire.api;
  }

  /** Stores a job. Resolves after the commit; a lost answer is asked for again with the same id. */
  enqueue<J extends Job>(job: Enqueueable<J>, options?: EnqueueOptions & CallOptions): Promise<Schemas['EnqueuedJob']>;
  enqueue<Key extends TypeKey<Types>, Payload extends PayloadFor<Types, Key>>(
    type: Key,
    payload: (Payload & Carriable<Payload>) | RawJson,
    options?: EnqueueOptions & CallOptions,
  ): Promise<Schemas['EnqueuedJob']>;
  async enqueue(first: Job | string, second?: unknown, third?: object): Promise<Schemas['EnqueuedJob']> {
    const isKeyed = typeof first === 'string';
    const { signal, ...options } = ((isKeyed ? third : second) ?? {}) as EnqueueOptions & CallOptions;
    const draft = isKeyed ? draftOfType(first, second, options) : await draftOf(first, options);
    return this.#post(draft, signal);
  }

  /** Stores up to 1 000 jobs, all or none. Exact text is the whole body, whose jobs should have ids: only then is a resend safe. */
  async enqueueBatch(jobs: readonly BatchItem[] | RawJson, options: CallOptions = {}): Promise<Schemas['BatchResult']> {
    const drafts = jobs instanceof RawJson ? [] : await Promise.all(jobs.map(draftOfItem));
    const text =
      jobs instanceof RawJson ? jobs : new RawJson(`{"jobs":[${drafts.map(draft => draft.text).join(',')}]}`);
    const body = text as unknown as Schemas['NewBatch'];
    const lost: number[] = [];
    const nature = { ...options, isSafe: true, onLost: (tries: number) => void lost.push(tries) };
    const result = await this.#wire.call(nature, api => api.POST('/jobs/batch', { body }));
    if (lost.length === 0 || drafts.length === 0) return result;
    const mine = new Set(drafts.map(({ id }) => id));
    return { results: result.results.map(each => ({ ...each, duplicate: each.duplicate && !mine.has(each.id) })) };
  }

  /** Resolves with the job once it has succeeded or is dead; rejects with the code `timeout` when it has not. */
  async waitFor(id: string, { timeout = '5m', signal }: WaitOptions = {}): Promise<Schemas['Job']> {
    const endsAt = performance.now() + durationMs(timeout, 'timeout');
    for (;;) {
      const waitMs = Math.max(0, Math.min(LONGEST_WAIT_MS, Math.round(endsAt - performance.now())));
      const params = { path: { id }, query: { wait: `${waitMs}ms` } };
      const nature = { timeoutMs: waitMs + MARGIN_MS, signal };
      const job = await this.#wire.call(nature, api => api.GET('/jobs/{id}', { params }));
      if (job.state === 'succeeded' || job.state === 'dead') return job;
      if (performance.now() >= endsAt) {
        throw new ChokaQError(`job ${id} is still ${job.state}; wait longer, or look at it later`, { code: 'timeout' });
      }
    }
  }

  /**
   * Follows what the service commits, from the moment of the first `next` or from behind `lastEventId`. A stream that breaks
   * off is taken up where it was. Leave the loop, or abort the signal, to end it.
   */
  events(options: EventOptions = {}): AsyncGenerator<ServiceEvent, void, undefined> {
    return follow(this.#wire, options);
  }

  /** A duplicate of our own lost try is no duplicate to the caller. */
  async #post({ id, text }: Draft, signal: AbortSignal | undefined): Promise<Schemas['EnqueuedJob']> {
    const body = new RawJson(text) as unknown as Schemas['NewJob'];
    const lost: number[] = [];
    const nature = { isSafe: true, onLost: (tries: number) => void lost.push(tries), signal };
    const job = await this.#wire.call(nature, api => api.POST('/jobs', { body }));
    return lost.length > 0 && job.id === id ? { ...job, duplicate: false } : job;
  }
}
