// Owns the routes of the fake service: all that producers call, and what operators do with jobs, queues and handlers.
import { newSecret } from '../receiver/signature.ts';
import { FakeRefusal, json, nothing, page, payloadTexts } from './fake-answer.ts';
import type { FakeJob, Posted } from './fake-job.ts';
import { type FakeJobs, newestFirst } from './fake-jobs.ts';
import type { FakeHandlers, FakeQueues } from './fake-registry.ts';

export interface FakeParts {
  readonly jobs: FakeJobs;
  readonly queues: FakeQueues;
  readonly handlers: FakeHandlers;
}

interface FakeCall extends FakeParts {
  readonly request: Request;
  /** What stands at the `*` of the route. */
  readonly name: string;
  readonly query: URLSearchParams;
  /** The parsed body, an empty object without one. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** The first that fits counts. */
const ROUTES: Readonly<Record<string, (call: FakeCall) => Response>> = {
  'POST /jobs': call => {
    const { job, duplicate } = enqueue(call, call.body as Posted, payloadTexts(call.text)[0] ?? 'null');
    return json(duplicate ? 200 : 201, { ...job.present(), duplicate }, { location: `/jobs/${job.id}` });
  },
  'POST /jobs/batch': enqueueBatch,
  'POST /jobs/cancel': ({ jobs, body }) =>
    json(
      200,
      resultsOf(body, id => jobs.cancel(id)),
    ),
  'GET /jobs': ({ jobs, query }) => {
    const isFull = query.get('view') === 'full';
    return page(jobs.matching(query), query, job => (isFull ? whole(job) : job.present()));
  },
  'GET /jobs/*': ({ jobs, name }) => json(200, whole(jobs.get(name)), { etag: jobs.get(name).etag }),
  'GET /jobs/*/attempts': ({ jobs, name }) => json(200, { items: jobs.get(name).history, nextCursor: null }),
  'PATCH /jobs/*': ({ jobs, name, request, body }) => {
    const job = jobs.edit(name, request.headers.get('if-match'), body);
    return json(200, whole(job), { etag: job.etag });
  },
  'DELETE /jobs/*': ({ jobs, name }) => {
    jobs.discard(name, 'succeeded');
    return nothing();
  },
  'POST /jobs/*/cancel': ({ jobs, name }) => {
    const job = jobs.cancel(name);
    return json(job.isActive ? 202 : 200, whole(job), { etag: job.etag });
  },
  'GET /dlq': ({ jobs, query }) => {
    const dead = jobs.matching(new URLSearchParams([...query, ['state', 'dead']]));
    return page(dead.sort(newestFirst(job => job.finishedAt ?? '')), query, job => job.present());
  },
  'GET /dlq/*': ({ jobs, name }) => json(200, whole(jobs.dead(name)), { etag: jobs.dead(name).etag }),
  'DELETE /dlq/*': ({ jobs, name }) => {
    jobs.discard(name, 'dead');
    return nothing();
  },
  'POST /dlq/*/resurrect': ({ jobs, name, body }) => {
    const job = jobs.resurrect(name, body);
    return json(200, whole(job), { etag: job.etag });
  },
  'POST /dlq/resurrect': ({ jobs, body }) =>
    json(
      200,
      resultsOf(body, id => jobs.resurrect(id, {})),
    ),
  'POST /dlq/purge': ({ jobs, body }) =>
    json(
      200,
      resultsOf(body, id => jobs.discard(id, 'dead')),
    ),
  'GET /queues': ({ queues }) => json(200, { items: queues.list(), nextCursor: null }),
  'GET /queues/*': ({ queues, name }) => json(200, queues.present(name)),
  'PATCH /queues/*': ({ queues, name, body }) => json(200, stopped(queues.change(name, body, true))),
  'DELETE /queues/*': ({ queues, name }) => {
    queues.remove(name);
    return nothing();
  },
  'POST /queues/*/pause': ({ queues, name }) => json(200, stopped(queues.change(name, { isPaused: true }))),
  'POST /queues/*/resume': ({ queues, name }) => json(200, queues.change(name, { isPaused: false })),
  'GET /handlers': ({ handlers }) => json(200, { items: handlers.list(), nextCursor: null }),
  'GET /handlers/*': ({ handlers, name }) => json(200, handlers.get(name)),
  'PUT /handlers/*': ({ handlers, name, body }) => {
    const isNew = handlers.put(name, body);
    const secret = body.secret ?? (isNew ? newSecret() : null);
    const place = isNew ? { location: `/handlers/${encodeURIComponent(name)}` } : {};
    return json(isNew ? 201 : 200, { ...handlers.get(name), secret }, place);
  },
  'DELETE /handlers/*': ({ handlers, name }) => {
    handlers.remove(name);
    return nothing();
  },
  'GET /readyz': () => json(200, { status: 'ok', checks: {} }),
};

export async function answered(request: Request, parts: FakeParts): Promise<Response> {
  const { pathname, searchParams: query } = new URL(request.url);
  const [resource = '', name = '', verb] = pathname.split('/').slice(1);
  const text = await request.text();
  const generic = `${request.method} /${resource}/*${verb === undefined ? '' : `/${verb}`}`;
  const route = ROUTES[`${request.method} ${pathname}`] ?? ROUTES[generic];
  try {
    if (route === undefined) throw notHere(`${request.method} ${pathname}`);
    const body = text === '' ? {} : JSON.parse(text);
    return route({ ...parts, request, name: decodeURIComponent(name), query, body, text });
  } catch (error) {
    if (error instanceof FakeRefusal) return error.toResponse();
    throw error;
  }
}

function notHere(call: string): FakeRefusal {
  const detail = `The fake service has no ${call}: it is for what producers and handlers do. Test this against a real one, or answer it with a fetch of your own.`;
  return new FakeRefusal(501, 'not-in-the-fake', detail);
}

function whole(job: FakeJob): object {
  return { ...job.present(), payload: job.payload };
}

function stopped(queue: object): object {
  return { ...queue, unacknowledgedBy: [] };
}

function enqueue({ jobs, handlers }: FakeParts, posted: Posted, payloadText: string, now = Date.now()) {
  const { maxAttempts } = posted;
  const most = typeof maxAttempts === 'number' ? maxAttempts : handlers.maxAttempts(posted.type);
  return jobs.enqueue(posted, payloadText, most, now);
}

/** All or none. */
function enqueueBatch(call: FakeCall): Response {
  const { jobs, body, text } = call;
  const before = [...jobs.all];
  const texts = payloadTexts(text);
  const now = Date.now();
  try {
    const stored = (body.jobs as Posted[]).map((posted, at) => enqueue(call, posted, texts[at] ?? 'null', now));
    return json(200, { results: stored.map(({ job, duplicate }) => ({ id: job.id, duplicate })) });
  } catch (error) {
    jobs.all.splice(0, jobs.all.length, ...before);
    throw error;
  }
}

function resultsOf({ ids }: FakeCall['body'], action: (id: string) => unknown): object {
  if (!Array.isArray(ids)) throw notHere('bulk action by filter');
  const results = ids.map(id => {
    try {
      action(id);
      return { id, ok: true, code: null };
    } catch (error) {
      if (error instanceof FakeRefusal) return { id, ok: false, code: error.code };
      throw error;
    }
  });
  return { results };
}
