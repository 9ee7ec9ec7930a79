// Owns the sending of batches: a refused line is told and taken out, and the others of its batch are sent again.
import { batchBody } from './batch.ts';
import type { Draft } from './draft.ts';
import { type Answer, CallFailed, type ServiceClient } from './service-client.ts';
import type { Tally } from './tally.ts';

interface Problem {
  readonly detail?: string;
  readonly errors?: readonly { readonly detail: string; readonly pointer?: string }[];
}

/** Answers that blame what was sent; any other refusal would meet every batch. */
const BLAMES_THE_JOBS = [400, 409, 413, 422];
const ITEM = /^#\/jobs\/(\d+)(?:\/(.*))?$/;

export class BatchSender {
  readonly #client: ServiceClient;
  readonly #tally: Tally;
  /** Parts of the batch being sent whose fate is not known yet, the next one last. */
  #unsettled: (readonly Draft[])[] = [];

  constructor(client: ServiceClient, tally: Tally) {
    this.#client = client;
    this.#tally = tally;
  }

  /** Resolves when every draft was stored, found to be a duplicate, or refused; rejects with `CallFailed` when that cannot be. */
  async send(batch: readonly Draft[]): Promise<void> {
    this.#unsettled = [batch];
    for (let part = this.#unsettled.at(-1); part; part = this.#unsettled.at(-1)) {
      const answer = await this.#client.post('/jobs/batch', batchBody(part));
      const again = answer.status === 200 ? this.#accept(part, answer) : this.#refuse(part, answer);
      this.#unsettled.splice(-1, 1, ...again.filter(({ length }) => length > 0));
    }
  }

  /** The drafts that `send` could not settle when it rejected. */
  get unsettled(): readonly Draft[] {
    return this.#unsettled.flat();
  }

  #accept(part: readonly Draft[], { body }: Answer): [] {
    const results = (body as { results?: { id: string; duplicate: boolean }[] } | undefined)?.results;
    if (results?.length !== part.length) throw new CallFailed('the answer is not one of ChokaQ; check --url');
    for (const [at, { id, duplicate }] of results.entries()) {
      // Our own id found already stored is an earlier try of this call whose answer was lost.
      if (duplicate && id !== part[at]?.madeId) this.#tally.duplicates++;
      else this.#tally.stored++;
    }
    return [];
  }

  /** Answers which parts of the batch to send again, the first one last. */
  #refuse(part: readonly Draft[], { status, body }: Answer): (readonly Draft[])[] {
    const problem = (typeof body === 'object' && body !== null ? body : {}) as Problem;
    if (!BLAMES_THE_JOBS.includes(status)) {
      throw new CallFailed(`the service answered ${status}${problem.detail ? `: ${problem.detail}` : ''}`);
    }
    const reasons = reasonsByItem(problem, part.length);
    if (reasons.size > 0) {
      for (const [at, reason] of reasons) this.#tally.refuse(part[at]?.line ?? 0, reason.join('; '));
      return [part.filter((_, at) => !reasons.has(at))];
    }
    if (part.length > 1) return [part.slice(part.length / 2), part.slice(0, part.length / 2)];
    this.#tally.refuse(part[0]?.line ?? 0, problem.detail ?? `the service answered ${status}`);
    return [];
  }
}

function reasonsByItem({ errors = [] }: Problem, items: number): Map<number, string[]> {
  const reasons = new Map<number, string[]>();
  for (const { detail, pointer } of errors) {
    const [, item, member] = ITEM.exec(pointer ?? '') ?? [];
    if (item === undefined || Number(item) >= items) continue;
    const told = reasons.get(Number(item)) ?? [];
    reasons.set(Number(item), [...told, member ? `${member} ${detail}` : detail]);
  }
  return reasons;
}
