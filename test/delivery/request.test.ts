// Owns the proof of what a handler receives: the payload byte for byte, and every header that is promised.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { deepJson, LONG_NAMES, megabyteJson, PAYLOADS } from '../fixtures/strings.ts';
import { callTo, delivery } from './fixture/calls.ts';
import { serve } from './fixture/servers.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('the body', () => {
  const payloads = Object.entries({ ...PAYLOADS, 'a megabyte': megabyteJson(), 'arrays in arrays': deepJson() });

  it.each(payloads)('A10 · arrives byte for byte: %s', async (_, json) => {
    const handler = await serve();
    expect(await delivery().deliver(callTo(handler.url, { json }))).toMatchObject({ kind: 'succeeded' });
    expect(handler.received[0]?.body.equals(Buffer.from(json))).toBe(true);
  });

  it('arrives as it is when the payload is a part of a larger buffer', async () => {
    const handler = await serve();
    const payload = new Uint8Array(Buffer.from('xx{"a":1}xx')).subarray(2, 9);
    await delivery().deliver(callTo(handler.url, { job: { payload } }));
    expect(handler.received[0]?.body.toString()).toBe('{"a":1}');
  });
});

describe('the headers', () => {
  it('say all about the attempt', async () => {
    const handler = await serve();
    const startedAt = Date.now();
    const call = callTo(`${handler.url}?a=1&b=%20`, {
      job: {
        id: 'a:1_b-2',
        queue: 'mail',
        type: 'email.send.v1',
        attempts: 2,
        round: 1,
        idempotencyKey: 'welcome:42',
        createdAt: Date.UTC(2026, 0, 2, 3, 4, 5, 6),
        dueAt: Date.UTC(2026, 0, 2, 3, 5, 0, 0),
      },
      handler: { headers: { 'x-tenant': 'a', 'x-latin': 'é' } },
      maxAttempts: 5,
      timeoutMs: 30_000,
      startedAt,
    });
    await delivery().deliver(call);
    const [got] = handler.received;
    expect(got).toMatchObject({ method: 'POST', url: '/hook?a=1&b=%20' });
    expect(got?.headers).toEqual({
      host: `127.0.0.1:${handler.port}`,
      connection: 'keep-alive',
      'content-type': 'application/json',
      'content-length': '7',
      'user-agent': 'ChokaQ/1.2.3',
      'x-tenant': 'a',
      'x-latin': 'é',
      'chokaq-job-id': 'a:1_b-2',
      'chokaq-type': 'email.send.v1',
      'chokaq-queue': 'mail',
      'chokaq-idempotency-key': 'welcome:42',
      'chokaq-attempt': '2',
      'chokaq-max-attempts': '5',
      'chokaq-round': '1',
      'chokaq-created-at': '2026-01-02T03:04:05.006Z',
      'chokaq-due-at': '2026-01-02T03:05:00.000Z',
      'chokaq-deadline': new Date(startedAt + 30_000).toISOString(),
      'webhook-id': 'a:1_b-2',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
    });
  });

  it('are signed over what arrives, under an id of its own in a later round', async () => {
    const handler = await serve();
    const call = callTo(handler.url, { json: '{"ü":"\\ud83d"}', job: { round: 3 } });
    await delivery().deliver(call);
    const [got] = handler.received;
    expect(got?.headers).toMatchObject({ 'webhook-id': 'job-1:r3', 'chokaq-job-id': 'job-1', 'chokaq-round': '3' });
    new Webhook(call.handler.secret).verify(got?.body ?? '', got?.headers as Record<string, string>);
  });

  it.each(Object.entries(LONG_NAMES))('carry names of 255 code points, percent-encoded: %s', async (_, name) => {
    const handler = await serve();
    const job = { type: name, queue: name, idempotencyKey: name };
    await delivery().deliver(callTo(handler.url, { job }));
    const headers = handler.received[0]?.headers ?? {};
    for (const header of ['chokaq-type', 'chokaq-queue', 'chokaq-idempotency-key']) {
      expect(headers[header]).toMatch(/^[\x20-\x7e]+$/);
      expect(decodeURIComponent(String(headers[header]))).toBe(name);
    }
  });

  it.each([
    ['100% sure/you?', '100%25 sure/you?'],
    ['größe', 'gr%C3%B6%C3%9Fe'],
    ['a\u00a0b', 'a%C2%A0b'],
    ['a\ud83d', 'a%EF%BF%BD'],
  ])('write the name %j as %j', async (type, value) => {
    const handler = await serve();
    await delivery().deliver(callTo(handler.url, { job: { type } }));
    expect(handler.received[0]?.headers['chokaq-type']).toBe(value);
  });

  it("continue the producer's trace with a span of their own for each attempt", async () => {
    const handler = await serve();
    const traceparent = `00-${TRACE}-b7ad6b7169203331-01`;
    const job = { traceparent, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' };
    const sender = delivery();
    await sender.deliver(callTo(handler.url, { job }));
    await sender.deliver(callTo(handler.url, { job }));
    const sent = handler.received.map(({ headers }) => String(headers.traceparent));
    for (const each of sent) expect(each).toMatch(new RegExp(`^00-${TRACE}-(?!b7ad6b7169203331)[0-9a-f]{16}-01$`));
    expect(new Set(sent).size).toBe(2);
    expect(handler.received[0]?.headers.tracestate).toBe(job.tracestate);
  });

  it.each([
    'nonsense',
    '',
    `00-${TRACE.toUpperCase()}-b7ad6b7169203331-01`,
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-b7ad6b7169203331-01\r\nx: y`,
  ])('have no trace when the producer sent %j', async traceparent => {
    const handler = await serve();
    await delivery().deliver(callTo(handler.url, { job: { traceparent, tracestate: 'a=b' } }));
    expect(handler.received[0]?.headers).not.toHaveProperty('traceparent');
    expect(handler.received[0]?.headers).not.toHaveProperty('tracestate');
  });
});

describe('a ping', () => {
  it('is signed, is no job, and brings back what came', async () => {
    const handler = await serve(res => res.writeHead(418).end('short and stout'));
    const target = callTo(handler.url, { handler: { headers: { 'x-tenant': 'a' } } }).handler;
    const answer = await delivery().ping(target);
    expect(answer).toEqual({
      responseStatus: 418,
      responseBody: 'short and stout',
      error: null,
      durationMs: expect.any(Number),
    });
    const [got] = handler.received;
    expect(got?.headers).toMatchObject({ 'chokaq-type': 'chokaq.ping', 'x-tenant': 'a' });
    expect(got?.headers).not.toHaveProperty('chokaq-job-id');
    expect(got?.body.toString()).toBe('{}');
    new Webhook(target.secret).verify('{}', got?.headers as Record<string, string>);
  });

  it('says why there is no answer', async () => {
    const sender = delivery();
    const unheard = callTo('http://127.0.0.1:1/').handler;
    expect(await sender.ping(unheard)).toMatchObject({ responseStatus: null, error: expect.stringMatching('REFUSED') });
    const refused = callTo('ftp://127.0.0.1/').handler;
    expect(await sender.ping(refused)).toMatchObject({ responseStatus: null, error: expect.stringMatching('http') });
  });
});
