// Owns the proof of runtime settings over HTTP: what holds and why, changes that take effect at once, and refusals that change nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
afterAll(() => api.close());

const patch = (body: object) => api.call('PATCH', '/settings', { body });
const setting = async (name: string) =>
  (await api.get('/settings')).json.items.find((one: { name: string }) => one.name === name);

test('Every setting is shown with its value, source, range and meaning; secrets are not', async () => {
  expect(await setting('maxPayloadBytes')).toMatchObject({
    ...{ env: 'CHOKAQ_MAX_PAYLOAD_BYTES', value: 1_000_000, source: 'environment', unit: 'bytes', isChangeable: true },
    ...{ allowed: 'a whole number from 1 to 16000000', updatedAt: null, updatedBy: null },
  });
  expect(await setting('pollInterval')).toMatchObject({ value: '1s', source: 'default', default: '1s' });
  expect(await setting('maxJobAge')).toMatchObject({ value: '1d' });
  expect(await setting('sqlitePath')).toMatchObject({ isChangeable: false });
  expect(await setting('mssqlUrl')).toMatchObject({ value: null });
});

test('I8 · A change holds at once and is shown with who made it; null gives the value of the start back', async () => {
  const changed = await patch({ maxPayloadBytes: 10, requireRegisteredTypes: false, maxJobAge: 'none' });
  expect(changed.status).toBe(200);
  expect(await setting('maxPayloadBytes')).toMatchObject({ value: 10, source: 'stored', updatedBy: 'anonymous' });
  expect(await setting('maxJobAge')).toMatchObject({ value: 'none', source: 'stored' });
  expect((await api.post('/jobs', { type: 'work.v1', payload: '123456789' })).status).toBe(413);
  expect((await api.post('/jobs', { type: 'unknown.v1', payload: 1 })).status).toBe(201);
  await patch({ maxPayloadBytes: null, requireRegisteredTypes: null, maxJobAge: null });
  expect(await setting('maxPayloadBytes')).toMatchObject({ value: 1_000_000, source: 'environment', updatedBy: null });
  expect((await api.post('/jobs', { type: 'work.v1', payload: '123456789' })).status).toBe(201);
  expect((await api.post('/jobs', { type: 'unknown.v1', payload: 1 })).status).toBe(422);
});

test('I8 · One wrong member refuses all of them, and each fault points at its own', async () => {
  const before = (await api.get('/settings')).json;
  const { status, json } = await patch({
    ...{ concurrency: 5, pollInterval: 'soon', maxAttempts: 0, 'a/b': 1, port: 80, logLevel: 'loud' },
    ...{ requireRegisteredTypes: 'maybe', zombieTimeout: 5, retryFactor: '1e1' },
  });
  expect(status).toBe(422);
  expect(json.errors.map((fault: { pointer: string }) => fault.pointer)).toEqual([
    ...['#/pollInterval', '#/maxAttempts', '#/a~1b', '#/port', '#/logLevel'],
    ...['#/requireRegisteredTypes', '#/zombieTimeout', '#/retryFactor'],
  ]);
  expect(json.errors[3].detail).toBe('can be set only before the start: set CHOKAQ_PORT and restart');
  expect((await api.get('/settings')).json).toEqual(before);
});

test('I8 · What contradicts other settings is refused where it was sent, with the reason', async () => {
  const short = await patch({ zombieTimeout: '30s' });
  expect(short).toMatchObject({
    status: 422,
    json: {
      errors: [
        {
          pointer: '#/zombieTimeout',
          detail:
            '30s is less than three times heartbeatMax (12s); one late heartbeat would make a running job a zombie.',
        },
      ],
    },
  });
  expect((await patch({ retryBase: '2h' })).json.errors[0].pointer).toBe('#/retryBase');
  expect((await patch({ retryMax: '1s' })).json.errors[0].pointer).toBe('#/retryMax');
  expect((await patch({ retryBase: '2h', retryMax: '3h' })).status).toBe(200);
  expect((await patch({ retryMax: null })).json.errors[0].pointer).toBe('#/retryMax');
  expect((await patch({ retryBase: null, retryMax: null })).status).toBe(200);
});

test.each([{}, [], 'x', null])('%j is not a change', async body => {
  expect((await api.call('PATCH', '/settings', { body })).status).toBe(422);
});

test('Changes at the same time are all kept', async () => {
  const changes = [{ concurrency: 11 }, { maxAttempts: 4 }, { retryJitter: '2s' }, { logLevel: 'warn' }];
  const answers = await Promise.all(changes.map(patch));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const stored = (await api.get('/settings')).json.items.filter((one: { source: string }) => one.source === 'stored');
  expect(stored.map((one: { name: string }) => one.name).sort()).toEqual([
    ...['concurrency', 'logLevel', 'maxAttempts', 'retryJitter'],
  ]);
});
