// Owns the proof of the handler registry over HTTP: registration, secrets, schemas, removal and the test call.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Json } from './fixture/api.ts';

const DAY_MS = 86_400_000;
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.close());

test('A new handler gets a secret that is shown this once', async () => {
  const { status, headers, json } = await api.register('email.send.v1', {
    timeout: '30s',
    maxAttempts: 5,
    headers: { 'X-Tenant': 'a' },
  });
  expect(status).toBe(201);
  expect(headers.location).toBe('/handlers/email.send.v1');
  expect(Buffer.from(json.secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
  expect(json).toMatchObject({
    type: 'email.send.v1',
    timeout: '30s',
    maxAttempts: 5,
    headers: { 'x-tenant': '***' },
    managedBy: 'api',
  });
  for (const path of ['/handlers', '/handlers/email.send.v1'])
    expect((await api.get(path)).text).not.toContain('whsec_');
  expect((await api.register('email.send.v1')).json.secret).toBeNull();
});

test('A PUT without a secret keeps it; a new one leaves the old one valid for a day', async () => {
  await api.register('rotate.v1', { secret: SECRET });
  await api.register('rotate.v1', { timeout: '5s' });
  expect(api.registry.find('rotate.v1')).toMatchObject({ secret: SECRET, previousSecret: null });
  const fresh = `whsec_${Buffer.alloc(64, 8).toString('base64')}`;
  expect((await api.register('rotate.v1', { secret: fresh })).json.secret).toBe(fresh);
  const rotated = api.registry.find('rotate.v1');
  expect(rotated).toMatchObject({ secret: fresh, previousSecret: SECRET });
  expect((rotated?.previousSecretUntil ?? 0) - api.clock.now()).toBeGreaterThan(DAY_MS - 60_000);
});

const secretOf = (byte: number) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`;

/** Another client's PUT comes between the look at the handler and its replacement. */
async function raced(rival: Json, mine: Json, before: Json = {}) {
  let interlude: (() => Promise<unknown>) | undefined;
  const racing = await Api.start({
    wrap: store => {
      const put = async (...given: Parameters<typeof store.handlers.put>) => {
        const once = interlude;
        interlude = undefined;
        await once?.();
        return store.handlers.put(...given);
      };
      return { ...store, handlers: Object.create(store.handlers, { put: { value: put } }) };
    },
  });
  try {
    await racing.register('raced.v1', { secret: secretOf(1), ...before });
    interlude = () => racing.register('raced.v1', rival);
    const reply = await racing.register('raced.v1', mine);
    return { reply, stored: (await racing.store.handlers.list()).handlers[0] };
  } finally {
    await racing.close();
  }
}

test('Of two clients that set a secret at once one is refused, and the secret before stays valid', async () => {
  const { reply, stored } = await raced({ secret: secretOf(2) }, { secret: secretOf(3) });
  expect([reply.status, reply.json.code]).toEqual([409, 'conflict-state']);
  expect(stored).toMatchObject({ secret: secretOf(2), previousSecret: secretOf(1) });
});

test('Two clients that set the same secret at once, or of which one sets none, both succeed and lose none', async () => {
  const same = await raced({ secret: secretOf(2) }, { secret: secretOf(2), timeout: '5s' });
  expect([same.reply.status, same.reply.json.secret, same.stored?.attempts.timeoutMs]).toEqual([200, null, 5_000]);
  const other = await raced({ secret: secretOf(2) }, { timeout: '5s' });
  expect(other.reply.status).toBe(200);
  for (const { stored } of [same, other])
    expect(stored).toMatchObject({ secret: secretOf(2), previousSecret: secretOf(1) });
});

test('A schema that another client put at the same moment is not replaced unseen', async () => {
  const strict = { schema: { type: 'object', required: ['a'] } };
  const { reply, stored } = await raced({ schema: { type: 'object' } }, strict, strict);
  expect([reply.status, reply.json.code, stored?.schema]).toEqual([409, 'schema-incompatible', { type: 'object' }]);
});

test('What a handler answered last is shown with it', async () => {
  await api.register('heard.v1');
  expect((await api.get('/handlers/heard.v1')).json.lastResponse).toBeNull();
  await api.store.handlers.heard({ 'heard.v1': { status: 503, at: 1_000 } });
  const lastResponse = { status: 503, at: '1970-01-01T00:00:01.000Z' };
  expect((await api.get('/handlers/heard.v1')).json).toMatchObject({ lastResponse });
  expect((await api.register('heard.v1', { timeout: '1s' })).json).toMatchObject({ lastResponse });
});

test('What was put comes back as it was put', async () => {
  const put = {
    url: 'https://app.example.com/hooks',
    retry: { base: '3s', factor: 1.5, max: '10m', jitter: '0s', maxAge: null },
    retryOnTimeout: true,
    retryOnZombie: false,
    fatalStatuses: [409],
    circuit: { failureThreshold: 5, window: '1m' },
    schema: { type: 'object' },
    concurrency: 20,
  };
  const { json } = await api.register('asput.v1', put);
  expect(json).toMatchObject(put);
});

test.each<[string, Json, string]>([
  ['an address that may not be called', { url: 'ftp://x' }, '#/url'],
  ['a short secret', { secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, '#/secret'],
  ['a secret that is not base64', { secret: `whsec_${'A'.repeat(31)}B*` }, '#/secret'],
  ['2xx as fatal', { fatalStatuses: [200] }, '#/fatalStatuses/0'],
  ['a hop-by-hop header', { headers: { Connection: 'close' } }, '#/headers/Connection'],
  ['a header of ours', { headers: { 'Chokaq-Type': 'x' } }, '#/headers/Chokaq-Type'],
  ['a header beyond Latin-1', { headers: { 'x-a': '漢' } }, '#/headers/x-a'],
  ['a header with a line break', { headers: { 'x-a': 'a\r\nb: c' } }, '#/headers/x-a'],
  ['one header twice', { headers: { 'x-a': '1', 'X-A': '2' } }, '#/headers/X-A'],
  ['a schema that is none', { schema: { type: 'nonsense' } }, '#/schema'],
  ['a schema that points outside', { schema: { $ref: 'https://example.com/x.json' } }, '#/schema'],
  ['a schema that is asynchronous', { schema: { $async: true } }, '#/schema'],
  ['a schema too deep', { schema: JSON.parse(`${'{"not":'.repeat(40)}{}${'}'.repeat(40)}`) }, '#/schema'],
  ['a schema too large', { schema: { description: 'x'.repeat(70_000) } }, '#/schema'],
  ['a pattern too long', { schema: { pattern: 'a'.repeat(501) } }, '#/schema'],
  ['a timeout too short', { timeout: '99ms' }, '#/timeout'],
  ['a circuit with a member too many', { circuit: { speed: 1 } }, '#/circuit/speed'],
  ['concurrency 0', { concurrency: 0 }, '#/concurrency'],
])('%s is refused with a pointer', async (_, handler, pointer) => {
  const { json } = await api.register('bad.v1', handler);
  expect(json).toMatchObject({ status: 422, errors: [{ pointer }] });
  expect((await api.get('/handlers/bad.v1')).status).toBe(404);
});

test('A schema that would refuse what was accepted needs a new type key, or force', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  await api.register('shape.v1', { schema });
  const narrower = { ...schema, properties: { ...schema.properties, b: { type: 'string' } } };
  const wider = { ...schema, properties: { a: { type: ['string', 'null'] }, b: {} } };
  expect((await api.register('shape.v1', { schema: narrower })).json).toMatchObject({
    status: 409,
    code: 'schema-incompatible',
  });
  expect((await api.register('shape.v1', { schema: { ...schema, title: 'A' } })).status).toBe(200);
  expect((await api.register('shape.v1', { schema: wider })).status).toBe(200);
  expect((await api.register('shape.v1', { schema: { ...schema, required: ['a'] } })).json).toMatchObject({
    status: 409,
  });
  const forced = await api.call('PUT', '/handlers/shape.v1?force=true', {
    body: { url: 'http://x', schema: { type: 'string' } },
  });
  expect(forced.status).toBe(200);
  expect((await api.post('/jobs', { type: 'shape.v1', payload: {} })).status).toBe(422);
});

test('A handler in use is removed only by force; its waiting jobs die', async () => {
  await api.register('leaving.v1');
  const { id } = (await api.post('/jobs', { type: 'leaving.v1', payload: 1 })).json;
  const later = (await api.post('/jobs', { type: 'leaving.v1', payload: 1, delay: '1h' })).json.id;
  expect((await api.call('DELETE', '/handlers/leaving.v1')).json).toMatchObject({
    status: 409,
    code: 'handler-in-use',
  });
  expect((await api.call('DELETE', '/handlers/leaving.v1?force=true')).status).toBe(204);
  for (const dead of [id, later]) {
    expect((await api.get(`/dlq/${dead}`)).json).toMatchObject({ failureReason: 'FatalError', attempts: 0 });
  }
  expect((await api.call('DELETE', '/handlers/leaving.v1')).status).toBe(404);
});

test('A handler from a file is changed in the file', async () => {
  const [known] = (await api.store.handlers.list()).handlers;
  if (!known) throw new Error('no handler');
  await api.store.handlers.put({ ...known, type: 'filed.v1', managedBy: 'file' });
  expect((await api.register('filed.v1')).json).toMatchObject({ status: 409, code: 'handler-managed-by-file' });
  expect((await api.call('DELETE', '/handlers/filed.v1?force=true')).json).toMatchObject({ status: 409 });
});

test('A ping goes to the handler as it is stored, and what came back is told', async () => {
  await api.register('ping.v1');
  api.pingAnswer = { responseStatus: null, responseBody: null, error: 'connect ECONNREFUSED', durationMs: 3 };
  expect((await api.post('/handlers/ping.v1/test')).json).toEqual({ ...api.pingAnswer, redacted: false });
  expect(api.pings.at(-1)).toBe('ping.v1');
  expect((await api.post('/handlers/none.v1/test')).status).toBe(404);
});

test('The catch-all takes every type without a handler of its own, also when one goes', async () => {
  const own = await Api.start();
  await own.register('first.v1');
  expect((await own.register('*')).status).toBe(201);
  expect((await own.get('/handlers/*')).json.type).toBe('*');
  expect((await own.post('/jobs', { type: 'any.v1', payload: 1 })).status).toBe(201);
  const { id } = (await own.post('/jobs', { type: 'first.v1', payload: 1 })).json;
  expect((await own.call('DELETE', '/handlers/first.v1?force=true')).status).toBe(204);
  expect((await own.get(`/jobs/${id}`)).json.state).toBe('pending');
  await own.register('first.v1');
  const other = (await own.post('/jobs', { type: 'any.v1', payload: 1, delay: '1h' })).json.id;
  expect((await own.call('DELETE', '/handlers/*?force=true')).status).toBe(204);
  expect((await own.get(`/jobs/${other}`)).json, 'nobody takes it now').toMatchObject({ failureReason: 'FatalError' });
  expect((await own.get(`/jobs/${id}`)).json.state, 'its own handler takes it').toBe('pending');
  await own.close();
});

test('A type key in any script is registered and read back', async () => {
  const type = 'Письмо/отправить %2F v1';
  const { headers } = await api.register(type);
  expect((await api.get(headers.location ?? '')).json.type).toBe(type);
});
