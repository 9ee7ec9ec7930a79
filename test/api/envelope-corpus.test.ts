// Owns the comparison of the envelope's own JSON grammar with JSON.parse, over texts that nobody thought of.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readEnvelope } from '#service/api/envelope.js';
import { DomainError } from '#service/domain/errors.js';
import { Random } from '../fixtures/random.ts';

const text = (bytes: Uint8Array | undefined) => (bytes ? Buffer.from(bytes).toString('utf8') : undefined);

const SCALARS = [
  '0',
  '-0',
  '1.5e+10',
  '12345678901234567890',
  '1E-2',
  'true',
  'false',
  'null',
  '""',
  '"a"',
  '"\\u00e9\\n"',
  '"é😀"',
];
const MUTANTS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '0',
  '1',
  '.',
  '-',
  '+',
  'e',
  't',
  'null',
  ' ',
  '\n',
  '\u0000',
  '\u000b',
  '\u00a0',
  'é',
  '\\u12',
  '/',
];

class Corpus {
  readonly #random: Random;
  #names = 0;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  value(depth: number): string {
    const kind = depth === 0 ? 0 : this.#random.between(0, 3);
    if (kind < 2) return this.#spaced(this.#random.pick(SCALARS));
    const inner = Array.from({ length: this.#random.between(0, 3) }, () => this.value(depth - 1));
    if (kind === 2) return this.#spaced(`[${inner.join(',') || this.#spaced('')}]`);
    return this.#spaced(`{${inner.map(value => `${this.#spaced(`"k${this.#name()}"`)}:${value}`).join(',')}}`);
  }

  mutate(body: string): string {
    const letters = [...body];
    const at = this.#random.between(0, letters.length);
    letters.splice(at, this.#random.between(0, 2), this.#random.pick(['', ...MUTANTS]));
    return letters.join('');
  }

  /** No two are one letter apart, so that a mutation does not make a duplicate. */
  #name(): number {
    this.#names = (this.#names + 79_199) % 1_000_003;
    return this.#names;
  }

  #spaced(body: string): string {
    return this.#random.pick(['', '', '', ' ', '\n\t']) + body + this.#random.pick(['', '', '', ' ', '\r\n']);
  }
}

describe('Against JSON.parse, over a generated corpus', () => {
  const parse = (body: string): { value: unknown } | undefined => {
    try {
      return { value: JSON.parse(body) };
    } catch {
      return undefined;
    }
  };
  const scan = (body: string) => {
    try {
      return readEnvelope(Buffer.from(body));
    } catch (error) {
      if (error instanceof DomainError) return undefined;
      throw error;
    }
  };

  it('the same payloads are accepted and refused', () => {
    const corpus = new Corpus(20_261_130);
    const counts = { accepted: 0, refused: 0 };
    for (let round = 0; round < 10_000; round++) {
      let payload = corpus.value(4);
      for (let times = round % 3; times > 0; times--) payload = corpus.mutate(payload);
      const parsed = parse(payload);
      const scanned = scan(`{"payload":[${payload}]}`);
      const isAlike = (scanned !== undefined) === (parse(`[${payload}]`) !== undefined);
      if (!isAlike) expect.fail(`disagrees with JSON.parse on ${JSON.stringify(payload)}`);
      if (parsed && text(scanned?.payloads.get('#/payload')) !== `[${payload}]`) expect.fail(`cut wrong: ${payload}`);
      counts[parsed ? 'accepted' : 'refused']++;
    }
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(2_000);
  });

  it('the same bodies are accepted and refused, and read alike', () => {
    const corpus = new Corpus(7);
    for (let round = 0; round < 10_000; round++) {
      let body = corpus.value(4);
      if (round % 2) body = corpus.mutate(body);
      const parsed = parse(body);
      const scanned = scan(body);
      if ((scanned !== undefined) !== (parsed !== undefined))
        expect.fail(`disagrees with JSON.parse on ${JSON.stringify(body)}`);
      if (!isDeepStrictEqual(scanned?.body, parsed?.value)) expect.fail(`read wrong: ${JSON.stringify(body)}`);
    }
  });
});
