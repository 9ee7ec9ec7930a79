// Owns the named calls about jobs that are stored.
import { Listing } from '../listing.ts';
import type { CallOptions, Wire } from '../wire.ts';
import { at, type Query, type Schemas, type WithRaw } from './shapes.ts';

export class JobCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(query: Query<'listJobs'> = {}, options: CallOptions = {}): Listing<Schemas['ListedJob']> {
    return new Listing(cursor =>
      this.#wire.call(options, api => api.GET('/jobs', { params: { query: { ...query, ...at(cursor) } } })),
    );
  }

  get(id: string, options: CallOptions = {}): Promise<Schemas['Job']> {
    return this.#wire.call(options, api => api.GET('/jobs/{id}', { params: { path: { id } } }));
  }

  /** The job with its exact JSON text, in which big integers stand as they were posted, and its ETag for `edit`. */
  async read(id: string, options: CallOptions = {}): Promise<{ job: Schemas['Job']; text: string; etag: string }> {
    let etag = '';
    const text = await this.#wire.call(options, async api => {
      const answer = await api.GET('/jobs/{id}', { params: { path: { id } }, parseAs: 'text' });
      etag = answer.response.headers.get('etag') ?? '';
      return { data: answer.data ?? '', response: answer.response };
    });
    return { job: JSON.parse(text), text, etag };
  }

  attempts(id: string, options: CallOptions = {}): Listing<Schemas['Attempt']> {
    return new Listing(() =>
      this.#wire.call(options, api => api.GET('/jobs/{id}/attempts', { params: { path: { id } } })),
    );
  }

  /** Changes a job that is not running. `etag` is that of the job as it was read. */
  edit(
    id: string,
    etag: string,
    patch: WithRaw<Schemas['JobPatch']>,
    options: CallOptions = {},
  ): Promise<Schemas['Job']> {
    const params = { path: { id }, header: { 'if-match': etag } };
    return this.#wire.call(options, api => api.PATCH('/jobs/{id}', { params, body: patch as Schemas['JobPatch'] }));
  }

  /** Of a job that has succeeded; dead ones are purged. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#wire.call(options, api => api.DELETE('/jobs/{id}', { params: { path: { id } } }));
  }

  cancel(id: string, options: CallOptions = {}): Promise<Schemas['Job']> {
    return this.#wire.call(options, api => api.POST('/jobs/{id}/cancel', { params: { path: { id } } }));
  }

  cancelMany(ids: readonly string[], options: CallOptions = {}): Promise<Schemas['ActionResults']> {
    return this.#wire.call(options, api => api.POST('/jobs/cancel', { body: { ids: [...ids] } }));
  }
}
