// Owns the proof that a handler's URL is no way into the network: what counts is the address that is connected to.
import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { Connections } from '#service/delivery/connections.js';
import { Exchange } from '#service/delivery/exchange.js';
import { type Lookup, TargetGuard } from '#service/delivery/target.js';
import { callTo, delivery } from './fixture/calls.ts';
import { serve } from './fixture/servers.ts';

/** Answers the lists in turn, the last one for ever. */
function resolving(...answers: string[][]): Lookup {
  return (_, __, callback) => {
    const next = answers.length > 1 ? answers.shift() : answers[0];
    const found = (next ?? []).map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }));
    callback(null, found);
  };
}

describe('a host name', () => {
  const policy = { allowPrivate: false, allow: [] };

  it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1', '0.0.0.0'])(
    'that resolves to %s is refused at the connection, and can be tried again',
    async address => {
      const handler = await serve();
      const sender = delivery({ policy, lookup: resolving([address]) });
      const outcome = await sender.deliver(callTo(`http://evil.example:${handler.port}/`));
      expect(outcome).toMatchObject({ kind: 'retryable', responseStatus: null });
      expect(outcome.error).toContain(`the address ${address} of evil.example`);
      expect(handler.sockets).toHaveLength(0);
    },
  );

  it('that is opened is called', async () => {
    const handler = await serve();
    const sender = delivery({ policy: { ...policy, allow: ['good.example'] }, lookup: resolving(['127.0.0.1']) });
    const outcome = await sender.deliver(callTo(`http://hook.good.example:${handler.port}/`));
    expect(outcome).toMatchObject({ kind: 'succeeded' });
    expect(handler.received[0]?.headers.host).toBe(`hook.good.example:${handler.port}`);
  });

  it('with several addresses is called at an allowed one', async () => {
    const handler = await serve();
    const lookup = resolving(['169.254.169.254', '127.0.0.1', '0.0.0.0']);
    const outcome = await delivery({ lookup }).deliver(callTo(`http://mixed.example:${handler.port}/`));
    expect(outcome).toMatchObject({ kind: 'succeeded' });
  });

  it('that is rebound between two calls is refused in the second', async () => {
    const handler = await serve(res => res.setHeader('connection', 'close').end());
    const lookup = resolving(['127.0.0.1'], ['169.254.169.254']);
    const sender = delivery({ lookup });
    const call = callTo(`http://rebind.example:${handler.port}/`);
    expect(await sender.deliver(call)).toMatchObject({ kind: 'succeeded' });
    const outcome = await sender.deliver(call);
    expect(outcome).toMatchObject({ kind: 'retryable', error: expect.stringContaining('169.254.169.254') });
  });

  it('without an address says so', async () => {
    const outcome = await delivery({ lookup: resolving([]) }).deliver(callTo('http://empty.example/'));
    expect(outcome).toMatchObject({
      kind: 'retryable',
      error: expect.stringContaining('empty.example has no address'),
    });
  });
});

describe('a literal', () => {
  it.each(['127.0.0.1', '2130706433', '[::ffff:127.0.0.1]'])('%s is refused without a connection', async host => {
    const handler = await serve();
    const sender = delivery({ policy: { allowPrivate: false, allow: [] } });
    const outcome = await sender.deliver(callTo(`http://${host}:${handler.port}/`));
    expect(outcome).toMatchObject({ kind: 'retryable', error: expect.stringContaining('CHOKAQ_WEBHOOK_ALLOW') });
    expect(handler.sockets).toHaveLength(0);
    expect(sender.refusal(`http://${host}/`)).toBe(outcome.error?.replace(`:${handler.port}`, ''));
  });
});

describe('the last check', () => {
  it('is where the socket ended up, before a byte of the call is sent', async () => {
    const handler = await serve();
    const guard = new TargetGuard({ allowPrivate: true, allow: [] });
    // A guard whose lookup lets everything through stands for a lookup that is never asked.
    guard.guard = lookup => (hostname, options, callback) =>
      lookup(hostname, { ...options, all: true }, (error, found) => callback(error, found));
    guard.refuseAddress = (_, address) => (address === '127.0.0.1' ? 'not there' : null);
    const connections = new Connections({ guard, lookup: resolving(['127.0.0.1']), connectTimeoutMs: 1_000 });
    const origin = `http://any.example:${handler.port}`;
    const request = { method: 'POST', path: '/', body: '{}' } as const;
    const ended = await new Promise(resolve => {
      new Exchange({ connections, origin, request, timeoutMs: 5_000, signal: null }, resolve);
    });
    expect(ended).toMatchObject({ how: 'broken', hasBegun: false, error: new Error('not there') });
    expect(handler.sockets[0]?.bytesRead).toBe(0);
    await connections.close();
  });
});
