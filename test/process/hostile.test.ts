// Owns the sweep of hostile input over real HTTP: every limit and every malformed request gets a clear 4xx, and nothing is stored.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LONG_NAMES } from '../fixtures/strings.ts';
import { JOB, JOBS } from './fixture/refused-jobs.ts';
import type { ServiceProcess } from './fixture/service.ts';
import { World } from './fixture/world.ts';

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start();
  await world.register(service, ['work.v1']);
});
afterAll(() => world.end());

test.each(Object.entries(JOBS))(
  'A2 A11 · %s is refused, alone and in a batch, with a pointer, and nothing is stored',
  async (_, [job, status, pointer]) => {
    const before = await totals();
    const single = await service.call('POST', '/jobs', job);
    expect(problem(single)).toEqual({ status, pointer });
    const batch = await service.call('POST', '/jobs/batch', { jobs: [JOB, job, JOB] });
    expect(problem(batch)).toEqual({ status, pointer: pointer.replace('#', '#/jobs/1') });
    expect(await totals()).toEqual(before);
  },
);

const BODIES: Record<string, [body: string, status: number]> = {
  'no body': ['', 400],
  'no JSON': ['hello', 400],
  'half a JSON': ['{"type":"work.v1","payload":{', 400],
  'two JSONs': ['{"type":"work.v1","payload":1} {}', 400],
  'a trailing comma': ['{"type":"work.v1","payload":1,}', 400],
  'a comment': ['{"type":"work.v1",/**/"payload":1}', 400],
  'single quotes': ["{'type':'work.v1','payload':1}", 400],
  'NaN as payload': ['{"type":"work.v1","payload":NaN}', 400],
  'a raw control character': ['{"type":"work.v1","payload":"a\u0001b"}', 400],
  'a doubled member': ['{"type":"work.v1","type":"work.v1","payload":1}', 400],
  'a doubled member, once escaped': ['{"type":"work.v1","payload":1,"\\u0070ayload":2}', 400],
  'a BOM': ['\ufeff{"type":"work.v1","payload":1}', 400],
  'a list': ['[1]', 422],
  'a text': ['"x"', 422],
  null: ['null', 422],
  '__proto__ as a member': ['{"type":"work.v1","payload":1,"__proto__":{}}', 422],
};

test.each(Object.entries(BODIES))('a body that is %s is refused and nothing is stored', async (_, [body, status]) => {
  const before = await totals();
  for (const path of ['/jobs', '/jobs/batch']) {
    const answer = await service.call('POST', path, body, { 'content-type': 'application/json' });
    if (path === '/jobs') expect(answer.status).toBe(status);
    else expect([400, 422]).toContain(answer.status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
  }
  expect(await totals()).toEqual(before);
});

const REQUESTS: Record<string, [method: string, path: string, status: number]> = {
  'an unknown route': ['GET', '/nowhere', 404],
  'a route in capitals': ['GET', '/JOBS', 404],
  'a job that is not there': ['GET', '/jobs/nope', 404],
  'a job id that cannot be': ['GET', '/jobs/a%20b', 400],
  'bad percent-encoding': ['GET', '/jobs/%E0%A4%A', 400],
  'a NUL in the path': ['GET', '/queues/%00', 400],
  'a limit of zero': ['GET', '/jobs?limit=0', 400],
  'a huge limit': ['GET', '/jobs?limit=1e9', 400],
  'a garbage cursor': ['GET', '/jobs?cursor=%F0%9F%92%A9', 400],
  'a cursor that looks like one': ['GET', '/jobs?cursor=eyJhdCI6MX0', 400],
  'an unknown state': ['GET', '/jobs?state=lost', 400],
  'an unknown parameter': ['GET', '/jobs?stat=pending', 400],
  'a repeated parameter': ['GET', '/jobs?limit=1&limit=2', 400],
  'a reason that does not exist': ['GET', '/dlq?reason=Boredom', 400],
  'a wait over a minute': ['GET', '/jobs/nope?wait=61s', 400],
  'a method that is not there': ['DELETE', '/queues', 405],
  'PUT of a job': ['PUT', '/jobs', 405],
  'a dead job that is not there': ['POST', '/dlq/nope/resurrect', 404],
  'a name of 20 000 characters': ['GET', `/queues/${'q'.repeat(20_000)}`, 431],
  'a name of 256 characters': ['GET', `/handlers/${'q'.repeat(256)}`, 400],
};

test.each(Object.entries(REQUESTS))('%s gets its 4xx as a problem', async (_, [method, path, status]) => {
  const answer = await service.call(method, path);
  expect(answer.status).toBe(status);
  if (status === 431) return;
  expect(answer.headers.get('content-type')).toContain('application/problem+json');
  expect(answer.json).toMatchObject({
    status,
    code: expect.any(String),
    detail: expect.any(String),
    requestId: expect.any(String),
  });
  expect(answer.text).not.toMatch(/SELECT|INSERT|node_modules|\.js:\d/);
  if (status === 405) expect(answer.headers.get('allow')).toBeTruthy();
});

test.each([
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/json; charset=utf-16', 415],
  ['application/json; charset=latin1', 415],
  ['application/json; charset=utf-8', 201],
])('a body as %s is answered with %i', async (type, status) => {
  const answer = await service.call('POST', '/jobs', JSON.stringify(JOB), { 'content-type': type });
  expect(answer.status).toBe(status);
});

test('invalid UTF-8 in a body is refused, not repaired', async () => {
  const before = await totals();
  const body = Buffer.concat([
    Buffer.from('{"type":"work.v1","payload":"'),
    Buffer.from([0xc3, 0x28, 0xff]),
    Buffer.from('"}'),
  ]);
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${service.url}/jobs`, { method: 'POST', headers, body });
  expect(answer.status).toBe(400);
  expect(await totals()).toEqual(before);
});

test('A9 · a batch of 1 001, an empty one, and one over 16 MB are refused and nothing is stored', async () => {
  const before = await totals();
  expect((await service.call('POST', '/jobs/batch', { jobs: Array(1_001).fill(JOB) })).status).toBe(422);
  expect((await service.call('POST', '/jobs/batch', { jobs: [] })).status).toBe(422);
  const large = { ...JOB, payload: 'x'.repeat(950_000) };
  expect((await service.call('POST', '/jobs/batch', { jobs: Array(18).fill(large) })).status).toBe(413);
  const bad = [...Array(999).fill(JOB), { ...JOB, priority: 5_000 }];
  expect(problem(await service.call('POST', '/jobs/batch', { jobs: bad }))).toEqual({
    status: 422,
    pointer: '#/jobs/999/priority',
  });
  expect(await totals()).toEqual(before);
});

test.each(Object.entries(LONG_NAMES))(
  'A2 · 255 code points of %s pass as queue, type and key, come back equal, and reach the handler',
  async (_, name) => {
    await world.register(service, [name]);
    const id = await service.enqueue(name, {
      queue: name,
      idempotencyKey: name,
      tags: [[...name].slice(0, 64).join('')],
    });
    expect(await service.ended(id)).toMatchObject({
      state: 'succeeded',
      queue: name,
      type: name,
      idempotencyKey: name,
    });
    expect(world.handlers.callsFor(id)[0]).toMatchObject({ type: name });
    expect((await service.read(`/queues/${encodeURIComponent(name)}`)).counts.succeeded).toBe(1);
  },
);

test.each([
  ['half a request line', 'GET'],
  ['no HTTP at all', '\x16\x03\x01\x02\x00\x01\x00'],
  ['a header without end', `GET / HTTP/1.1\r\nx: ${'y'.repeat(100_000)}`],
  ['two content lengths', 'POST /jobs HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}'],
  ['a content length that is not one', 'POST /jobs HTTP/1.1\r\nhost: x\r\ncontent-length: ten\r\n\r\n{}'],
])('%s on the socket hurts nobody', async (_, bytes) => {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await new Promise(resolve => socket.write(bytes, resolve));
  expect((await service.call('GET', '/readyz')).status).toBe(200);
  socket.destroy();
});

test('foreign hosts and origins are refused while nobody needs a key', async () => {
  const { hostname, port } = new URL(service.url);
  const ask = (headers: string) =>
    new Promise<string>(resolve => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`GET /jobs HTTP/1.1\r\n${headers}\r\nconnection: close\r\n\r\n`),
      );
      let text = '';
      socket.setEncoding('utf8').on('data', chunk => {
        text += chunk;
      });
      socket.once('close', () => resolve(text));
    });
  expect(await ask(`host: localhost:${port}`)).toMatch(/^HTTP\/1.1 200/);
  expect(await ask('host: evil.example')).toMatch(/^HTTP\/1.1 4(03|21)/);
  expect(await ask(`host: localhost:${port}\r\norigin: https://evil.example`)).toMatch(/^HTTP\/1.1 403/);
});

test('after all of this the service works as before, and has logged no bug', async () => {
  expect(await service.ended(await service.enqueue('work.v1'))).toMatchObject({ state: 'succeeded' });
  for (const event of ['requestFailed', 'executionFailed', 'loopFailed']) expect(service.logged(event)).toEqual([]);
});

/** Rows by state, summed over all queues, once the last jobs have been done. */
async function totals(): Promise<number> {
  const { items } = await service.read('/queues');
  return items.reduce((sum: number, { counts }: { counts: Record<string, number> }) => {
    const { pending = 0, scheduled = 0, fetched = 0, processing = 0, succeeded = 0, dead = 0 } = counts;
    return sum + pending + scheduled + fetched + processing + succeeded + dead;
  }, 0);
}

function problem({ status, json }: { status: number; json: { errors?: { pointer?: string }[] } }) {
  return { status, pointer: json?.errors?.[0]?.pointer };
}
