// Owns the named calls about dead jobs, one by one and in bulk, and about the operations that work through many.
import { durationMs } from '../duration.ts';
import { Listing } from '../listing.ts';
import { rest } from '../patience.ts';
import { ChokaQError } from '../problem.ts';
import type { CallOptions, WaitOptions, Wire } from '../wire.ts';
import { at, type Query, type Schemas, type WithRaw } from './shapes.ts';

export type BulkAnswer = Schemas['ActionResults'] | Schemas['BulkResult'] | Schemas['Operation'];

export class DlqCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  list(query: Query<'listDeadJobs'> = {}, options: CallOptions = {}): Listing<Schemas['ListedJob']> {
    return new Listing(cursor =>
      this.#wire.call(options, api => api.GET('/dlq', { params: { query: { ...query, ...at(cursor) } } })),
    );
  }

  get(id: string, options: CallOptions = {}): Promise<Schemas['Job']> {
    return this.#wire.call(options, api => api.GET('/dlq/{id}', { params: { path: { id } } }));
  }

  /** Back to work: same id, next round, with a full budget of attempts. */
  resurrect(id: string, edits?: WithRaw<Schemas['JobEdits']>, options: CallOptions = {}): Promise<Schemas['Job']> {
    const body = edits === undefined ? {} : { body: edits as Schemas['JobEdits'] };
    return this.#wire.call(options, api => api.POST('/dlq/{id}/resurrect', { params: { path: { id } }, ...body }));
  }

  purge(id: string, options: CallOptions = {}): Promise<void> {
    return this.#wire.call(options, api => api.DELETE('/dlq/{id}', { params: { path: { id } } }));
  }

  /** What a bulk action would do, and the token to do exactly that. */
  preview(preview: Schemas['NewPreview'], options: CallOptions = {}): Promise<Schemas['Preview']> {
    return this.#wire.call({ ...options, isSafe: true }, api => api.POST('/dlq/preview', { body: preview }));
  }

  /** By `ids`: the result for each. By `token`: what became of the previewed jobs, or the operation that works through them. */
  resurrectMany(which: Schemas['BulkResurrection'], options: CallOptions = {}): Promise<BulkAnswer> {
    return this.#wire.call(options, api => api.POST('/dlq/resurrect', { body: which }));
  }

  purgeMany(which: Schemas['BulkPurge'], options: CallOptions = {}): Promise<BulkAnswer> {
    return this.#wire.call(options, api => api.POST('/dlq/purge', { body: which }));
  }

  /** What most dead jobs died of. */
  errors(
    query: Query<'listErrorFamilies'> = {},
    options: CallOptions = {},
  ): Listing<Schemas['ErrorFamilies']['items'][number]> {
    return new Listing(() => this.#wire.call(options, api => api.GET('/dlq/errors', { params: { query } })));
  }
}

const LOOK_EVERY_MS = 500;

/** Bulk actions that go on behind their answer. */
export class OperationCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** How far it has come. */
  get(id: string, options: CallOptions = {}): Promise<Schemas['Operation']> {
    return this.#wire.call(options, api => api.GET('/operations/{id}', { params: { path: { id } } }));
  }

  /** Ends it where it stands. */
  cancel(id: string, options: CallOptions = {}): Promise<Schemas['Operation']> {
    return this.#wire.call(options, api => api.POST('/operations/{id}/cancel', { params: { path: { id } } }));
  }

  /** Resolves once it has ended, its `state` says how; rejects with the code `timeout` when it has not. */
  async waitFor(id: string, { timeout = '5m', signal }: WaitOptions = {}): Promise<Schemas['Operation']> {
    const endsAt = performance.now() + durationMs(timeout, 'timeout');
    for (;;) {
      const operation = await this.get(id, { signal });
      if (operation.state !== 'running') return operation;
      if (performance.now() + LOOK_EVERY_MS > endsAt) {
        const message = `operation ${id} has done ${operation.affected} of ${operation.total} jobs; wait longer, or look at it later`;
        throw new ChokaQError(message, { code: 'timeout' });
      }
      await rest(LOOK_EVERY_MS, signal);
    }
  }
}
