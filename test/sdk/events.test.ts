// Owns the proof that live events are followed as they come: read byte by byte, taken up where they broke off, and ended when asked.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ChokaQ, type EventOptions, type ServiceEvent } from '@chokaq/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import { TestServer } from './fixture/server.ts';

/** What one connection is answered with; a `ServerResponse` that is left open is ended by the test. */
type Act = (response: ServerResponse) => unknown;

const servers: TestServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

/** A service of which each connection goes as its act says; what was asked for is kept. */
async function serving(...acts: Act[]) {
  const asked: { url: string; last: string | undefined; closed: Promise<unknown> }[] = [];
  const server = await TestServer.listening(() => ({ url = '', headers }, response) => {
    asked.push({ url, last: headers['last-event-id'] as string | undefined, closed: once(response, 'close') });
    const act = acts[Math.min(asked.length, acts.length) - 1];
    act?.(response);
  });
  servers.push(server);
  return { client: new ChokaQ({ url: server.url, apiKey: 'ck_x', retryFor: '5s' }), asked };
}

const stream =
  (...pieces: (string | Uint8Array)[]): Act =>
  async response => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    for (const piece of pieces) {
      response.write(piece);
      await new Promise(resolve => setImmediate(resolve));
    }
  };
const thenEnd =
  (act: Act): Act =>
  async response => {
    await act(response);
    response.end();
  };
const refuse =
  (status: number, code: string, headers = {}): Act =>
  response =>
    response
      .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
      .end(JSON.stringify({ code, status, detail: 'Do this.' }));
const job = (n: number) => `id: b-${n}\nevent: job\ndata: {"id":"${n}"}\n\n`;

async function take(client: ChokaQ, count: number, options: EventOptions = {}): Promise<ServiceEvent[]> {
  const events: ServiceEvent[] = [];
  for await (const event of client.events(options)) if (events.push(event) === count) break;
  return events;
}

async function thrown(call: Promise<unknown>) {
  return call.then(
    () => expect.unreachable('it resolved'),
    error => error,
  );
}

describe('A stream', () => {
  test('is read whatever its pieces are: split characters, all line breaks, comments, several lines, unknown fields', async () => {
    const bytes = Buffer.from(
      'event: job\r\nid: b-1\r\ndata: {"id":\r\ndata: "邮件"}\r\n\r\n: ping\rid\r\nwhat: x\n\n',
    );
    const pieces = [...bytes].map(byte => Uint8Array.of(byte));
    const { client } = await serving(stream('\ufeffretry: 10\n', ...pieces, 'data:{}\n\n', job(2)));
    expect(await take(client, 3)).toEqual([
      { event: 'job', data: { id: '邮件' }, lastEventId: 'b-1' },
      { event: 'message', data: {}, lastEventId: '' },
      { event: 'job', data: { id: '2' }, lastEventId: 'b-2' },
    ]);
  });

  test('is asked for with key and filter, and closed when the loop is left', async () => {
    const { client, asked } = await serving(stream(job(1)));
    await take(client, 1, { queue: 'a&b', type: 'é', lastEventId: 'b-0' });
    expect(asked).toMatchObject([{ url: '/events?queue=a%26b&type=%C3%A9', last: 'b-0' }]);
    await asked[0]?.closed;
  });

  test('that ends, breaks or is refused for a while is taken up behind the last event, whole ones only', async () => {
    const { client, asked } = await serving(
      thenEnd(stream('retry: 10\n', job(1), 'id: b-2\n\n', 'id: b-3\nevent: job\nda')),
      refuse(503, 'too-many-streams', { 'retry-after': '0' }),
      response => response.destroy(),
      thenEnd(stream(job(3))),
      stream(job(4)),
    );
    const reasons: string[] = [];
    const patient = new ChokaQ({ url: servers[0]?.url ?? '', onRetry: reason => reasons.push(reason) });
    expect((await take(patient, 3)).map(({ lastEventId }) => lastEventId)).toEqual(['b-1', 'b-3', 'b-4']);
    expect(asked.map(({ last }) => last)).toEqual([undefined, 'b-2', 'b-2', 'b-2', 'b-3']);
    expect(reasons[0]).toContain('ended');
    expect(reasons[1]).toContain('too-many-streams');
    expect(reasons[2]).toContain('broke off');
    expect(client).toBeDefined();
  });

  test('comes to an end with an error when the service stays away, or says no', async () => {
    const gone = await serving(thenEnd(stream('retry: 10\n', job(1))), response => response.destroy());
    const error = await thrown(take(gone.client, 2, { retryFor: 100 }));
    expect(error).toMatchObject({ name: 'ChokaQError', code: 'unreachable' });
    expect(gone.asked.length).toBeGreaterThan(2);
    const closed = await serving(refuse(401, 'unauthorized'));
    expect(await thrown(take(closed.client, 1))).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(closed.asked).toHaveLength(1);
    const other = await serving(response => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'));
    expect(await thrown(take(other.client, 1))).toMatchObject({ code: 'not-chokaq' });
    const busy = await serving(refuse(503, 'too-many-streams', { 'retry-after': '60' }));
    expect(await thrown(take(busy.client, 1))).toMatchObject({ code: 'too-many-streams', retryAfterMs: 60_000 });
  });

  test('that never begins has the limit of a try', async () => {
    await serving(() => undefined);
    const client = new ChokaQ({ url: servers[0]?.url ?? '', timeout: 50, retryFor: 0 });
    expect(await thrown(take(client, 1))).toMatchObject({ code: 'timeout' });
  });

  test('ends with the reason of its signal, while it is open and while it waits', async () => {
    const open = await serving(stream(job(1)));
    const abort = new AbortController();
    const events = open.client.events({ signal: abort.signal });
    await events.next();
    const next = events.next();
    abort.abort(new Error('enough'));
    expect((await thrown(next)).message).toBe('enough');
    await open.asked[0]?.closed;

    const away = await serving(thenEnd(stream('retry: 60000\n', job(1))));
    const waiting = new AbortController();
    const onRetry = () => waiting.abort(new Error('enough of it'));
    const client = new ChokaQ({ url: servers[1]?.url ?? '', retryFor: '1h', onRetry });
    expect((await thrown(take(client, 2, { signal: waiting.signal }))).message).toBe('enough of it');
    expect(away.asked).toHaveLength(1);
  });
});
