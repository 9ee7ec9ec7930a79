// Owns the proof that last responses cost at most one write a minute per handler, and that the last of them is not lost at the end.
import { beforeEach, expect, it } from 'vitest';
import type { LastResponse } from '#service/domain/handler.js';
import type { Outcome } from '#service/domain/lifecycle.js';
import { LastResponses } from '#service/engine/last-responses.js';
import type { Call, Delivery } from '#service/ports/delivery.js';
import type { Store } from '#service/ports/store.js';
import { handlerFor } from '../fixtures/jobs.ts';

const ANSWER = { responseBody: null, error: null };
let writes: Readonly<Record<string, LastResponse>>[];
let responses: LastResponses;
let isAway: boolean;

beforeEach(() => {
  writes = [];
  isAway = false;
  const heard = async (noted: Readonly<Record<string, LastResponse>>) => {
    if (isAway) throw new Error('away');
    writes.push(noted);
  };
  const store = { handlers: { heard }, clock: { now: () => 1_000 } } as unknown as Store;
  responses = new LastResponses({ store, log: { event: () => undefined } });
});

async function answered(type: string, outcome: Partial<Outcome> & Pick<Outcome, 'responseStatus'>): Promise<void> {
  const deliver = async () => ({ kind: 'succeeded', ...ANSWER, ...outcome }) as Outcome;
  await responses.of({ deliver } as unknown as Delivery).deliver({ handler: handlerFor(type) } as Call);
}

it('writes the first answer of a handler at once, and no second one within the minute', async () => {
  for (let n = 0; n < 100; n++) await answered('a', { responseStatus: 200 + n });
  await responses.step();
  expect(writes).toEqual([{ a: { status: 299, at: 1_000 } }]);
  await answered('a', { responseStatus: 500 });
  await answered('b', { responseStatus: 204 });
  await responses.step();
  expect(writes.slice(1)).toEqual([{ b: { status: 204, at: 1_000 } }]);
});

it('writes nothing when nobody answered, and what is left at the end', async () => {
  await answered('a', { kind: 'retryable', responseStatus: null, askedDelayMs: null });
  await responses.step();
  await responses.end();
  expect(writes).toEqual([]);
  await answered('a', { responseStatus: 200 });
  await responses.step();
  await answered('a', { responseStatus: 503 });
  await responses.end();
  expect(writes.at(-1)).toEqual({ a: { status: 503, at: 1_000 } });
});

it('loses a note rather than failing when storage is away', async () => {
  isAway = true;
  await answered('a', { responseStatus: 200 });
  expect(await responses.step()).toBeGreaterThan(0);
  isAway = false;
  await responses.end();
  expect(writes).toEqual([]);
});
