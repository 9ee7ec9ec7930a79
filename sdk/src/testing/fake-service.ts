// Owns a service in this process for tests of producers and handlers: no port, no waiting, the same answers for what it can do.
import { ChokaQ } from '../client.ts';
import { durationMs } from '../duration.ts';
import type { Fetch } from '../patience.ts';
import type { Profile } from '../receiver/profile.ts';
import { newSecret } from '../receiver/signature.ts';
import type { FakeJob } from './fake-job.ts';
import { FakeJobs } from './fake-jobs.ts';
import { FakeHandlers, FakeQueues } from './fake-registry.ts';
import { answered, type FakeParts } from './fake-routes.ts';
import { signedRequest } from './signed-request.ts';

export interface DrainOptions {
  /** Also run what is due later; on unless told otherwise, for a test does not wait. */
  readonly delayed?: boolean;
  /** A guard against handlers that enqueue forever. */
  readonly maxCalls?: number;
}

export interface Drained {
  readonly calls: number;
  readonly succeeded: readonly FakeJob[];
  readonly dead: readonly FakeJob[];
}

type Receive = (request: Request) => Promise<Response>;

const MOST_CALLS = 10_000;
const THROTTLED = [429, 503];
const RETRYABLE = [401, 403, 404, 408, 409, 421, 423, 425];

export class FakeChokaQ {
  readonly #parts: FakeParts;
  readonly secret = newSecret();
  /** For `new ChokaQ({ url, fetch })`; any url will do. */
  readonly fetch: Fetch = async request => {
    if (this.isAway) throw new TypeError('fetch failed', { cause: new Error('the fake service is away') });
    return answered(request, this.#parts);
  };
  /** While true nobody reaches it, as if it were down. */
  isAway = false;

  constructor() {
    const jobs = new FakeJobs();
    this.#parts = { jobs, queues: new FakeQueues(jobs.all), handlers: new FakeHandlers() };
  }

  /** A client that talks to this. */
  client(): ChokaQ {
    return new ChokaQ({ url: 'http://fake.chokaq.test', fetch: this.fetch, retryFor: 0 });
  }

  /** In the order of their making. */
  get jobs(): readonly FakeJob[] {
    return this.#parts.jobs.all;
  }

  jobsOf(type: string): readonly FakeJob[] {
    return this.jobs.filter(job => job.type === type);
  }

  /**
   * Delivers, signed, until nothing is left that can run; retries come at once, paused queues stay. Throws for a type that the
   * profile does not handle.
   */
  async drain(profile: Profile, { delayed = true, maxCalls = MOST_CALLS }: DrainOptions = {}): Promise<Drained> {
    const receive = profile.fetchHandler({ secret: this.secret });
    const ran = new Set<FakeJob>();
    let calls = 0;
    for (let job = this.#next(delayed); job; job = this.#next(delayed)) {
      ran.add(job);
      if (this.#parts.jobs.isDone(job)) {
        job.end('duplicate', null);
        continue;
      }
      if (calls++ >= maxCalls) throw new Error(`drain made ${maxCalls} calls and is not done`);
      if (!profile.handles(job.type)) throw new Error(`the profile ${profile.name} has no handler for ${job.type}`);
      await this.#deliver(job, receive);
    }
    const ended = (state: string) => [...ran].filter(job => job.state === state);
    return { calls, succeeded: ended('succeeded'), dead: ended('dead') };
  }

  /** The most urgent job that can run now. */
  #next(delayed: boolean): FakeJob | undefined {
    const { jobs, queues } = this.#parts;
    const ready = jobs.all.filter(
      ({ state, queue }) => (state === 'pending' || (delayed && state === 'scheduled')) && !queues.isStopped(queue),
    );
    return ready.sort((one, other) => other.priority - one.priority || (one.dueAt < other.dueAt ? -1 : 1))[0];
  }

  async #deliver(job: FakeJob, receive: Receive): Promise<void> {
    const signal = job.start();
    const { type, id: jobId, payloadText: text, attempts: attempt, maxAttempts, queue, round, idempotencyKey } = job;
    const facts = { jobId, text, attempt, maxAttempts, queue, round, idempotencyKey, secret: this.secret, signal };
    const response = await receive(await signedRequest(type, undefined, facts));
    const answer = { status: response.status, body: await response.text() };
    const outcome = outcomeOf(response, signal);
    const isLast = attempt >= maxAttempts;
    if (outcome === 'succeeded') job.finish(outcome, { ...answer, error: null }, null);
    else job.finish(outcome, { ...answer, error: `the handler answered ${answer.status}` }, reasonOf(outcome, isLast));
    if (outcome === 'succeeded' && job.resultTtl !== null) {
      this.#parts.jobs.remember(job, durationMs(job.resultTtl, 'resultTtl'));
    }
  }
}

/** As the service reads an answer (docs/handlers.md, "Answers"). */
function outcomeOf({ status, ok, headers }: Response, signal: AbortSignal) {
  const said = headers.get('chokaq-retry');
  if (said === 'never') return 'fatal';
  if (said !== null) return 'retryable';
  if (ok) return 'succeeded';
  if (signal.aborted) return 'cancelled';
  if (THROTTLED.includes(status)) return 'throttled';
  return status >= 500 || RETRYABLE.includes(status) ? 'retryable' : 'fatal';
}

function reasonOf(outcome: 'fatal' | 'cancelled' | 'throttled' | 'retryable', isLast: boolean): string | null {
  if (outcome === 'fatal') return 'FatalError';
  if (outcome === 'cancelled') return 'Cancelled';
  if (!isLast) return null;
  return outcome === 'throttled' ? 'Throttled' : 'MaxRetriesExceeded';
}
