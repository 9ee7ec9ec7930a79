// Owns a service in this process for tests of producers and handlers: no port, no waiting, the same answers for what it can do.
import { ChokaQ } from '../client.ts';
import type { Fetch } from '../patience.ts';
import type { Profile } from '../receiver/profile.ts';
import { newSecret } from '../receiver/signature.ts';
import { type FakeJob, FakeJobs } from './fake-jobs.ts';
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

const MOST_CALLS = 10_000;
const FATAL = (status: number) =>
  status < 500 && status >= 300 && ![401, 403, 404, 408, 409, 421, 423, 425, 429].includes(status);

export class FakeChokaQ {
  readonly #jobs = new FakeJobs();
  readonly secret = newSecret();
  /** For `new ChokaQ({ url, fetch })`; any url will do. */
  readonly fetch: Fetch = request => this.#jobs.answer(request);

  /** A client that talks to this. */
  client(): ChokaQ {
    return new ChokaQ({ url: 'http://fake.chokaq.test', fetch: this.fetch, retryFor: 0 });
  }

  get jobs(): readonly FakeJob[] {
    return this.#jobs.all;
  }

  jobsOf(type: string): readonly FakeJob[] {
    return this.jobs.filter(job => job.type === type);
  }

  /** Delivers, signed, until nothing is left that can run; retries come at once. Throws for a type that the profile does not handle. */
  async drain(profile: Profile, { delayed = true, maxCalls = MOST_CALLS }: DrainOptions = {}): Promise<Drained> {
    const receive = profile.fetchHandler({ secret: this.secret });
    const ran = new Set<FakeJob>();
    let calls = 0;
    for (let job = this.#jobs.next(delayed); job; job = this.#jobs.next(delayed)) {
      if (calls++ >= maxCalls) throw new Error(`drain made ${maxCalls} calls and is not done`);
      if (!profile.handles(job.type)) throw new Error(`the profile ${profile.name} has no handler for ${job.type}`);
      ran.add(job);
      await this.#deliver(job, receive);
    }
    const ended = (state: string) => [...ran].filter(job => job.state === state);
    return { calls, succeeded: ended('succeeded'), dead: ended('dead') };
  }

  async #deliver(job: FakeJob, receive: (request: Request) => Promise<Response>): Promise<void> {
    job.attempts += 1;
    const { type, id, payloadText, attempts: attempt, ...rest } = job;
    const facts = { ...rest, jobId: id, attempt, secret: this.secret, text: payloadText };
    const response = await receive(await signedRequest(type, undefined, facts));
    const text = await response.text();
    Object.assign(job, { lastResponseStatus: response.status, lastResponseBody: text });
    if (response.ok) job.state = 'succeeded';
    else if (response.headers.get('chokaq-retry') === 'never' || FATAL(response.status)) die(job, 'FatalError');
    else if (attempt >= job.maxAttempts) die(job, response.status === 429 ? 'Throttled' : 'MaxRetriesExceeded');
    else job.state = 'pending';
  }
}

function die(job: FakeJob, failureReason: string): void {
  Object.assign(job, { state: 'dead', failureReason });
}
