// Owns the named calls of the client, grouped as the service's paths are.
import type { RawJson } from './json-text.ts';
import { Listing } from './listing.ts';
import type { components, operations } from './openapi.gen.ts';
import type { CallOptions, Wire } from './wire.ts';

export type Schemas = components['schemas'];
/** Query parameters of an operation, but for the cursor, which a `Listing` keeps. */
type Query<Name extends keyof operations> = operations[Name] extends { parameters: { query?: infer Parameters } }
  ? Omit<NonNullable<Parameters>, 'cursor'>
  : never;
/** A member of the body may be exact text. */
type WithRaw<Body> = { [Member in keyof Body]: Body[Member] } | RawJson;

export type BulkAnswer = Schemas['ActionResults'] | Schemas['BulkResult'] | Schemas['Operation'];

/** The library takes members away whose type is only `null`. */
type Told<Data> = Promise<{ data?: Data; response: Response }>;

export class JobCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(query: Query<'listJobs'> = {}, { signal }: CallOptions = {}): Listing<Schemas['ListedJob']> {
    return new Listing(cursor =>
      this.#wire.call({}, api =>
        api.GET('/jobs', { params: { query: { ...query, ...at(cursor) } }, ...aborted(signal) }),
      ),
    );
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Schemas['Job']> {
    return this.#wire.call({}, api => api.GET('/jobs/{id}', { params: { path: { id } }, ...aborted(signal) }));
  }

  /** The job with its exact JSON text, in which big integers stand as they were posted, and its ETag for `edit`. */
  async read(id: string, { signal }: CallOptions = {}): Promise<{ job: Schemas['Job']; text: string; etag: string }> {
    let etag = '';
    const text = await this.#wire.call({}, async api => {
      const answer = await api.GET('/jobs/{id}', { params: { path: { id } }, parseAs: 'text', ...aborted(signal) });
      etag = answer.response.headers.get('etag') ?? '';
      return { data: answer.data ?? '', response: answer.response };
    });
    return { job: JSON.parse(text), text, etag };
  }

  attempts(id: string, { signal }: CallOptions = {}): Listing<Schemas['Attempt']> {
    return new Listing(() =>
      this.#wire.call({}, api => api.GET('/jobs/{id}/attempts', { params: { path: { id } }, ...aborted(signal) })),
    );
  }

  /** Changes a job that is not running. `etag` is that of the job as it was read. */
  edit(id: string, etag: string, patch: WithRaw<Schemas['JobPatch']>): Promise<Schemas['Job']> {
    const params = { path: { id }, header: { 'if-match': etag } };
    return this.#wire.call({}, api => api.PATCH('/jobs/{id}', { params, body: patch as Schemas['JobPatch'] }));
  }

  delete(id: string): Promise<void> {
    return this.#wire.call({}, api => api.DELETE('/jobs/{id}', { params: { path: { id } } }));
  }

  cancel(id: string): Promise<Schemas['Job']> {
    return this.#wire.call({}, api => api.POST('/jobs/{id}/cancel', { params: { path: { id } } }));
  }

  cancelMany(ids: readonly string[]): Promise<Schemas['ActionResults']> {
    return this.#wire.call({}, api => api.POST('/jobs/cancel', { body: { ids: [...ids] } }));
  }
}

export class DlqCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(query: Query<'listDeadJobs'> = {}, { signal }: CallOptions = {}): Listing<Schemas['ListedJob']> {
    return new Listing(cursor =>
      this.#wire.call({}, api =>
        api.GET('/dlq', { params: { query: { ...query, ...at(cursor) } }, ...aborted(signal) }),
      ),
    );
  }

  get(id: string): Promise<Schemas['Job']> {
    return this.#wire.call({}, api => api.GET('/dlq/{id}', { params: { path: { id } } }));
  }

  resurrect(id: string, edits?: WithRaw<Schemas['JobEdits']>): Promise<Schemas['Job']> {
    const body = edits === undefined ? {} : { body: edits as Schemas['JobEdits'] };
    return this.#wire.call({}, api => api.POST('/dlq/{id}/resurrect', { params: { path: { id } }, ...body }));
  }

  purge(id: string): Promise<void> {
    return this.#wire.call({}, api => api.DELETE('/dlq/{id}', { params: { path: { id } } }));
  }

  /** What a bulk action would do, and the token to do exactly that. */
  preview(preview: Schemas['NewPreview']): Promise<Schemas['Preview']> {
    return this.#wire.call({ isSafe: true }, api => api.POST('/dlq/preview', { body: preview }));
  }

  /** By `ids`: the result for each. By `token`: what became of the previewed jobs, or the operation that works through them. */
  resurrectMany(which: Schemas['BulkResurrection']): Promise<BulkAnswer> {
    return this.#wire.call({}, api => api.POST('/dlq/resurrect', { body: which }));
  }

  purgeMany(which: Schemas['BulkPurge']): Promise<BulkAnswer> {
    return this.#wire.call({}, api => api.POST('/dlq/purge', { body: which }));
  }

  /** How far a bulk action has come. */
  operation(id: string): Promise<Schemas['Operation']> {
    return this.#wire.call({}, api => api.GET('/operations/{id}', { params: { path: { id } } }));
  }

  errors(): Listing<Schemas['ErrorFamilies']['items'][number]> {
    return new Listing(() => this.#wire.call({}, api => api.GET('/dlq/errors')));
  }
}

export class QueueCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(): Listing<Schemas['Queue']> {
    return new Listing(() => this.#wire.call({}, api => api.GET('/queues')));
  }

  get(name: string): Promise<Schemas['Queue']> {
    return this.#wire.call({}, api => api.GET('/queues/{name}', { params: { path: { name } } }));
  }

  configure(name: string, patch: Schemas['QueuePatch']): Promise<Schemas['StoppedQueue']> {
    const isSafe = true;
    return this.#wire.call({ isSafe }, api => api.PATCH('/queues/{name}', { params: { path: { name } }, body: patch }));
  }

  remove(name: string): Promise<void> {
    return this.#wire.call({}, api => api.DELETE('/queues/{name}', { params: { path: { name } } }));
  }

  pause(name: string): Promise<Schemas['StoppedQueue']> {
    return this.#wire.call({ isSafe: true }, api => api.POST('/queues/{name}/pause', { params: { path: { name } } }));
  }

  resume(name: string): Promise<Schemas['Queue']> {
    return this.#wire.call({ isSafe: true }, api => api.POST('/queues/{name}/resume', { params: { path: { name } } }));
  }
}

export class HandlerCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(): Listing<Schemas['Handler']> {
    return new Listing(() => this.#wire.call({}, api => api.GET('/handlers') as Told<Schemas['HandlerPage']>));
  }

  get(type: string): Promise<Schemas['Handler']> {
    return this.#wire.call(
      {},
      api => api.GET('/handlers/{type}', { params: { path: { type } } }) as Told<Schemas['Handler']>,
    );
  }

  /** Registers or replaces; the secret is in the answer only when this call set it. */
  put(
    type: string,
    handler: Schemas['NewHandler'],
    query: Query<'putHandler'> = {},
  ): Promise<Schemas['RegisteredHandler']> {
    const params = { path: { type }, query };
    return this.#wire.call(
      {},
      api => api.PUT('/handlers/{type}', { params, body: handler }) as Told<Schemas['RegisteredHandler']>,
    );
  }

  remove(type: string, query: Query<'removeHandler'> = {}): Promise<void> {
    return this.#wire.call({}, api => api.DELETE('/handlers/{type}', { params: { path: { type }, query } }));
  }

  /** Sends a signed ping and tells what came back. */
  test(type: string): Promise<Schemas['PingAnswer']> {
    return this.#wire.call({}, api => api.POST('/handlers/{type}/test', { params: { path: { type } } }));
  }
}

function at(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}

function aborted(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}
