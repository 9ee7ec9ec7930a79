// Owns the proof that a call ends when it should: at its deadline, when it is stopped, and never before it is told to.
import { describe, expect, it, vi } from 'vitest';
import type { StopReason } from '#service/ports/delivery.js';
import { callTo, delivery } from './fixture/calls.ts';
import { closed, type Served, serve, serveRaw } from './fixture/servers.ts';

const DRIP = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

/** Answers the head, then `drop` each 20 ms for ever. */
function dripping(head = DRIP, drop = '1\r\nx\r\n') {
  return serveRaw(socket => {
    socket.write(head);
    const timer = setInterval(() => socket.write(drop), 20);
    socket.on('close', () => clearInterval(timer));
  });
}

/** Ten drops were sent, so that the first ones have been read: both ends live in one event loop. */
function dripped({ sockets }: Served): Promise<void> {
  return vi.waitFor(() => expect(sockets[0]?.bytesWritten).toBeGreaterThan(DRIP.length + 20 + 6 * 10));
}

const silent = () => serveRaw(() => {});

async function took(call: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await call();
  return performance.now() - begun;
}

describe('the deadline', () => {
  it('G1 · cuts a handler that never answers, and closes the socket', async () => {
    const handler = await silent();
    const outcome = await delivery().deliver(callTo(handler.url, { timeoutMs: 200 }));
    expect(outcome).toEqual({
      kind: 'timedOut',
      responseStatus: null,
      responseBody: null,
      error: 'no whole answer within the limit of 200 ms',
    });
    await closed(handler.sockets[0]);
  });

  it('G1 · cuts a handler that drips its body, also of a success', async () => {
    const handler = await dripping();
    const outcome = await delivery().deliver(callTo(handler.url, { timeoutMs: 200 }));
    expect(outcome).toMatchObject({
      kind: 'timedOut',
      responseStatus: 200,
      responseBody: expect.stringMatching(/^x+$/),
      error: 'no whole answer within the limit of 200 ms, status 200 was read',
    });
    await closed(handler.sockets[0]);
  });

  it('G1 · cuts a handler that drips its head', async () => {
    const handler = await dripping('HTTP/1.1 200 OK\r\n', 'x: y\r\n');
    expect(await delivery().deliver(callTo(handler.url, { timeoutMs: 200 }))).toMatchObject({ kind: 'timedOut' });
    await closed(handler.sockets[0]);
  });

  it('counts from the start of the attempt, not from the call', async () => {
    const handler = await silent();
    const call = callTo(handler.url, { timeoutMs: 60_000, startedAt: Date.now() - 59_800 });
    expect(await took(() => delivery().deliver(call))).toBeLessThan(5_000);
  });

  it('is never longer than the limit, also when the clocks disagree', async () => {
    const handler = await silent();
    const call = callTo(handler.url, { timeoutMs: 200, startedAt: Date.now() + 60_000 });
    expect(await delivery().deliver(call)).toMatchObject({ kind: 'timedOut' });
  });

  it('does not come early', async () => {
    const handler = await silent();
    const sender = delivery();
    expect(await took(() => sender.deliver(callTo(handler.url, { timeoutMs: 300 })))).toBeGreaterThan(285);
  });

  it('does not cut an answer that comes in time', async () => {
    const handler = await serve(res => setTimeout(() => res.end('late'), 300));
    const outcome = await delivery().deliver(callTo(handler.url, { timeoutMs: 20_000 }));
    expect(outcome).toMatchObject({ kind: 'succeeded', responseBody: 'late' });
  });
});

describe('a connection that does not come', () => {
  it('is retryable after the limit for connecting, never a timeout', async () => {
    const lookup = () => {};
    const sender = delivery({ lookup, connectTimeoutMs: 500 });
    const outcome = await sender.deliver(callTo('http://slow.example/', { timeoutMs: 20_000 }));
    expect(outcome).toMatchObject({ kind: 'retryable', error: expect.stringMatching(/^no connection.*Timeout/) });
  });

  it('is retryable when TLS never answers', async () => {
    const handler = await silent();
    const sender = delivery({ connectTimeoutMs: 500 });
    const outcome = await sender.deliver(callTo(`https://127.0.0.1:${handler.port}/`));
    expect(outcome).toMatchObject({ kind: 'retryable', error: expect.stringMatching(/^no connection.*Timeout/) });
    await closed(handler.sockets[0]);
  });

  it('is retryable when the deadline comes first', async () => {
    const outcome = await delivery({ lookup: () => {} }).deliver(callTo('http://slow.example/', { timeoutMs: 100 }));
    expect(outcome).toMatchObject({
      kind: 'retryable',
      error: 'no connection to the handler within the limit of 100 ms',
    });
  });

  it('is not used for a call that has ended meanwhile', async () => {
    const handler = await serve();
    let found = () => {};
    const sender = delivery({
      lookup: (_, __, callback) => {
        found = () => callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    });
    await sender.deliver(callTo(`http://late.example:${handler.port}/`, { timeoutMs: 100 }));
    found();
    await vi.waitFor(() => expect(handler.sockets).toHaveLength(1));
    await closed(handler.sockets[0]);
    expect(handler.received).toHaveLength(0);
  });
});

describe('stopping a call', () => {
  const CANCELLED: StopReason = { kind: 'cancelled', by: 'ops' };

  async function stopMidway(handler: Served, reason: StopReason) {
    const stop = new AbortController();
    const delivered = delivery().deliver(callTo(handler.url, { signal: stop.signal }));
    await vi.waitFor(() => expect(handler.sockets[0]?.bytesRead).toBeGreaterThan(0));
    stop.abort(reason);
    const outcome = await delivered;
    await closed(handler.sockets[0]);
    return outcome;
  }

  it('G2 · as an operator asked closes the socket at once, so that the handler notices', async () => {
    const outcome = await stopMidway(await silent(), CANCELLED);
    expect(outcome).toMatchObject({ kind: 'cancelled', by: 'ops', error: expect.stringContaining('ops') });
  });

  it.each(['shutdown', 'heartbeat'] as const)('for a %s is an interruption', async by => {
    expect(await stopMidway(await silent(), { kind: 'interrupted', by })).toMatchObject({ kind: 'interrupted', by });
  });

  it('of a disowned job closes the socket as well', async () => {
    expect(await stopMidway(await silent(), { kind: 'disowned' })).toMatchObject({ kind: 'interrupted' });
  });

  it.each([
    [200, 'succeeded'],
    [500, 'cancelled'],
  ])('comes too late for a head of 2xx that was read, and only for that: %i', async (status, kind) => {
    const handler = await dripping(DRIP.replace('200', String(status)));
    const stop = new AbortController();
    const delivered = delivery().deliver(callTo(handler.url, { signal: stop.signal }));
    await dripped(handler);
    stop.abort(CANCELLED);
    expect(await delivered).toMatchObject({ kind, responseStatus: status, responseBody: expect.stringMatching(/^x/) });
    await closed(handler.sockets[0]);
  });

  it('is not in time for a success that takes itself back', async () => {
    const handler = await dripping(DRIP.replace('\r\n', '\r\nchokaq-retry: after=30s\r\n'));
    const stop = new AbortController();
    const delivered = delivery().deliver(callTo(handler.url, { signal: stop.signal }));
    await dripped(handler);
    stop.abort(CANCELLED);
    expect(await delivered).toMatchObject({ kind: 'cancelled' });
  });

  it('before it began sends nothing', async () => {
    const handler = await serve();
    const signal = AbortSignal.abort(CANCELLED);
    expect(await delivery().deliver(callTo(handler.url, { signal }))).toMatchObject({ kind: 'cancelled', by: 'ops' });
    expect(handler.sockets).toHaveLength(0);
  });

  it('while it connects sends nothing', async () => {
    const stop = new AbortController();
    const call = callTo('http://slow.example/', { signal: stop.signal });
    const delivered = delivery({ lookup: () => {} }).deliver(call);
    stop.abort(CANCELLED);
    expect(await delivered).toMatchObject({ kind: 'cancelled' });
  });

  it('leaves no listener behind', async () => {
    const handler = await serve();
    const listeners = new Set<unknown>();
    const signal = {
      aborted: false,
      reason: undefined,
      addEventListener: (_: 'abort', listener: unknown) => void listeners.add(listener),
      removeEventListener: (_: 'abort', listener: unknown) => void listeners.delete(listener),
    };
    await delivery().deliver(callTo(handler.url, { signal }));
    await delivery().deliver(callTo('http://127.0.0.1:1/', { signal }));
    expect(listeners.size).toBe(0);
  });
});
