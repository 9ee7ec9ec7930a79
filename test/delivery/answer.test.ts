// Owns the proof of how a call ends: whatever a handler answers, leaves out, drips, breaks off or floods.
import { describe, expect, it } from 'vitest';
import { callTo, delivery } from './fixture/calls.ts';
import { closed, serve, serveRaw } from './fixture/servers.ts';

const HEAD = 'HTTP/1.1 200 OK\r\n';

describe('an answer', () => {
  it('of 2xx is a success, with its status and body kept', async () => {
    const handler = await serve(res => res.writeHead(202).end('queued'));
    expect(await delivery().deliver(callTo(handler.url))).toEqual({
      kind: 'succeeded',
      responseStatus: 202,
      responseBody: 'queued',
      error: null,
    });
  });

  it('without a body keeps none', async () => {
    const handler = await serve(res => res.writeHead(204).end());
    expect(await delivery().deliver(callTo(handler.url))).toMatchObject({ kind: 'succeeded', responseBody: null });
  });

  it('D4 · of 429 hands its Retry-After on', async () => {
    const handler = await serve(res => res.writeHead(429, { 'retry-after': ' 30 ' }).end());
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome).toMatchObject({ kind: 'throttled', askedDelayMs: 30_000, responseStatus: 429 });
  });

  it('D6 · with chokaq-retry: never is fatal, also as a success', async () => {
    const handler = await serve(res => res.writeHead(200, { 'Chokaq-Retry': 'never' }).end('no use'));
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome).toMatchObject({ kind: 'fatal', responseStatus: 200, responseBody: 'no use' });
  });

  it.each([301, 302, 303, 307, 308])('of %i is fatal, and is not followed', async status => {
    const other = await serve();
    const handler = await serve(res => res.writeHead(status, { location: other.url }).end());
    expect(await delivery().deliver(callTo(handler.url))).toMatchObject({ kind: 'fatal', responseStatus: status });
    expect(other.received).toHaveLength(0);
  });

  it("follows the handler's own fatal statuses", async () => {
    const handler = await serve(res => res.writeHead(409).end());
    const call = callTo(handler.url, { handler: { fatalStatuses: [409] } });
    expect(await delivery().deliver(call)).toMatchObject({ kind: 'fatal', responseStatus: 409 });
  });

  it('counts after early hints', async () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n';
    const handler = await serveRaw(socket => socket.write(`${hints}HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nno`));
    expect(await delivery().deliver(callTo(handler.url))).toMatchObject({
      kind: 'retryable',
      responseStatus: 500,
      responseBody: 'no',
    });
  });

  it('of HTTP/1.0 ends where the connection does', async () => {
    const handler = await serveRaw(socket => socket.end('HTTP/1.0 200 OK\r\ncontent-type: text/plain\r\n\r\nold'));
    const sender = delivery();
    expect(await sender.deliver(callTo(handler.url))).toMatchObject({ kind: 'succeeded', responseBody: 'old' });
    expect(await sender.deliver(callTo(handler.url))).toMatchObject({ kind: 'succeeded', responseBody: 'old' });
    expect(handler.sockets).toHaveLength(2);
  });

  it('D11 · with a hostile body is kept bounded and escaped', async () => {
    const body = Buffer.concat([Buffer.from('a\0'), Buffer.from([0xed, 0xa0, 0x80, 0xff]), Buffer.alloc(9_000, 'x')]);
    const handler = await serve(res => res.writeHead(500).end(body));
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome.kind).toBe('retryable');
    expect(outcome.responseBody).toMatch(/^a\\u0000\\xed\\xa0\\x80\\xffx+$/);
    expect(outcome.responseBody).toHaveLength(4_096);
  });

  it.each([
    [500, 'retryable'],
    [200, 'succeeded'],
    [400, 'fatal'],
  ])('D11 · of %i with 5 GB is read for 64 KB, then the socket is closed', async (status, kind) => {
    const chunk = Buffer.alloc(65_536, 'z');
    const handler = await serve(res => {
      const flood = () => {
        while (!res.destroyed && res.write(chunk));
      };
      res.writeHead(status, { 'content-length': 5 * 2 ** 30 }).on('drain', flood);
      flood();
    });
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome).toMatchObject({ kind, responseStatus: status, responseBody: 'z'.repeat(4_096) });
    await closed(handler.sockets[0]);
    expect(handler.sockets[0]?.bytesWritten).toBeLessThan(32 * 2 ** 20);
  });
});

describe('no whole answer', () => {
  it.each([
    ['before the head', ''],
    ['within the head', `${HEAD}content-le`],
    ['within the body', `${HEAD}content-length: 10\r\n\r\nhalf`],
    ['within a chunk', `${HEAD}transfer-encoding: chunked\r\n\r\n5\r\nhalf`],
  ])('is retryable when the connection is closed %s', async (_, bytes) => {
    const handler = await serveRaw(socket => socket.end(bytes));
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome).toMatchObject({
      kind: 'retryable',
      askedDelayMs: null,
      error: expect.stringMatching(/^the connection broke/),
    });
  });

  it('is retryable when the connection is reset in the middle, and keeps what was read', async () => {
    const handler = await serveRaw(socket => {
      socket.write(`${HEAD}content-length: 10\r\n\r\nhalf`);
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome).toMatchObject({ kind: 'retryable', responseStatus: 200, responseBody: 'half' });
    expect(outcome.error).toContain('ECONNRESET');
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['has an endless head', `${HEAD}${'x-long: y\r\n'.repeat(10_000)}`],
    ['switches protocols', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
    ['has two lengths', `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`],
  ])('is retryable when what comes %s', async (_, bytes) => {
    const handler = await serveRaw(socket => socket.write(bytes));
    const outcome = await delivery().deliver(callTo(handler.url));
    expect(outcome).toMatchObject({ kind: 'retryable', error: expect.any(String) });
    expect(Buffer.byteLength(outcome.error ?? '')).toBeLessThan(500);
    await closed(handler.sockets[0]);
  });

  it('is all there is when nothing follows early hints', async () => {
    const handler = await serveRaw(socket => socket.end('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'));
    expect(await delivery().deliver(callTo(handler.url))).toMatchObject({ kind: 'retryable', responseStatus: null });
  });

  it('is retryable when nobody listens, and names the address', async () => {
    const outcome = await delivery().deliver(callTo('http://127.0.0.1:1/'));
    expect(outcome).toMatchObject({ kind: 'retryable', responseStatus: null });
    expect(outcome.error).toBe('no connection to the handler: connect ECONNREFUSED 127.0.0.1:1');
  });

  it('is retryable when the name has several addresses and none answers', async () => {
    const lookup: NonNullable<Parameters<typeof delivery>[0]>['lookup'] = (_, __, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '127.0.0.2', family: 4 },
      ]);
    const outcome = await delivery({ lookup }).deliver(callTo('http://down.example:1/'));
    expect(outcome.error).toMatch(/ECONNREFUSED 127\.0\.0\.1:1.*ECONNREFUSED 127\.0\.0\.2:1/);
  });

  it('is retryable when the name does not resolve', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND gone.example'), { code: 'ENOTFOUND' });
    const outcome = await delivery({ lookup: (_, __, callback) => callback(missing, []) }).deliver(
      callTo('http://gone.example/'),
    );
    expect(outcome).toMatchObject({ kind: 'retryable', error: expect.stringContaining('ENOTFOUND gone.example') });
  });

  it('is retryable when TLS fails', async () => {
    const handler = await serveRaw(socket => socket.end('no TLS here'));
    const outcome = await delivery().deliver(callTo(`https://127.0.0.1:${handler.port}/`));
    expect(outcome).toMatchObject({ kind: 'retryable', responseStatus: null, error: expect.stringContaining('SSL') });
  });

  it('is retryable when a header cannot be sent', async () => {
    const handler = await serve();
    const call = callTo(handler.url, { handler: { headers: { 'x-bad': '漢' } } });
    expect(await delivery().deliver(call)).toMatchObject({
      kind: 'retryable',
      error: expect.stringContaining('x-bad'),
    });
  });
});
