// Owns the demo's talk with the service: plain HTTP calls that are patient while it is away, as a good producer is.
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 30_000;
const BREATH_MS = 200;

/** A job as the API lists it; only what the demo looks at. */
export interface ListedJob {
  readonly id: string;
  readonly type: string;
  readonly state: string;
  readonly attempts: number;
  readonly failureReason: string | null;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Body = Readonly<Record<string, unknown>>;

export class Client {
  readonly #baseUrl: () => string;

  /** `baseUrl` is asked anew at each try: a service that was started again may listen elsewhere. */
  constructor(baseUrl: () => string) {
    this.#baseUrl = baseUrl;
  }

  /** Repeats a call that got no answer, or 503. That is safe: our jobs carry their ids, so nothing is stored twice. */
  async call(method: string, path: string, body?: string): Promise<Body> {
    const endsAt = performance.now() + PATIENCE_MS;
    for (;;) {
      const answer = await this.#try(method, path, body);
      if (answer !== undefined && answer.status !== 503) return read(answer, `${method} ${path}`);
      if (performance.now() > endsAt) throw new Error(`${method} ${path} got no answer for ${PATIENCE_MS / 1000} s`);
      await pause(BREATH_MS);
    }
  }

  /** All jobs with the tag, in any state. */
  async jobsTagged(tag: string): Promise<ListedJob[]> {
    const jobs: ListedJob[] = [];
    let cursor = '';
    do {
      const page = await this.call('GET', `/jobs?limit=200&tag=${encodeURIComponent(tag)}${cursor}`);
      jobs.push(...(page.items as ListedJob[]));
      cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(String(page.nextCursor))}`;
    } while (cursor !== '');
    return jobs;
  }

  async #try(method: string, path: string, body?: string): Promise<Answer | undefined> {
    const headers = { 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body, headers };
    try {
      const signal = AbortSignal.timeout(10_000);
      const response = await fetch(this.#baseUrl() + path, { method, ...content, signal });
      return { status: response.status, text: await response.text() };
    } catch {
      return undefined;
    }
  }
}

function read({ status, text }: Answer, call: string): Body {
  if (status >= 300) throw new Error(`${call} was answered with ${status}: ${text}`);
  return JSON.parse(text);
}
