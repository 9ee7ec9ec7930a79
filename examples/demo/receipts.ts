// Owns what the handlers saw: every call, compared byte for byte with what was posted.
import type { IncomingHttpHeaders } from 'node:http';
import { type DemoJob, sha256 } from './jobs.ts';

export class Receipts {
  /** Calls for jobs of this run. */
  calls = 0;
  /** Calls for jobs that an earlier run had left in the database. */
  foreignCalls = 0;
  /** Calls without a valid signature. */
  unsigned = 0;
  /** Calls that came before their job was due. */
  early = 0;
  readonly different = new Set<string>();
  readonly #expected: ReadonlyMap<string, string>;
  readonly #equal = new Set<string>();

  constructor(jobs: readonly DemoJob[]) {
    this.#expected = new Map(jobs.map(job => [job.id, job.sha256]));
  }

  /** Ids of the jobs whose bytes arrived exactly as they were posted, at every call. */
  get equal(): ReadonlySet<string> {
    return this.#equal;
  }

  record(headers: IncomingHttpHeaders, body: Buffer): void {
    const id = String(headers['chokaq-job-id']);
    const expected = this.#expected.get(id);
    // A resurrected job may have been edited: only the first round carries what was posted.
    if (expected === undefined || headers['chokaq-round'] !== '1') {
      this.foreignCalls += 1;
      return;
    }
    this.calls += 1;
    if (Date.parse(String(headers['chokaq-due-at'])) > Date.now()) this.early += 1;
    if (sha256(body) === expected && !this.different.has(id)) this.#equal.add(id);
    else this.#differs(id);
  }

  #differs(id: string): void {
    this.different.add(id);
    this.#equal.delete(id);
  }
}
