// Owns the proof that connections are reused while that is safe, never waited for, and let go of.
import type { Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { callTo, delivery } from './fixture/calls.ts';
import { closed, serve, serveRaw } from './fixture/servers.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n';

describe('connections', () => {
  it('are used again', async () => {
    const handler = await serve();
    const sender = delivery();
    for (let call = 0; call < 20; call++) {
      expect(await sender.deliver(callTo(handler.url))).toMatchObject({ kind: 'succeeded' });
      await vi.waitFor(() => expect(handler.received).toHaveLength(call + 1));
    }
    expect(handler.sockets.length).toBeLessThanOrEqual(2);
  });

  it('are opened for every call that finds none idle: started jobs never queue', async () => {
    let open = 0;
    let release = () => {};
    const all = new Promise<void>(resolve => {
      release = resolve;
    });
    const handler = await serve(res => {
      if (++open === 200) release();
      void all.then(() => res.end());
    });
    const sender = delivery();
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => sender.deliver(callTo(handler.url))));
    expect(outcomes.every(({ kind }) => kind === 'succeeded')).toBe(true);
    expect(handler.sockets).toHaveLength(200);
  });

  it('are kept apart by origin', async () => {
    const [one, two] = [await serve(), await serve()];
    const sender = delivery();
    for (const { url } of [one, two, one, two]) await sender.deliver(callTo(url));
    expect([one.received.length, two.received.length]).toEqual([2, 2]);
  });

  it('are not used again when the server is about to close them', async () => {
    const handler = await serveRaw(socket => socket.write(`${OK}keep-alive: timeout=2\r\n\r\n`));
    const sender = delivery();
    await sender.deliver(callTo(handler.url));
    await closed(handler.sockets[0]);
    await sender.deliver(callTo(handler.url));
    expect(handler.sockets).toHaveLength(2);
  });

  it('are let go of when idle for 4 s, or for 2 s less than the hint when that is sooner', async () => {
    const idle = async (hint: string) => {
      const handler = await serveRaw(socket => socket.write(`${OK}${hint}\r\n`));
      await delivery().deliver(callTo(handler.url));
      const since = performance.now();
      await closed(handler.sockets[0]);
      return (performance.now() - since) / 1_000;
    };
    const idles = ['keep-alive: timeout=3\r\n', '', 'keep-alive: timeout=60\r\n'].map(idle);
    const [short, none, long] = await Promise.all(idles);
    expect(short).toBeGreaterThan(0.8);
    expect(short).toBeLessThan(3);
    for (const each of [none, long]) {
      expect(each).toBeGreaterThan(3.8);
      expect(each).toBeLessThan(10);
    }
  });

  it('that the server closed while idle cost no attempt', async () => {
    const handler = await serveRaw(socket => socket.write(`${OK}\r\n`));
    const sender = delivery();
    for (let round = 0; round < 20; round++) {
      expect(await sender.deliver(callTo(handler.url))).toMatchObject({ kind: 'succeeded' });
      for (const socket of handler.sockets) socket.end();
      if (round % 2 === 0) await closed(handler.sockets[round]);
    }
  });

  it('that the server closed while others stay open cost no attempt', async () => {
    const waiting: Socket[] = [];
    const handler = await serveRaw(socket => {
      if (waiting.push(socket) >= 3) for (const each of waiting.splice(0)) each.write(`${OK}\r\n`);
    });
    const sender = delivery();
    const three = () => Promise.all([1, 2, 3].map(() => sender.deliver(callTo(handler.url))));
    await three();
    for (const socket of handler.sockets.slice(0, 3)) {
      socket.end();
      await closed(socket);
      expect(await three()).toMatchObject([{ kind: 'succeeded' }, { kind: 'succeeded' }, { kind: 'succeeded' }]);
    }
  });

  it('that the server closes after each answer cost no attempt', async () => {
    const handler = await serve(res => res.setHeader('connection', 'close').end());
    const sender = delivery();
    const calls = Array.from({ length: 50 }, () => sender.deliver(callTo(handler.url)));
    expect((await Promise.all(calls)).every(({ kind }) => kind === 'succeeded')).toBe(true);
  });

  it('that are reset under a call make it a visible attempt: it is not sent again', async () => {
    let requests = 0;
    const handler = await serveRaw(socket => {
      requests += 1;
      if (requests === 1) socket.write(`${OK}\r\n`);
      else socket.resetAndDestroy();
    });
    const sender = delivery();
    await sender.deliver(callTo(handler.url));
    await new Promise(resolve => setImmediate(resolve));
    expect(await sender.deliver(callTo(handler.url))).toMatchObject({ kind: 'retryable' });
    expect(requests).toBe(2);
  });

  it('survive calls that fail: the next ones are sent as ever', async () => {
    let count = 0;
    const handler = await serveRaw(socket => {
      count += 1;
      if (count % 3 === 1) socket.write(`${OK}\r\n`);
      else if (count % 3 === 2) socket.destroy();
      else socket.end('nonsense');
    });
    const sender = delivery();
    const kinds: string[] = [];
    for (let call = 0; call < 12; call++) kinds.push((await sender.deliver(callTo(handler.url))).kind);
    expect(kinds).toEqual(Array.from({ length: 4 }, () => ['succeeded', 'retryable', 'retryable']).flat());
  });

  it('are closed with the delivery', async () => {
    const handler = await serve();
    const sender = delivery();
    await Promise.all(Array.from({ length: 5 }, () => sender.deliver(callTo(handler.url))));
    await sender.close();
    for (const socket of handler.sockets) await closed(socket);
  });
});
