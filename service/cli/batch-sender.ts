// Owns the sending of batches: a refused line is told and taken out, and the others of its batch are sent again.
import { type ChokaQ, ChokaQError, rawJson } from '@chokaq/sdk';
import { batchBody } from './batch.ts';
import type { Draft } from './draft.ts';
import type { Tally } from './tally.ts';

type Problem = Partial<NonNullable<ChokaQError['problem']>>;

/** The call cannot be made, or not any more. Whether its last try arrived is not known. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
}

/** Answers that blame what was sent; any other refusal would meet every batch. */
const BLAMES_THE_JOBS = [400, 409, 413, 422];
/** Answers after which the client has tried until its time was up. */
const PASSING = [408, 429, 502, 503, 504];
const ITEM = /^#\/jobs\/(\d+)(?:\/(.*))?$/;

export class BatchSender {
  readonly #client: ChokaQ;
  readonly #retryFor: string;
  readonly #interrupted = new AbortController();
  readonly #tally: Tally;
  /** Parts of the batch being sent whose fate is not known yet, the next one last. */
  #unsettled: (readonly Draft[])[] = [];

  constructor(client: ChokaQ, tally: Tally, retryFor: string) {
    this.#client = client;
    this.#retryFor = retryFor;
    this.#tally = tally;
  }

  /** Resolves when every draft was stored, found to be a duplicate, or refused; rejects with `CallFailed` when that cannot be. */
  async send(batch: readonly Draft[]): Promise<void> {
    this.#unsettled = [batch];
    for (let part = this.#unsettled.at(-1); part; part = this.#unsettled.at(-1)) {
      const again = await this.#sendPart(part);
      this.#unsettled.splice(-1, 1, ...again.filter(({ length }) => length > 0));
    }
  }

  /** Lets a call under way, and its repetition, fail at once. */
  interrupt(): void {
    this.#interrupted.abort(new CallFailed('interrupted'));
  }

  /** The drafts that `send` could not settle when it rejected. */
  get unsettled(): readonly Draft[] {
    return this.#unsettled.flat();
  }

  /** Answers which parts of the batch to send again, the first one last. */
  async #sendPart(part: readonly Draft[]): Promise<(readonly Draft[])[]> {
    try {
      // As text: no byte of a payload changes.
      const body = rawJson(batchBody(part).toString('utf8'));
      const { results } = await this.#client.enqueueBatch(body, { signal: this.#interrupted.signal });
      return this.#accept(part, results);
    } catch (error) {
      if (!(error instanceof ChokaQError)) throw error;
      return this.#refuse(part, error);
    }
  }

  #accept(part: readonly Draft[], results: readonly { id: string; duplicate: boolean }[] | undefined): [] {
    if (results?.length !== part.length) throw new CallFailed('the answer is not one of ChokaQ; check --url');
    for (const [at, { id, duplicate }] of results.entries()) {
      // Our own id found already stored is an earlier try of this call whose answer was lost.
      if (duplicate && id !== part[at]?.madeId) this.#tally.duplicates++;
      else this.#tally.stored++;
    }
    return [];
  }

  #refuse(part: readonly Draft[], error: ChokaQError): (readonly Draft[])[] {
    const problem: Problem = error.problem ?? {};
    if (!BLAMES_THE_JOBS.includes(error.status ?? 0)) throw new CallFailed(this.#failure(error));
    const reasons = reasonsByItem(problem, part.length);
    if (reasons.size > 0) {
      for (const [at, reason] of reasons) this.#tally.refuse(part[at]?.line ?? 0, reason.join('; '));
      return [part.filter((_, at) => !reasons.has(at))];
    }
    if (part.length > 1) return [part.slice(part.length / 2), part.slice(0, part.length / 2)];
    this.#tally.refuse(part[0]?.line ?? 0, problem.detail ?? `the service answered ${error.status}`);
    return [];
  }

  #failure({ status, problem, code, message }: ChokaQError): string {
    if (status === null) return `${message}; gave up (--retry-for ${this.#retryFor})`;
    if (PASSING.includes(status)) return `the service answered ${status}; gave up (--retry-for ${this.#retryFor})`;
    if (code === 'not-chokaq') return 'the answer is not one of ChokaQ; check --url';
    return `the service answered ${status}${problem ? `: ${problem.detail}` : ''}`;
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
