// Owns the proof of the client: what it sends, what it throws, and that it tries again where that is safe and nowhere else.
import { ChokaQ, ChokaQError, newJobId, rawJson } from '@chokaq/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { type Script, TestServer } from './fixture/server.ts';

const servers: TestServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map(server => server.stop())));

async function scripted(script: Script): Promise<TestServer> {
  const server = await TestServer.scripted(script);
  servers.push(server);
  return server;
}

const stored = (text: string) => ({ status: 201, body: { ...JSON.parse(text), state: 'pending', duplicate: false } });
const problem = (status: number, code: string, more = {}) => ({
  status,
  body: {
    type: `/problems/${code}`,
    title: 't',
    status,
    detail: 'Do this.',
    instance: '/jobs',
    code,
    requestId: 'r-1',
    errors: [],
    ...more,
  },
  headers: { 'content-type': 'application/problem+json' },
});

async function thrown(call: Promise<unknown>): Promise<ChokaQError> {
  return call.then(
    () => expect.unreachable('it resolved'),
    error => error,
  );
}

describe('Enqueue', () => {
  test('always sends an id made here, fresh for each call, and the API key', async () => {
    const server = await scripted(({ text }) => stored(text));
    const client = new ChokaQ({ url: `${server.url}/`, apiKey: 'ck_test' });
    await client.enqueue('email.send.v1', { to: 'a' }, { queue: 'mail', delay: '5m' });
    await client.enqueue('email.send.v1', { to: 'a' });
    const [first, second] = server.seen.map(({ text }) => JSON.parse(text));
    expect(first).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{14}7/),
      type: 'email.send.v1',
      queue: 'mail',
      delay: '5m',
      payload: { to: 'a' },
    });
    expect(second.id).not.toBe(first.id);
    expect(server.seen[0]).toMatchObject({
      method: 'POST',
      url: '/jobs',
      headers: { authorization: 'Bearer ck_test' },
    });
  });

  test('rawJson goes in byte for byte, whole or within', async () => {
    const server = await scripted(({ text }) => stored(text));
    const client = new ChokaQ({ url: server.url });
    await client.enqueue('a', rawJson('{"n":9007199254740993, "f":1.0,"2":1,"1":1e400}'), { id: 'one' });
    await client.enqueue('a', { amount: rawJson('12345678901234567890'), tags: ['x'] }, { id: 'two' });
    expect(server.seen.map(({ text }) => text)).toEqual([
      '{"id":"one","type":"a","payload":{"n":9007199254740993, "f":1.0,"2":1,"1":1e400}}',
      '{"id":"two","type":"a","payload":{"amount":12345678901234567890,"tags":["x"]}}',
    ]);
    expect(() => rawJson('{nope')).toThrow(SyntaxError);
    expect(() => rawJson('"\ud83d"')).toThrow(/lone surrogate/);
  });

  test('A8 · tries again with the same id, and its own lost try is no duplicate', async () => {
    const server = await scripted(({ text }, call) => {
      if (call === 1) return 'hang up';
      if (call === 2) return problem(503, 'storage-unavailable');
      return { status: 200, body: { ...JSON.parse(text), duplicate: true } };
    });
    const reasons: string[] = [];
    const client = new ChokaQ({ url: server.url, onRetry: reason => void reasons.push(reason) });
    expect(await client.enqueue('a', 1)).toMatchObject({ duplicate: false });
    expect(new Set(server.seen.map(({ text }) => text)).size).toBe(1);
    expect(reasons).toEqual([expect.stringContaining('cannot be reached'), expect.stringContaining('answered 503')]);
  });

  test('an existing job is told as a duplicate', async () => {
    const server = await scripted(() => ({ status: 200, body: { id: 'other', duplicate: true } }));
    expect(await new ChokaQ({ url: server.url }).enqueue('a', 1)).toMatchObject({ id: 'other', duplicate: true });
  });

  test('a batch takes jobs in every form, in order', async () => {
    const server = await scripted(({ text }) => ({
      status: 200,
      body: { results: JSON.parse(text).jobs.map(({ id }: { id: string }) => ({ id, duplicate: false })) },
    }));
    const client = new ChokaQ({ url: server.url });
    const { results } = await client.enqueueBatch([
      { type: 'a', payload: { n: rawJson('1.0') }, id: 'one' },
      { type: 'b', payload: null, priority: 5, id: 'two' },
    ]);
    expect(results.map(({ id }) => id)).toEqual(['one', 'two']);
    expect(server.seen[0]?.text).toBe(
      '{"jobs":[{"id":"one","type":"a","payload":{"n":1.0}},{"id":"two","priority":5,"type":"b","payload":null}]}',
    );
  });
});

describe('Retries', () => {
  test('honour Retry-After', async () => {
    const arrivals: number[] = [];
    const server = await scripted((_, call) => {
      arrivals.push(performance.now());
      return call === 1
        ? { ...problem(429, 'rate-limited'), headers: { 'retry-after': '1' } }
        : { status: 200, body: { items: [] } };
    });
    await new ChokaQ({ url: server.url }).queues.list().all();
    expect((arrivals[1] ?? 0) - (arrivals[0] ?? 0)).toBeGreaterThan(990);
  });

  test('end when their time is up, with the last refusal', async () => {
    const server = await scripted(() => ({ ...problem(503, 'storage-unavailable'), headers: { 'retry-after': '60' } }));
    const error = await thrown(new ChokaQ({ url: server.url, retryFor: '10s' }).jobs.get('x'));
    expect(error).toMatchObject({ name: 'ChokaQError', code: 'storage-unavailable', status: 503 });
    expect(server.seen).toHaveLength(1);
  });

  test('are not made for calls that must not arrive twice', async () => {
    const server = await scripted(() => 'hang up');
    const client = new ChokaQ({ url: server.url });
    expect(await thrown(client.dlq.resurrect('x'))).toMatchObject({ code: 'unreachable', status: null });
    expect(server.seen).toHaveLength(1);
  });

  test('a deletion whose answer was lost has succeeded when nothing is found', async () => {
    const server = await scripted((_, call) => (call === 1 ? 'hang up' : problem(404, 'not-found')));
    await new ChokaQ({ url: server.url }).dlq.purge('x');
    expect(server.seen).toHaveLength(2);
    expect(await thrown(new ChokaQ({ url: server.url }).dlq.purge('x'))).toMatchObject({ code: 'not-found' });
  });
});

describe('Errors', () => {
  test('carry the problem document, and every fault in their message', async () => {
    const errors = [{ detail: 'has no handler', pointer: '#/type' }];
    const server = await scripted(() => problem(422, 'type-not-registered', { errors }));
    const error = await thrown(new ChokaQ({ url: server.url }).enqueue('a', 1));
    expect(error).toBeInstanceOf(ChokaQError);
    expect(error).toMatchObject({ code: 'type-not-registered', status: 422, requestId: 'r-1', problem: { errors } });
    expect(error.message).toBe('POST /jobs was answered with 422 type-not-registered: Do this. #/type has no handler');
  });

  test('say when it was not ChokaQ that answered', async () => {
    const server = await scripted((_, call) => ({
      status: call === 1 ? 404 : 200,
      body: '<html>',
      headers: { 'content-type': call === 1 ? 'text/html' : 'application/json' },
    }));
    const client = new ChokaQ({ url: server.url });
    for (const _ of [1, 2]) expect(await thrown(client.jobs.get('x'))).toMatchObject({ code: 'not-chokaq' });
  });

  test('a try has a limit, and a signal ends everything at once', async () => {
    const server = await scripted(() => 'hang');
    expect(await thrown(new ChokaQ({ url: server.url, timeout: 50, retryFor: 0 }).jobs.get('x'))).toMatchObject({
      code: 'timeout',
    });
    const abort = new AbortController();
    const call = new ChokaQ({ url: server.url }).enqueue('a', 1, { signal: abort.signal });
    abort.abort(new Error('enough'));
    expect((await thrown(call)).message).toBe('enough');
  });

  test('a name that no URL can carry is refused here, all others arrive', async () => {
    const server = await scripted(() => ({ status: 200, body: {} }));
    const client = new ChokaQ({ url: server.url });
    for (const name of ['.', '..', '']) expect(await thrown(client.queues.get(name))).toBeInstanceOf(TypeError);
    await client.queues.get('a/b ?#%2e 邮件');
    expect(decodeURIComponent(server.seen[0]?.url ?? '')).toBe('/queues/a/b ?#%2e 邮件');
    expect(() => new ChokaQ({ url: 'ftp://x' })).toThrow(/http or https/);
  });
});

describe('Reading', () => {
  test('lists are iterated over all their pages, empty ones too', async () => {
    const server = await scripted(({ url }) => {
      const cursor = new URL(url, 'http://x').searchParams.get('cursor');
      if (cursor === null) return { status: 200, body: { items: [{ id: '1' }], nextCursor: 'a+/=' } };
      return {
        status: 200,
        body: cursor === 'a+/=' ? { items: [], nextCursor: 'z' } : { items: [{ id: '2' }], nextCursor: null },
      };
    });
    const ids: string[] = [];
    for await (const job of new ChokaQ({ url: server.url }).jobs.list({ tag: 'a&b', limit: 1 })) ids.push(job.id);
    expect(ids).toEqual(['1', '2']);
    expect(server.seen.every(({ url }) => url.includes('tag=a%26b&limit=1'))).toBe(true);
  });

  test('waitFor asks until the job has ended, and says when it has not', async () => {
    const server = await scripted((_, call) => ({
      status: 200,
      body: { id: 'x', state: call < 3 ? 'processing' : 'dead' },
    }));
    const client = new ChokaQ({ url: server.url });
    expect(await client.waitFor('x')).toMatchObject({ state: 'dead' });
    expect(server.seen.map(({ url }) => url)).toEqual(Array(3).fill('/jobs/x?wait=30000ms'));
    const slow = await scripted(() => ({ status: 200, body: { id: 'x', state: 'pending' } }));
    expect(await thrown(new ChokaQ({ url: slow.url }).waitFor('x', { timeout: 0 }))).toMatchObject({ code: 'timeout' });
  });

  test('the exact text of a job keeps what parsing would lose', async () => {
    const server = await scripted(() => ({
      status: 200,
      body: '{"id":"x","payload":9007199254740993}',
      headers: { etag: '"1-2"' },
    }));
    expect(await new ChokaQ({ url: server.url }).jobs.read('x')).toMatchObject({
      text: '{"id":"x","payload":9007199254740993}',
      etag: '"1-2"',
    });
  });

  test('every route can be called by its path, with refusals thrown', async () => {
    const server = await scripted((_, call) =>
      call === 1 ? { status: 200, body: { status: 'ok', checks: {} } } : problem(404, 'not-found'),
    );
    const { api } = new ChokaQ({ url: server.url });
    expect((await api.GET('/readyz')).data?.status).toBe('ok');
    expect(await thrown(api.GET('/jobs/{id}', { params: { path: { id: 'x' } } }))).toMatchObject({ code: 'not-found' });
  });
});

test('ids are UUIDv7: unique, and in the order of their making', () => {
  const ids = Array.from({ length: 100 }, (_, at) => newJobId(1_700_000_000_000 + at));
  expect(new Set(ids).size).toBe(100);
  expect([...ids].sort()).toEqual(ids);
  expect(ids.every(id => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true);
});
