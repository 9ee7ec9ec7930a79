// Owns the proof of live events over real connections: what is told when, replay, reset, slow readers, limits and the end.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ApiKeys } from '#service/application/api-keys.js';
import { EventReader } from '../fixtures/event-reader.ts';
import { Api } from './fixture/api.ts';

/** Generous, since it only says when to give up. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000, interval: 5 });

const JOB = { type: 'work.v1', payload: { secret: 'not told' } };
const FATAL = {
  kind: 'fatal',
  endpointGone: false,
  responseStatus: 422,
  responseBody: 'no',
  error: 'not told',
} as const;
const RETRYABLE = { ...FATAL, kind: 'retryable', askedDelayMs: null } as const;

let api: Api;
const readers: EventReader[] = [];

beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
  await api.register('filtered.v1');
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => api.close());

async function follow(query = '', headers: Record<string, string> = {}): Promise<EventReader> {
  const reader = await EventReader.open(`http://127.0.0.1:${api.port}/events${query}`, headers);
  readers.push(reader);
  await eventually(() => reader.lastId).not.toBe('');
  return reader;
}

/** What was done to which job, in order. */
const moves = (reader: EventReader) =>
  reader.events.map(({ event, data }) => (event === 'job' ? `${data.id} ${data.move} ${data.state}` : event));

test('Every step of a job is told in order after its commit, without payload and error', async () => {
  const reader = await follow();
  await api.post('/jobs', { ...JOB, id: 'a' });
  await api.post('/jobs', { ...JOB, id: 'a' });
  const [first] = await api.run();
  if (first) await api.end(first, RETRYABLE);
  api.clock.advance(60_000);
  const [second] = await api.run();
  if (second) await api.end(second, FATAL);
  await api.post('/dlq/a/resurrect', { delay: '1h' });
  await api.post('/jobs/a/cancel');
  await api.call('DELETE', '/dlq/a');
  await api.post('/jobs', { ...JOB, id: 'b', delay: '1h' });
  await eventually(() => moves(reader)).toEqual([
    ...['a enqueue pending', 'a start processing', 'a retry scheduled', 'a start processing', 'a bury dead'],
    ...['a resurrect scheduled', 'a cancel dead', 'a purge gone', 'b enqueue scheduled'],
  ]);
  expect(reader.events[4]?.data).toEqual({
    ...{ at: expect.stringMatching(/^\d{4}-.*Z$/), id: 'a', queue: 'default', type: 'work.v1' },
    ...{ move: 'bury', state: 'dead', reason: 'FatalError' },
  });
  expect(JSON.stringify(reader.events)).not.toContain('not told');
});

test('Nothing is told of what was refused or rolled back', async () => {
  const reader = await follow();
  await api.post('/jobs/batch', { jobs: [JOB, { ...JOB, type: 'unknown.v1' }] });
  await api.store.jobs.apply([{ move: 'purge', jobId: 'none', guard: { states: ['dead'] }, change: { to: 'gone' } }]);
  await api.post('/jobs', { ...JOB, id: 'told' });
  await eventually(() => moves(reader)).toEqual(['told enqueue pending']);
});

test('Queues, handlers, circuits and settings tell their changes', async () => {
  const reader = await follow();
  await api.call('PATCH', '/queues/mail', { body: { maxWorkers: 3 } });
  await api.post('/queues/mail/pause');
  await api.call('DELETE', '/queues/mail');
  await api.register('other.v1');
  await api.register('other.v1');
  await api.post('/circuits/other.v1/open');
  await api.call('DELETE', '/handlers/other.v1');
  await api.call('PATCH', '/settings', { body: { concurrency: 5, maxAttempts: null } });
  await eventually(() => reader.events.map(({ event, data: { at: _, ...data } }) => [event, data])).toEqual([
    ['queue', { name: 'mail', change: 'configured', isPaused: false, isActive: true, maxWorkers: 3 }],
    ['queue', { name: 'mail', change: 'configured', isPaused: true, isActive: true, maxWorkers: 3 }],
    ['queue', { name: 'mail', change: 'removed' }],
    ['handler', { type: 'other.v1', change: 'registered' }],
    ['handler', { type: 'other.v1', change: 'replaced' }],
    ['circuit', { type: 'other.v1', event: 'forced' }],
    ['handler', { type: 'other.v1', change: 'removed' }],
    ['settings', { names: ['concurrency', 'maxAttempts'] }],
  ]);
});

test('A filter leaves what is about its queue or its type', async () => {
  const [mail, other] = [await follow('?queue=letters'), await follow('?type=filtered.v1')];
  await api.post('/jobs', { ...JOB, id: 'f1', queue: 'letters' });
  await api.post('/jobs', { ...JOB, id: 'f2' });
  await api.post('/jobs', { ...JOB, id: 'f3', type: 'filtered.v1' });
  await api.post('/queues/letters/pause');
  await api.register('filtered.v1');
  await eventually(() => moves(mail)).toEqual(['f1 enqueue pending', 'queue']);
  await eventually(() => moves(other)).toEqual(['f3 enqueue pending', 'handler']);
});

test.each(['header', 'query'])(
  'Who comes back with its last id, in the %s, gets what it missed, then what follows',
  async way => {
    const reader = await follow();
    await api.post('/jobs', { ...JOB, id: `${way}-a` });
    await eventually(() => moves(reader)).toHaveLength(1);
    reader.close();
    await api.post('/jobs', { ...JOB, id: `${way}-b` });
    await api.post('/jobs', { ...JOB, id: `${way}-c` });
    const id = reader.lastId;
    const again = way === 'header' ? await follow('', { 'last-event-id': id }) : await follow(`?lastEventId=${id}`);
    await api.post('/jobs', { ...JOB, id: `${way}-d` });
    await eventually(() => moves(again)).toEqual([
      `${way}-b enqueue pending`,
      `${way}-c enqueue pending`,
      `${way}-d enqueue pending`,
    ]);
  },
);

test.each(['other-1', 'boot-99999', 'boot-x', 'nonsense'])(
  'The last id %j is unknown: a reset comes first',
  async id => {
    const reader = await follow('', { 'last-event-id': id });
    await api.post('/jobs', { ...JOB, id: `after-${id}` });
    await eventually(() => moves(reader)).toEqual(['reset', `after-${id} enqueue pending`]);
    expect(reader.events[0]).toMatchObject({ id: expect.stringMatching(/^boot-\d+$/), data: { reason: 'unknown-id' } });
  },
);

test('A reader that takes nothing is dropped, while others get everything', async () => {
  const [slow, quick] = [await follow(), await follow()];
  slow.pause();
  const count = 60_000;
  for (let n = 0; n < count; n += 1_000) {
    for (let one = n; one < n + 1_000; one += 1)
      api.events.add({
        kind: 'handler',
        at: one,
        data: { type: `type-${one}-${'x'.repeat(150)}`, change: 'replaced' },
      });
    await eventually(() => quick.events.length).toBe(n + 1_000);
  }
  expect(quick.events.at(-1)?.data.type).toContain('type-59999-');
  slow.resume();
  await eventually(() => slow.isEnded).toBe(true);
  expect(slow.events.length).toBeLessThan(count);
  const again = await follow('', { 'last-event-id': slow.lastId });
  await eventually(() => again.events[0]?.event).toBe('reset');
});

test('At most a hundred follow one node; the next one may when one has left', async () => {
  const many = await Promise.all(Array.from({ length: 100 }, () => follow()));
  expect((await api.get('/events')).json).toMatchObject({ status: 503, code: 'too-many-streams' });
  many[0]?.close();
  await eventually(async () => (await api.get('/events')).status).toBe(200);
});

test('HEAD tells the headers and ends; an unknown filter is refused', async () => {
  const head = await api.call('HEAD', '/events');
  expect(head).toMatchObject({ status: 200, text: '' });
  expect(head.headers).toMatchObject({ 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' });
  expect((await api.get('/events?kind=job')).status).toBe(400);
});

test('A stream ends when the key of its reader is revoked, and no other', async () => {
  const [first, second] = [await api.key('first', 'read'), await api.key('second', 'read')];
  const [revoked, kept] = [await follow('', first), await follow('', second)];
  await new ApiKeys(api.store.keys, api.audit).revoke('first', 'cli:test');
  await api.keys.load();
  await eventually(() => revoked.isEnded).toBe(true);
  expect(kept.isEnded).toBe(false);
});

test('All streams end as soon as the service stops', async () => {
  const headers = await api.key('last', 'read');
  const [one, other] = [await follow('', headers), await follow('?queue=x', headers)];
  api.stopping.abort();
  await eventually(() => [one.isEnded, other.isEnded]).toEqual([true, true]);
});
