// Owns the jobs of the fake service and the routes that tests of producers need; any other route says that it is not there.

/** As the service tells of jobs, with the exact text of the payload. */
export interface FakeJob {
  readonly id: string;
  readonly type: string;
  readonly queue: string;
  readonly priority: number;
  readonly tags: readonly string[];
  readonly payload: unknown;
  readonly payloadText: string;
  readonly idempotencyKey: string | null;
  readonly maxAttempts: number;
  readonly round: number;
  readonly createdAt: string;
  readonly dueAt: string;
  /** What was posted besides. */
  readonly posted: Readonly<Record<string, unknown>>;
  state: string;
  attempts: number;
  failureReason: string | null;
  lastResponseStatus: number | null;
  lastResponseBody: string | null;
}

type Posted = Readonly<Record<string, unknown>> & { readonly type: string; readonly payload: unknown };
type Stored = FakeJob & { readonly duplicate: boolean };

/** Behind the envelope: the client writes the payload last. */
const MARK = ',"payload":';
const UNITS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

export class FakeJobs {
  readonly all: FakeJob[] = [];
  readonly #handlers = new Map<string, object>();

  /** The most urgent job that can run now. */
  next(delayed: boolean): FakeJob | undefined {
    const now = new Date().toISOString();
    const ready = this.all.filter(job => job.state === 'pending' && (delayed || job.dueAt <= now));
    return ready.sort((one, other) => other.priority - one.priority || (one.dueAt < other.dueAt ? -1 : 1))[0];
  }

  async answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const text = await request.text();
    const [, resource = '', name = ''] = pathname.split('/').map(decodeURIComponent);
    const call = `${request.method} ${pathname}`;
    if (call === 'POST /jobs') return this.#enqueue(text);
    if (call === 'POST /jobs/batch') return this.#enqueueBatch(text);
    if (call === 'GET /jobs') return json(200, { items: [...this.all].reverse(), nextCursor: null });
    if (request.method === 'PUT' && resource === 'handlers') return this.#register(name, text);
    if (request.method === 'GET' && resource === 'handlers' && name === '') return json(200, this.#handlerPage());
    if (request.method === 'GET' && resource === 'jobs' && pathname.split('/').length === 3) return this.#get(name);
    return problem(501, 'not-in-the-fake', `The fake service has no ${call}. Test it against a real one.`);
  }

  #enqueue(text: string): Response {
    const job = this.#store(JSON.parse(text), payloadTexts(text)[0] ?? 'null');
    return job instanceof Response ? job : json(job.duplicate ? 200 : 201, job);
  }

  #enqueueBatch(text: string): Response {
    const { jobs } = JSON.parse(text) as { jobs: Posted[] };
    const texts = payloadTexts(text);
    const results = jobs.map((job, at) => this.#store(job, texts[at] ?? 'null'));
    const refused = results.find(result => result instanceof Response);
    return refused ?? json(200, { results: (results as Stored[]).map(({ id, duplicate }) => ({ id, duplicate })) });
  }

  #store(posted: Posted, payloadText: string): Stored | Response {
    const key = posted.idempotencyKey ?? null;
    const same = this.all.find(job => job.id === posted.id);
    const isSame = same && same.type === posted.type && same.payloadText === payloadText;
    if (same && !isSame) return problem(409, 'id-conflict', `Job ${same.id} exists with other content.`);
    const active = this.all.find(job => key !== null && job.idempotencyKey === key && job.state === 'pending');
    const existing = same ?? active;
    if (existing && existing === active && existing.payloadText !== payloadText && posted.onConflict !== 'keep') {
      return problem(422, 'idempotency-conflict', `Job ${existing.id} holds the key with other content.`);
    }
    if (existing) return { ...existing, duplicate: true };
    const job = fakeJob(posted, payloadText);
    this.all.push(job);
    return { ...job, duplicate: false };
  }

  #get(id: string): Response {
    const job = this.all.find(each => each.id === id);
    return job ? json(200, job) : problem(404, 'not-found', `There is no job ${id}.`);
  }

  #register(type: string, text: string): Response {
    const isNew = !this.#handlers.has(type);
    const { secret = null, ...handler } = JSON.parse(text) as { secret?: string };
    this.#handlers.set(type, { type, ...handler });
    return json(isNew ? 201 : 200, { type, ...handler, secret });
  }

  #handlerPage(): object {
    return { items: [...this.#handlers.values()], nextCursor: null };
  }
}

function fakeJob(posted: Posted, payloadText: string): FakeJob {
  const { id, type, payload, queue = 'default', priority = 10, tags = [], idempotencyKey = null, ...rest } = posted;
  const now = Date.now();
  const dueAt = new Date(rest.runAt ? String(rest.runAt) : now + delayMs(rest.delay)).toISOString();
  const facts = { id: id ?? crypto.randomUUID(), type, payload, payloadText, queue, priority, tags, idempotencyKey };
  const createdAt = new Date(now).toISOString();
  const ended = { failureReason: null, lastResponseStatus: null, lastResponseBody: null };
  const counts = { state: 'pending', attempts: 0, maxAttempts: rest.maxAttempts ?? 3, round: 1 };
  return { ...facts, ...counts, ...ended, createdAt, dueAt, posted } as unknown as FakeJob;
}

function delayMs(delay: unknown): number {
  const parts = typeof delay === 'string' ? [...delay.matchAll(/(\d+)(ms|[dhms])/g)] : [];
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** The exact text of each payload. Where it cannot be taken out of the body as it stands, it is written anew. */
function payloadTexts(body: string): string[] {
  const { jobs } = JSON.parse(body) as { jobs?: Posted[] };
  if (jobs === undefined) return [body.slice(body.indexOf(MARK) + MARK.length, -1)];
  const inner = body.slice(body.indexOf('[') + 1, -2);
  const parts = inner.split(/(?<=\}),(?=\{"id":)/);
  const isWhole = parts.length === jobs.length;
  return jobs.map(({ payload }, at) =>
    isWhole ? (parts[at] ?? '').split(MARK).slice(1).join(MARK).slice(0, -1) : JSON.stringify(payload),
  );
}

function json(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function problem(status: number, code: string, detail: string): Response {
  const document = {
    type: `/problems/${code}`,
    title: detail,
    status,
    detail,
    instance: '',
    code,
    requestId: '',
    errors: [],
  };
  return new Response(JSON.stringify(document), { status, headers: { 'content-type': 'application/problem+json' } });
}
