// Owns the proof of what a payload may hold: what JSON carries is sent as it is, all else is refused with its place.
import { ChokaQ, defineJob, rawJson } from '@chokaq/sdk';
import { createProfile } from '@chokaq/sdk/receiver';
import { FakeChokaQ, signedRequest } from '@chokaq/sdk/testing';
import { describe, expect, test } from 'vitest';

describe('Payloads', () => {
  const Any = defineJob<unknown>('any.v1');
  const client = () => new FakeChokaQ().client();
  class Address {
    street = 'x';
  }
  class Service {
    call() {}
  }
  const cycle: Record<string, unknown> = {};
  cycle.self = { cycle };

  test('carry what JSON can: a Date as its ISO text, data of a class without methods', async () => {
    const fake = new FakeChokaQ();
    const payload = {
      at: new Date(0),
      address: new Address(),
      list: [null, 1.5, 'ü\ud83d'],
      url: new URL('http://x/'),
    };
    await fake.client().enqueue(Any(payload));
    expect(fake.jobs[0]?.payloadText).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","address":{"street":"x"},"list":[null,1.5,"ü\\ud83d"],"url":"http://x/"}',
    );
  });

  const REFUSED: readonly (readonly [what: string, value: unknown, said: RegExp])[] = [
    ['a function', { a: { b: () => 1 } }, /payload\.a\.b is a function/],
    ['an undefined member', { a: undefined }, /payload\.a is undefined/],
    ['a hole', Array(1), /payload\[0\] is undefined/],
    ['a BigInt', { n: 1n }, /payload\.n is a BigInt/],
    ['a symbol', Symbol('x'), /payload is a symbol/],
    ['NaN', [Number.NaN], /payload\[0\] is NaN/],
    ['an invalid Date', new Date('x'), /invalid Date/],
    ['an instance with methods', { s: new Service() }, /payload\.s is an instance of Service/],
    ['a Map', new Map(), /instance of Map/],
    ['a stream', new ReadableStream(), /instance of ReadableStream/],
    ['bytes', new Uint8Array(2), /binary/],
    ['a cycle', cycle, /payload\.self\.cycle is part of a cycle/],
  ];

  test.each(REFUSED)('refuse %s before anything is sent', async (_what, value, said) => {
    await expect(client().enqueue(Any(value))).rejects.toThrow(said);
    await expect(client().enqueueBatch([{ type: 'a', payload: value }])).rejects.toThrow(said);
    await expect(client().enqueue('a', value)).rejects.toThrow(said);
  });

  test('exact text passes through a contract', async () => {
    const fake = new FakeChokaQ();
    await fake.client().enqueue(Any(rawJson('{"n":9007199254740993,"f":1.0}')));
    expect(fake.jobs[0]?.payloadText).toBe('{"n":9007199254740993,"f":1.0}');
    const texts: string[] = [];
    await fake.drain(createProfile('p').handle(Any, (_job, ctx) => void texts.push(ctx.text)));
    expect(texts).toEqual(['{"n":9007199254740993,"f":1.0}']);
  });

  test('an object that is no job says what a job is', async () => {
    const client = new ChokaQ({ url: 'http://127.0.0.1:9' });
    await expect(client.enqueue({ id: 'x' })).rejects.toThrow(/static `type`/);
    expect(() => defineJob<unknown>([] as never)).toThrow(/type key/);
  });

  test('a signed call for a test needs no service', async () => {
    const secret = `whsec_${btoa('x'.repeat(24))}`;
    const receive = createProfile('p')
      .handle(Any, () => 'done')
      .fetchHandler({ secret });
    expect(await (await receive(await signedRequest('any.v1', { a: 1 }, { secret }))).text()).toBe('done');
  });
});
