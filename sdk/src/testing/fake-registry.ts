// Owns the handlers and queues of the fake service.
import { FakeRefusal } from './fake-answer.ts';
import { type FakeJob, instant } from './fake-job.ts';

type Members = Readonly<Record<string, unknown>>;

/** What the service says of a handler where nothing was put. */
const ABSENT = {
  ...{ timeout: null, maxAttempts: null, retry: null, retryOnTimeout: null, retryOnZombie: null },
  ...{ fatalStatuses: [], circuit: null, headers: {}, schema: null, concurrency: null, lastResponse: null },
};

export class FakeHandlers {
  readonly #all = new Map<string, Members>();

  list(): Members[] {
    return [...this.#all.values()];
  }

  get(type: string): Members {
    const handler = this.#all.get(type);
    if (handler === undefined) throw new FakeRefusal(404, 'not-found', `There is no handler for ${type}.`);
    return handler;
  }

  /** Answers whether it is new. Secrets are not kept: `drain` signs with its own. */
  put(type: string, { secret: _, headers = {}, ...members }: Members): boolean {
    const before = this.#all.get(type);
    const masked = Object.fromEntries(Object.keys(headers as object).map(name => [name.toLowerCase(), '***']));
    const times = { createdAt: before?.createdAt ?? instant(), updatedAt: instant() };
    this.#all.set(type, { ...ABSENT, type, ...members, headers: masked, managedBy: 'api', ...times });
    return before === undefined;
  }

  remove(type: string): void {
    this.get(type);
    this.#all.delete(type);
  }

  /** How many attempts a job of the type has when it does not say so itself. */
  maxAttempts(type: string): number {
    const { maxAttempts } = this.#all.get(type) ?? this.#all.get('*') ?? ABSENT;
    return typeof maxAttempts === 'number' ? maxAttempts : 3;
  }
}

const SETTINGS = {
  ...{ isPaused: false, isActive: true, maxWorkers: null, zombieTimeout: null, executionTimeout: null },
  ...{ archiveRetention: null, dlqRetention: null },
};
const NO_RATES = { throughput: 0, failureRate: 0 };

/** A queue is there from its first job, or its first setting, on. */
export class FakeQueues {
  readonly #jobs: readonly FakeJob[];
  readonly #settings = new Map<string, typeof SETTINGS>();

  constructor(jobs: readonly FakeJob[]) {
    this.#jobs = jobs;
  }

  list(): object[] {
    const names = new Set([...this.#settings.keys(), ...this.#jobs.map(({ queue }) => queue)]);
    return [...names].sort().map(name => this.present(name));
  }

  isStopped(name: string): boolean {
    const { isPaused, isActive } = this.#settings.get(name) ?? SETTINGS;
    return isPaused || !isActive;
  }

  change(name: string, settings: Members, isNew = false): object {
    if (!isNew) this.present(name);
    this.#settings.set(name, { ...SETTINGS, ...this.#settings.get(name), ...settings });
    return this.present(name);
  }

  remove(name: string): void {
    this.present(name);
    const isEmpty = !this.#jobs.some(({ queue }) => queue === name);
    if (!isEmpty) throw new FakeRefusal(409, 'conflict-state', `The queue ${name} has jobs.`);
    this.#settings.delete(name);
  }

  present(name: string): object {
    const jobs = this.#jobs.filter(({ queue }) => queue === name);
    if (jobs.length === 0 && !this.#settings.has(name)) {
      throw new FakeRefusal(404, 'not-found', `There is no queue ${name}.`);
    }
    const count = (state: string) => jobs.filter(job => job.state === state).length;
    const waits = {
      pending: count('pending'),
      scheduled: count('scheduled'),
      fetched: 0,
      processing: count('processing'),
    };
    const failed = jobs.reduce(
      (sum, { history }) => sum + history.filter(each => each.outcome !== 'succeeded').length,
      0,
    );
    const counts = {
      ...waits,
      succeeded: count('succeeded'),
      dead: count('dead'),
      failed: count('dead'),
      retried: failed,
    };
    const rates = { oneMinute: NO_RATES, fiveMinutes: NO_RATES };
    const settings = this.#settings.get(name) ?? SETTINGS;
    return { name, ...settings, counts, lagMs: { avg: 0, max: 0 }, rates, updatedAt: instant() };
  }
}
