// Owns the proof of the audit log: every action of every operator is in it before its answer arrives, refused ones too, and no secrets.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS } from '#service/api/audited.js';
import { SCOPES } from '#service/domain/access.js';
import type { Store } from '#service/ports/store.js';
import { Api, type Json } from './fixture/api.ts';
import { everyOperation, send } from './fixture/every-operation.ts';

type Headers = Readonly<Record<string, string>>;

const AUDITED = everyOperation({ id: 'j1', name: 'mail', type: 'send.v1' }).filter(({ id }) => ACTIONS[id]);
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

let api: Api;
let ops: Headers;

beforeAll(async () => {
  api = await Api.start({ requireRegisteredTypes: false });
  ops = await api.key('ops', ...SCOPES);
});
afterAll(() => api.close());

async function rows(query = '', headers = ops): Promise<Json[]> {
  return (await api.call('GET', `/audit${query}`, { headers })).json.items;
}

async function newest(): Promise<Json> {
  return (await rows('?limit=1'))[0] ?? {};
}

describe('I7 · Every action is in the audit log with its actor', () => {
  test.each(AUDITED)('$id', async call => {
    const { status, headers, text } = await send(api, call, { ...ops, 'x-request-id': `audited-${call.id}` });
    const row = await newest();
    expect(row).toMatchObject({ actor: 'ops', keyId: expect.any(String), action: ACTIONS[call.id], count: 1 });
    expect(row).toMatchObject({ requestId: headers['x-request-id'], details: { address: '127.0.0.1' } });
    const outcome = status === 202 ? 'accepted' : status < 300 ? 'succeeded' : JSON.parse(text).code;
    expect(row.outcome).toBe(outcome);
    if (status >= 300) expect(row.affected).toBe(0);
    expect(JSON.stringify(row)).not.toContain('user@example.com');
  });

  test.each(AUDITED)('$id, refused because its body or path is wrong', async call => {
    const wrong = call.body === undefined ? { ...call, path: `${call.path}?what=1` } : { ...call, body: '{"x":1' };
    const { status, text } = await send(api, wrong, ops);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await newest()).toMatchObject({ action: ACTIONS[call.id], outcome: JSON.parse(text).code, affected: 0 });
  });

  test('refused by scope: one row per key and route, with a count', async () => {
    const weak = await api.key('weak', 'read');
    for (const call of AUDITED) {
      for (let n = 0; n < 3; n++) expect((await send(api, call, weak)).status).toBe(403);
    }
    await api.call('GET', '/jobs', { headers: await api.key('weaker', 'admin') });
    await api.audit.refresh();
    const refused = await rows('?actor=weak&limit=200');
    const expected = AUDITED.map(({ method, template, id }) => [`${method} ${template}`, ACTIONS[id]]);
    const found = new Set(refused.map(({ target, action }) => JSON.stringify([target, action])));
    expect(found).toEqual(new Set(expected.map(one => JSON.stringify(one))));
    expect(refused.reduce((sum, { count }) => sum + Number(count), 0)).toBe(3 * AUDITED.length);
    // All of it in one minute, or around the turn of one.
    expect(refused.length).toBeLessThanOrEqual(2 * found.size);
    expect(refused[0]).toMatchObject({ outcome: 'forbidden', affected: 0 });
    expect(await rows('?actor=weaker')).toMatchObject([{ action: 'access', target: 'GET /jobs', count: 1 }]);
  });

  test('keys made and revoked', async () => {
    await api.key('new one', 'read');
    expect(await rows('?action=key.create&target=new%20one')).toMatchObject([
      { actor: 'cli:test', affected: 1, details: { scopes: ['read'] } },
    ]);
  });

  test('as anonymous, while there are no keys', async () => {
    const open = await Api.start();
    await open.post('/queues/mail/pause');
    expect((await open.get('/audit')).json.items).toMatchObject([
      { actor: 'anonymous', keyId: null, action: 'queue.pause', target: 'mail', outcome: 'not-found' },
    ]);
    await open.close();
  });
});

test('What was done is told by names and figures, without payloads and secrets', async () => {
  const ids = ['a', 'b', 'gone'];
  for (const id of ids.slice(0, 2))
    await api.post('/jobs', { id, queue: 'books', type: 't.v1', payload: { text: 'do-not-show' } }, ops);
  await api.post('/jobs/cancel', { ids }, ops);
  expect(await newest()).toMatchObject({ action: 'job.cancel', target: null, affected: 2, details: { ids } });
  await api.call('PATCH', '/queues/books', { body: { maxWorkers: 3 }, headers: ops });
  expect(await newest()).toMatchObject({ target: 'books', details: { settings: { maxWorkers: 3 } } });
  await api.call('PUT', '/handlers/s.v1', {
    body: { url: 'http://127.0.0.1/hook?token=hidden', secret: SECRET },
    headers: ops,
  });
  expect(await newest()).toMatchObject({ target: 's.v1', details: { fields: ['url', 'secret'], isSecretNew: true } });
  const edits = { payload: { text: 'do-not-show' }, priority: 3 };
  await api.call('POST', '/dlq/a/resurrect', { body: edits, headers: ops });
  expect(await newest()).toMatchObject({ target: 'a', affected: 1, details: { fields: ['payload', 'priority'] } });
  const all = JSON.stringify(await rows('?limit=200'));
  for (const hidden of ['do-not-show', SECRET, 'hidden', 'ck_']) expect(all).not.toContain(hidden);
});

test('Producing and reading are no actions', async () => {
  const before = await newest();
  await api.post('/jobs', { type: 't.v1', payload: 1 }, ops);
  await api.call('GET', '/queues', { headers: ops });
  expect((await newest()).id).toBe(before.id);
});

test('The list goes on page by page, filters, and refuses what makes no sense', async () => {
  const all = await rows('?limit=200');
  const paged: Json[] = [];
  let cursor = '';
  do {
    const { items, nextCursor } = (await api.call('GET', `/audit?limit=7${cursor}`, { headers: ops })).json;
    paged.push(...items);
    cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  expect(paged.slice(0, all.length)).toEqual(all);
  expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length);
  expect(await rows('?actor=nobody')).toEqual([]);
  expect(await rows('?after=2100-01-01T00:00:00Z')).toEqual([]);
  for (const query of ['?cursor=abc', '?after=yesterday', '?actor=', '?what=1', '?limit=201'])
    expect((await api.call('GET', `/audit${query}`, { headers: ops })).status, query).toBe(400);
  const range = '?after=2026-01-02T00:00:00Z&before=2026-01-01T00:00:00Z';
  expect((await api.call('GET', `/audit${range}`, { headers: ops })).json).toMatchObject({
    errors: [{ parameter: 'before' }],
  });
  const ofJobs = (await api.call('GET', '/jobs?limit=1', { headers: ops })).json.nextCursor;
  expect((await api.call('GET', `/audit?cursor=${ofJobs}`, { headers: ops })).status).toBe(400);
});

test('The answer of an action comes when its row is written, not before', async () => {
  const slowly = (record: Store['audit']['record']) => async (entry: Parameters<typeof record>[0]) => {
    await new Promise(resolve => setTimeout(resolve, 200));
    await record(entry);
  };
  const wrap = (store: Store): Store => ({ ...store, audit: { ...store.audit, record: slowly(store.audit.record) } });
  const slow = await Api.start({ wrap });
  await slow.post('/queues/none/pause');
  expect((await slow.get('/audit')).json.items).toHaveLength(1);
  await slow.close();
});

test('An audit log that cannot be written neither hides nor undoes what was done, nor holds it up for long', async () => {
  const wrap = (store: Store): Store => ({
    ...store,
    audit: {
      ...store.audit,
      record: () => new Promise((_resolve, reject) => setTimeout(reject, 3_000, new Error('full'))),
    },
  });
  const broken = await Api.start({ wrap, requireRegisteredTypes: false });
  await broken.post('/jobs', { type: 't.v1', payload: 1, queue: 'mail' });
  const startedAt = performance.now();
  expect((await broken.post('/queues/mail/pause')).json).toMatchObject({ isPaused: true });
  expect(performance.now() - startedAt).toBeLessThan(2_900);
  expect((await broken.get('/queues/mail')).json.isPaused).toBe(true);
  await broken.close();
});
