// Owns the proof that handlers are brought in line with a file: made, changed, taken over, removed, handed over, all or none, and audited.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FiledHandler, FiledHandlers } from '#service/application/filed-handlers.js';
import { Api } from './fixture/api.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;

let api: Api;
let filed: FiledHandlers;
beforeAll(async () => {
  api = await Api.start();
  const delivery = { refusal: (url: string) => (url.includes('refused') ? 'must not be called' : null) };
  filed = new FiledHandlers({ store: api.store, delivery, audit: api.audit });
});
afterAll(() => api.close());
beforeEach(() => apply());

function entry(type: string, draft: object = {}, force = false): FiledHandler {
  return { type, draft: { url: 'http://127.0.0.1:9/', secret: SECRET, ...draft }, force };
}

/** As the service does it before it listens. */
async function apply(...wanted: FiledHandler[]) {
  const reconciled = await filed.apply(wanted);
  await api.registry.load();
  return reconciled;
}

async function actionsOn(...types: string[]): Promise<string[]> {
  const { items } = (await api.get('/audit')).json;
  const rows: string[] = items.map((row: Record<string, unknown>) => `${row.actor} ${row.action} ${row.target}`);
  return rows.filter(row => types.some(type => row.endsWith(` ${type}`))).reverse();
}

test('What it names is registered, and HTTP refuses to change it', async () => {
  expect(await apply(entry('a.v1', { timeout: '5s', headers: { 'X-Key': 'k' } }), entry('*'))).toMatchObject({
    created: ['a.v1', '*'],
  });
  const { json } = await api.get('/handlers/a.v1');
  expect(json).toMatchObject({ managedBy: 'file', timeout: '5s', headers: { 'x-key': '***' } });
  for (const answer of [await api.register('a.v1'), await api.call('DELETE', '/handlers/a.v1?force=true')]) {
    expect(answer.json).toMatchObject({ status: 409, code: 'handler-managed-by-file' });
    expect(answer.json.detail).toContain('Change it there and restart');
  }
  expect((await api.post('/jobs', { type: 'a.v1', payload: 1 })).status).toBe(201);
});

test('The same file again changes nothing; a changed one only what it changes', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const [same, other] = [
    entry('same.v1', { schema, retry: { base: '1s' }, circuit: { window: '1m' } }),
    entry('other.v1'),
  ];
  await apply(same, other);
  const { revision } = await api.store.handlers.list();
  expect(await apply(same, other)).toEqual({ created: [], changed: [], removed: [], released: [] });
  expect((await api.store.handlers.list()).revision).toBe(revision);
  expect(await apply(same, entry('other.v1', { timeout: '5s' }))).toMatchObject({ changed: ['other.v1'], created: [] });
  expect((await api.get('/handlers/other.v1')).json.timeout).toBe('5s');
});

test('A new secret leaves the old one valid for a day', async () => {
  await apply(entry('rotated.v1'));
  await apply(entry('rotated.v1', { secret: OTHER }));
  expect(api.registry.find('rotated.v1')).toMatchObject({ secret: OTHER, previousSecret: SECRET });
  await apply(entry('rotated.v1', { secret: OTHER }));
  expect(api.registry.find('rotated.v1')).toMatchObject({ secret: OTHER, previousSecret: SECRET });
});

test('A handler that was registered by hand is taken over, with its jobs', async () => {
  await api.register('taken.v1', { secret: OTHER });
  const { id } = (await api.post('/jobs', { type: 'taken.v1', payload: 1 })).json;
  expect(await apply(entry('taken.v1'))).toMatchObject({ created: [], changed: ['taken.v1'] });
  expect(api.registry.find('taken.v1')).toMatchObject({ managedBy: 'file', secret: SECRET, previousSecret: OTHER });
  expect((await api.get(`/jobs/${id}`)).json.state).toBe('pending');
});

test('What it no longer names is removed, but for what jobs depend on: that is handed over', async () => {
  await api.register('hand.v1');
  await apply(entry('idle.v1'), entry('busy.v1'));
  const { id } = (await api.post('/jobs', { type: 'busy.v1', payload: 1 })).json;
  expect(await apply()).toEqual({ created: [], changed: [], removed: ['idle.v1'], released: ['busy.v1'] });
  for (const type of ['busy.v1', 'hand.v1'])
    expect((await api.get(`/handlers/${type}`)).json).toMatchObject({ managedBy: 'api' });
  expect((await api.get('/handlers/idle.v1')).status).toBe(404);
  expect((await api.get(`/jobs/${id}`)).json.state).toBe('pending');
  expect((await api.call('DELETE', '/handlers/busy.v1?force=true')).status).toBe(204);
  expect(await actionsOn('hand.v1', 'idle.v1', 'busy.v1')).toEqual([
    ...['anonymous handler.put hand.v1', 'file handler.put idle.v1', 'file handler.put busy.v1'],
    ...['file handler.release busy.v1', 'file handler.remove idle.v1', 'anonymous handler.remove busy.v1'],
  ]);
});

test('With one fault nothing of it holds, and all faults are told with their places', async () => {
  await apply(entry('old.v1', { schema: { type: 'object' } }));
  const wrong = filed.apply([
    entry('new.v1'),
    entry('b.v1', { url: 'http://refused/', headers: { host: 'x' } }),
    entry('old.v1', { schema: { type: 'string' } }),
  ]);
  await expect(wrong).rejects.toMatchObject({
    code: 'validation-failed',
    faults: [
      { pointer: '#/1/url', detail: 'must not be called' },
      { pointer: '#/1/headers/host' },
      { pointer: '#/2/schema' },
    ],
  });
  expect((await api.get('/handlers/new.v1')).status).toBe(404);
  expect((await api.get('/handlers/old.v1')).json.schema).toEqual({ type: 'object' });
  expect(await apply(entry('old.v1', { schema: { type: 'string' } }, true))).toMatchObject({ changed: ['old.v1'] });
});
