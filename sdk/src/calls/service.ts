// Owns the named calls about the service itself: its nodes, settings, figures and audit log.
import { Listing } from '../listing.ts';
import type { CallOptions, Wire } from '../wire.ts';
import { at, type Query, type Schemas, type Told } from './shapes.ts';

export class NodeCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** The running ones. */
  list(options: CallOptions = {}): Listing<Schemas['Node']> {
    return new Listing(() => this.#wire.call(options, api => api.GET('/nodes') as Told<Schemas['NodePage']>));
  }
}

export class SettingCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Every one with its effective value and its source. */
  list(options: CallOptions = {}): Listing<Schemas['Setting']> {
    return new Listing(() => this.#wire.call(options, api => api.GET('/settings') as Told<Schemas['SettingPage']>));
  }

  /** For all nodes while they run, all or none; `null` removes what is stored. Answers all settings as they hold now. */
  async change(patch: Schemas['SettingsPatch'], options: CallOptions = {}): Promise<Schemas['Setting'][]> {
    const nature = { ...options, isSafe: true };
    const { items } = await this.#wire.call(
      nature,
      api => api.PATCH('/settings', { body: patch }) as Told<Schemas['SettingPage']>,
    );
    return items;
  }
}

export class StatsCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** Counts now, totals, lag, and rates over one and five minutes. */
  get(options: CallOptions = {}): Promise<Schemas['Stats']> {
    return this.#wire.call(options, api => api.GET('/stats'));
  }

  /** A point for every step. */
  series(query: Query<'getSeries'> = {}, options: CallOptions = {}): Promise<Schemas['Series']> {
    return this.#wire.call(options, api => api.GET('/stats/series', { params: { query } }));
  }
}

export class AuditCalls {
  readonly #wire: Wire;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  /** What operators did, newest first. */
  list(query: Query<'listAudit'> = {}, options: CallOptions = {}): Listing<Schemas['AuditRow']> {
    return new Listing(cursor =>
      this.#wire.call(options, api => api.GET('/audit', { params: { query: { ...query, ...at(cursor) } } })),
    );
  }
}
