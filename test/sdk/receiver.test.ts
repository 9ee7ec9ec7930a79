// Owns the proof of the receiver in both of its forms: who may call, what is dispatched, and how an outcome is told.
import type { createServer } from 'node:http';
import { defineJob } from '@chokaq/sdk';
import {
  createProfile,
  FatalError,
  type JobContext,
  newSecret,
  type Profile,
  type ReceiverOptions,
  ThrottledError,
} from '@chokaq/sdk/receiver';
import { type CallFacts, signedRequest } from '@chokaq/sdk/testing';
import express from 'express';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { signatureHeaders, signingKeys } from '#service/delivery/sign.js';
import type { Handler } from '#service/domain/handler.js';
import { TestServer } from './fixture/server.ts';

const SECRET = newSecret();
const Greet = defineJob<{ to: string }>('greet.v1');
const servers: TestServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map(server => server.stop())));

type Receive = (request: Request) => Promise<Response>;

async function overHttp(listener: Parameters<typeof createServer>[1]): Promise<Receive> {
  const server = await TestServer.listening(() => listener ?? (() => undefined));
  servers.push(server);
  return async request => {
    const { method, headers, signal } = request;
    const body = method === 'POST' ? await request.arrayBuffer() : null;
    return fetch(server.url, { method, headers, body, signal });
  };
}

const FORMS: Readonly<Record<string, (profile: Profile, options?: Partial<ReceiverOptions>) => Promise<Receive>>> = {
  fetchHandler: async (profile, options) => profile.fetchHandler({ secret: SECRET, ...options }),
  'nodeHandler on node:http': (profile, options) => overHttp(profile.nodeHandler({ secret: SECRET, ...options })),
  'nodeHandler in Express': (profile, options) =>
    overHttp(express().post('/', profile.nodeHandler({ secret: SECRET, ...options }))),
  'nodeHandler behind express.raw': (profile, options) =>
    overHttp(
      express()
        .use(express.raw({ type: '*/*' }))
        .post('/', profile.nodeHandler({ secret: SECRET, ...options })),
    ),
};

const call = (facts: Partial<CallFacts> = {}, payload: unknown = { to: 'x' }) =>
  signedRequest('greet.v1', payload, { secret: SECRET, ...facts });

describe.each(Object.entries(FORMS))('%s', (name, receiver) => {
  test('runs the handler with the payload and all that the call tells', async () => {
    const seen: { job?: unknown; ctx?: JobContext } = {};
    const receive = await receiver(
      createProfile('p').handle(Greet, (job, ctx) => void Object.assign(seen, { job, ctx })),
    );
    const facts = { jobId: 'j-1', queue: 'q/ü', attempt: 2, maxAttempts: 5, round: 3, idempotencyKey: 'k:1 ü' };
    expect((await receive(await call(facts))).status).toBe(204);
    expect(seen.job).toEqual({ to: 'x' });
    expect(seen.ctx).toMatchObject({ ...facts, type: 'greet.v1', webhookId: 'j-1:r3', text: '{"to":"x"}' });
    expect(seen.ctx?.logFields).toEqual({ jobId: 'j-1', type: 'greet.v1', queue: 'q/ü', attempt: 2 });
    expect((seen.ctx?.deadline.getTime() ?? 0) - Date.now()).toBeGreaterThan(25_000);
  });

  test('refuses with 401 what the secret did not sign, within five minutes, byte for byte', async () => {
    let runs = 0;
    const errors: unknown[] = [];
    const profile = createProfile('p').handle(Greet, () => void runs++);
    const receive = await receiver(profile, { onError: error => void errors.push(error) });
    const good = await call();
    const changed = new Request(good.clone(), { body: '{"to": "x"}', method: 'POST' });
    const unsigned = new Request(good.clone());
    unsigned.headers.delete('webhook-signature');
    const wrong = [await call({ secret: newSecret() }), changed, unsigned];
    for (const now of [-301_000, 302_000]) wrong.push(await call({ now: Date.now() + now }));
    for (const request of wrong) expect((await receive(request)).status).toBe(401);
    expect([runs, errors.length]).toEqual([0, 5]);
    expect((await receive(good)).status).toBe(204);
  });

  test('accepts either secret while it is being changed, on either side', async () => {
    const old = newSecret();
    const profile = createProfile('p').handle(Greet, () => undefined);
    const both = await receiver(profile, { secret: [SECRET, old] });
    for (const secret of [SECRET, old]) expect((await both(await call({ secret }))).status).toBe(204);
    const one = await receiver(profile);
    const request = await call({ secret: old });
    const own = (await call({ jobId: request.headers.get('chokaq-job-id') ?? '' })).headers.get('webhook-signature');
    request.headers.set('webhook-signature', `${request.headers.get('webhook-signature')} ${own}`);
    expect((await one(request)).status).toBe(204);
  });

  const OUTCOMES: readonly (readonly [unknown, number, Record<string, string | null>, string])[] = [
    [new FatalError('no such user'), 422, { 'chokaq-retry': 'never' }, 'FatalError: no such user'],
    [new ThrottledError({ retryAfter: '90s' }), 429, { 'retry-after': '90' }, 'ThrottledError: throttled'],
    [new ThrottledError({ retryAfter: 10 }), 429, { 'retry-after': '1' }, 'ThrottledError: throttled'],
    [new ThrottledError(), 429, { 'retry-after': null }, 'ThrottledError: throttled'],
    [new RangeError('oops'), 500, { 'chokaq-retry': null }, 'RangeError: oops'],
    ['text', 500, {}, 'text'],
  ];

  test('tells what was thrown: fatal, throttled, or to be tried again', async () => {
    for (const [error, status, headers, text] of OUTCOMES) {
      const profile = createProfile('p').handle(Greet, () => Promise.reject(error));
      const response = await (await receiver(profile))(await call());
      expect(response.status).toBe(status);
      expect(await response.text()).toBe(text);
      for (const [header, value] of Object.entries(headers)) expect(response.headers.get(header)).toBe(value);
    }
  });

  test('keeps what a handler returns', async () => {
    const receive = await receiver(createProfile('p').handle(Greet, () => ({ messageId: 7 })));
    const response = await receive(await call());
    expect([response.status, await response.json()]).toEqual([200, { messageId: 7 }]);
  });

  test('aborts the signal at the deadline, and when the caller hangs up', async () => {
    const reasons: string[] = [];
    const profile = createProfile('p').handle(Greet, async (_job, { signal }) => {
      await new Promise(resolve => signal.addEventListener('abort', resolve));
      reasons.push(signal.reason.name);
    });
    const receive = await receiver(profile);
    // The timestamp has whole seconds: what is left counts from the last of them.
    await receive(await call({ timeoutMs: 50, now: Math.floor(Date.now() / 1_000) * 1_000 }));
    expect(reasons).toEqual(['TimeoutError']);
    const hangUp = new AbortController();
    const request = await call({ signal: hangUp.signal });
    const answer = receive(request).catch(() => undefined);
    setTimeout(() => hangUp.abort(), 50);
    await answer;
    await vi.waitFor(() => expect(reasons[1]).toBe('AbortError'));
  });

  test('answers a ping, an unknown type, another method, a body that is too large, a payload that is not JSON', async () => {
    const profile = createProfile('p').handle(Greet, () => expect.unreachable());
    const receive = await receiver(profile, { maxBodyBytes: 100 });
    const ping = await signedRequest('chokaq.ping', {}, { secret: SECRET });
    expect((await receive(ping)).status).toBe(204);
    expect((await receive(await signedRequest('other.v1', {}, { secret: SECRET }))).status).toBe(404);
    expect((await receive(await call({}, 'x'.repeat(100)))).status).toBe(413);
    const broken = await receive(await call({ text: '{"to"' }));
    expect([broken.status, broken.headers.get('chokaq-retry')]).toEqual([422, 'never']);
    if (!name.includes('xpress')) expect((await receive(new Request('http://x/'))).status).toBe(405);
  });
});

describe('Profiles', () => {
  test('a second handler for a type key is an error', () => {
    const profile = createProfile('mailing').handle(Greet, () => undefined);
    expect(() => profile.handle(defineJob<number>(['b', 'greet.v1']), () => undefined)).toThrow(
      'profile mailing already has a handler for greet.v1',
    );
    expect(profile.types).toEqual(['greet.v1']);
  });

  test('middleware runs in the order of its registration, the first outermost, and may answer by itself', async () => {
    const order: string[] = [];
    const profile = createProfile('p')
      .use(async (_job, _ctx, next) => {
        order.push('first in');
        try {
          return await next();
        } finally {
          order.push('first out');
        }
      })
      .use((job, ctx, next) => {
        order.push(`second ${JSON.stringify(job)} ${ctx.attempt}`);
        if (ctx.attempt > 1) throw new FatalError('enough');
        return next();
      })
      .handle(Greet, () => void order.push('handler'));
    const receive = profile.fetchHandler({ secret: SECRET });
    expect((await receive(await call())).status).toBe(204);
    expect(order).toEqual(['first in', 'second {"to":"x"} 1', 'handler', 'first out']);
    expect((await receive(await call({ attempt: 2 }))).status).toBe(422);
    expect(order.slice(4)).toEqual(['first in', 'second {"to":"x"} 2', 'first out']);
  });

  test('a body that was parsed before is noticed, and said', async () => {
    const profile = createProfile('p').handle(Greet, () => undefined);
    const receive = await overHttp(
      express()
        .use(express.json())
        .post('/', profile.nodeHandler({ secret: SECRET })),
    );
    const response = await receive(await call());
    expect([response.status, await response.text()]).toEqual([500, expect.stringContaining('before express.json()')]);
  });

  test.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'plain', []])('the secret %j is refused at once', secret => {
    expect(() => createProfile('p').fetchHandler({ secret })).toThrow(/secret/);
  });

  test('signatures are those of the service and of the Standard Webhooks library', async () => {
    const receive = createProfile('p')
      .handle(Greet, () => undefined)
      .fetchHandler({ secret: SECRET });
    const request = await call({ jobId: 'j' });
    const body = await request.clone().text();
    expect(new Webhook(SECRET).verify(body, Object.fromEntries(request.headers))).toEqual({ to: 'x' });
    const keys = signingKeys({ secret: SECRET, previousSecret: null, previousSecretUntil: null } as Handler);
    const flat = signatureHeaders(keys, 'j', Buffer.from(body), Date.now());
    for (let at = 0; at < flat.length; at += 2) request.headers.set(flat[at] ?? '', flat[at + 1] ?? '');
    expect((await receive(request)).status).toBe(204);
  });
});
