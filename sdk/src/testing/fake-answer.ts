// Owns the answers of the fake service: JSON, problems, pages, and the exact texts of payloads in what was posted.
import type { Posted } from './fake-job.ts';

const REQUEST_ID = '00000000-0000-7000-8000-000000000000';
const ALWAYS = { 'x-request-id': REQUEST_ID };

/** A refusal, as the service would give it. */
export class FakeRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, detail: string) {
    super(detail);
    this.status = status;
    this.code = code;
  }

  toResponse(): Response {
    const { status, code, message: detail } = this;
    const facts = { type: `/problems/${code}`, title: detail, status, detail, instance: '/fake', code };
    const document = { ...facts, requestId: REQUEST_ID, errors: [] };
    return new Response(JSON.stringify(document), {
      status,
      headers: { 'content-type': 'application/problem+json', ...ALWAYS },
    });
  }
}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...ALWAYS, ...headers },
  });
}

export function nothing(): Response {
  return new Response(null, { status: 204, headers: ALWAYS });
}

const DEFAULT_LIMIT = 50;

/** One page; the cursor is how many items came before it. */
export function page<Item>(items: readonly Item[], query: URLSearchParams, present: (item: Item) => object): Response {
  const from = Number(query.get('cursor') ?? 0);
  const to = from + Number(query.get('limit') ?? DEFAULT_LIMIT);
  const nextCursor = to < items.length ? String(to) : null;
  return json(200, { items: items.slice(from, to).map(present), nextCursor });
}

/** Behind the envelope: the client writes the payload last. */
const MARK = ',"payload":';

/** The exact text of each payload. Where it cannot be taken out of the body as it stands, it is written anew. */
export function payloadTexts(body: string): string[] {
  const { jobs, payload } = JSON.parse(body) as { jobs?: Posted[]; payload?: unknown };
  if (jobs === undefined)
    return [body.includes(MARK) ? body.slice(body.indexOf(MARK) + MARK.length, -1) : JSON.stringify(payload)];
  const parts = body.slice(body.indexOf('[') + 1, -2).split(/(?<=\}),(?=\{"id":)/);
  const isWhole = parts.length === jobs.length && parts.every(part => part.includes(MARK));
  return jobs.map((job, at) =>
    isWhole ? (parts[at] ?? '').split(MARK).slice(1).join(MARK).slice(0, -1) : JSON.stringify(job.payload),
  );
}
