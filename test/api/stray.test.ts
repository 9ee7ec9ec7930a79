// Owns the proof that nothing a caller sends is passed over in silence: bodies nobody reads, doubled headers, lists where one value goes.
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer } from '#service/api/server.js';
import { Api } from './fixture/api.ts';
import { operations } from './fixture/contract.ts';
import { everyOperation, send } from './fixture/every-operation.ts';

let api: Api;
beforeAll(async () => {
  api = await Api.start({ requireRegisteredTypes: false });
});
afterAll(() => api.close());

/** Sends exactly this and answers all that came back until the end. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}

describe('a body that the operation does not read', () => {
  const without = new Set(
    operations().flatMap(([, , { requestBody, operationId }]) => (requestBody ? [] : operationId)),
  );
  const bodiless = everyOperation().filter(({ id, method }) => method !== 'GET' && without.has(id));

  test.each(bodiless)('is refused by $method $template, and an empty object is not', async call => {
    const stray = await send(api, { ...call, body: '{"maxWorkers":3}' }, { 'content-length': '16' });
    expect([stray.status, JSON.parse(stray.text)]).toMatchObject([400, { errors: [{ pointer: '#' }] }]);
    expect((await send(api, { ...call, body: '{}' }, { 'content-length': '2' })).text).not.toContain('takes no body');
  });

  test('there are such operations', () => {
    expect(bodiless.map(({ id }) => id)).toEqual(expect.arrayContaining(['pauseQueue', 'resumeQueue', 'testHandler']));
  });
});

test('Two idempotency keys in headers are refused, rather than taken for one that nobody sent', async () => {
  const body = JSON.stringify({ type: 'work.v1', payload: 1 });
  const head = ['POST /jobs HTTP/1.1', 'host: localhost', 'connection: close', 'content-type: application/json'];
  const keys = ['idempotency-key: a', 'idempotency-key: b', `content-length: ${body.length}`];
  const answer = await raw(api.port, `${[...head, ...keys].join('\r\n')}\r\n\r\n${body}`);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('is given more than once');
  expect((await api.get('/jobs?type=work.v1')).json.items).toEqual([]);
});

test.each([
  ['no Host', 'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  [
    'an expectation nobody knows',
    'GET /livez HTTP/1.1\r\nhost: localhost\r\nexpect: magic\r\nconnection: close\r\n\r\n',
    200,
  ],
  [
    'a body announced as far too large, of which nothing comes',
    'POST /jobs HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 99999999999\r\n\r\n',
    413,
  ],
])('A request with %s is answered at once, in JSON', async (_, bytes, status) => {
  const [head = '', body = ''] = (await raw(api.port, bytes)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(body)).toMatchObject({ status: status === 200 ? 'ok' : status });
});

test('A list where one value goes is refused in words', async () => {
  const { status, json } = await api.get('/jobs?state=pending,dead');
  expect([status, json.errors[0].parameter]).toEqual([400, 'state']);
  expect(json.errors[0].detail).toMatch(/percent-encode it if it is meant, and give a single value/);
});

test('A wait that begins above its own maximum is refused, for jobs and for handlers', async () => {
  const retry = { base: '10s', max: '5s' };
  const handler = await api.register('backward.v1', { retry });
  const job = await api.post('/jobs', { type: 'work.v1', payload: 1, retry });
  for (const { status, json } of [handler, job])
    expect([status, json.errors[0].pointer]).toEqual([422, '#/retry/base']);
});

test('What a handler answers to a ping is shown only to keys that may see payloads', async () => {
  const [admin, seeing] = [await api.key('boss', 'admin'), await api.key('seeing boss', 'admin', 'read:payload')];
  await api.call('PUT', '/handlers/ping.v1', { body: { url: 'http://127.0.0.1:9/' }, headers: admin });
  api.pingAnswer = { responseStatus: 500, responseBody: 'do-not-show-me', error: null, durationMs: 1 };
  const ping = (headers: Readonly<Record<string, string>>) => api.post('/handlers/ping.v1/test', undefined, headers);
  expect((await ping(admin)).json).toMatchObject({ responseStatus: 500, responseBody: null, redacted: true });
  expect((await ping(seeing)).json).toMatchObject({ responseBody: 'do-not-show-me', redacted: false });
});

test('Headers that never end are cut off within a second of their limit', async () => {
  const server = createHttpServer(() => undefined, 500);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const startedAt = performance.now();
  const answer = await raw(typeof address === 'object' && address ? address.port : 0, 'GET / HTTP/1.1\r\nhost: x\r\n');
  expect(performance.now() - startedAt).toBeLessThan(5_000);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  await new Promise(resolve => server.close(resolve));
});
