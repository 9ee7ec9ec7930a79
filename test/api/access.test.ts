// Owns the proof of who is let in: keys that hold, the first key that closes the door for good, rate limits, origins and proxies.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiKeys } from '#service/application/api-keys.js';
import { Api, type ApiOptions } from './fixture/api.ts';

let api: Api;

beforeEach(async () => {
  api = await Api.start();
});
afterEach(() => api.close());

async function restart(options: ApiOptions): Promise<void> {
  await api.close();
  api = await Api.start(options);
}

function keysOf(one: Api): ApiKeys {
  return new ApiKeys(one.store.keys, one.audit);
}

test('Keys are required from the first one, also on loopback, and revoking the last does not open the door again', async () => {
  expect((await api.get('/jobs')).status).toBe(200);
  const headers = await api.key('web', 'read');
  expect((await api.get('/jobs')).status).toBe(401);
  expect((await api.call('GET', '/jobs', { headers })).status).toBe(200);
  await keysOf(api).revoke('web', 'cli:test');
  await api.keys.load();
  expect((await api.call('GET', '/jobs', { headers })).json).toMatchObject({ status: 401, detail: /revoked/ });
  expect((await api.get('/jobs')).status).toBe(401);
});

test('With keys any name and origin may call, for now the key decides', async () => {
  const headers = { ...(await api.key('web', 'read')), host: 'queue.example', origin: 'https://app.example' };
  const { status, headers: answered } = await api.call('GET', '/jobs', { headers });
  expect(status).toBe(200);
  expect(answered).not.toHaveProperty('access-control-allow-origin');
});

test.each(['Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'ck_x', 'Bearer ck_x', `Bearer ck_${'x'.repeat(4_000)}`])(
  'The authorization %j is nobody’s',
  async authorization => {
    await api.key('web', 'read');
    const { status, headers, json } = await api.call('GET', '/jobs', { headers: { authorization } });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toContain('error="invalid_token"');
    expect(JSON.stringify(json)).not.toContain('xxx');
  },
);

test('The scheme is read in any case, as HTTP has it', async () => {
  const { authorization = '' } = await api.key('web', 'read');
  const headers = { authorization: authorization.replace('Bearer', 'bEARER') };
  expect((await api.call('GET', '/jobs', { headers })).status).toBe(200);
});

test('Without a key no body is read, and a wrong method is not told', async () => {
  await api.key('web', 'read');
  const raw = '{"type": "broken';
  expect((await api.call('POST', '/jobs', { raw })).status).toBe(401);
  expect((await api.call('PUT', '/queues')).status).toBe(401);
  expect((await api.call('PUT', '/livez')).status).toBe(405);
});

test('/metrics asks for the scope read, unless it is opened', async () => {
  const headers = await api.key('scraper', 'read');
  expect((await api.get('/metrics')).status).toBe(401);
  expect((await api.call('GET', '/metrics', { headers })).status).toBe(200);
  await restart({ openOperations: ['getMetrics'] });
  await api.key('web', 'produce');
  expect((await api.get('/metrics')).status).toBe(200);
});

describe('rate limits', () => {
  test('count per key, tell what is left, and refuse with the time to wait', async () => {
    const rateLimit = { requests: 3, perMs: 60_000 };
    const { secret } = await keysOf(api).create({ name: 'web', scopes: ['read'], rateLimit }, 'cli:test');
    const other = await api.key('other', 'read');
    const headers = { authorization: `Bearer ${secret}` };
    const told: unknown[] = [];
    for (let n = 0; n < 4; n++) {
      const { status, headers: answered } = await api.call('GET', '/queues', { headers });
      told.push([status, answered['ratelimit-policy'], String(answered.ratelimit).replace(/t=\d+/, 't=_')]);
    }
    const policy = '"key";q=3;w=60';
    expect(told).toEqual([
      [200, policy, '"key";r=2;t=_'],
      [200, policy, '"key";r=1;t=_'],
      [200, policy, '"key";r=0;t=_'],
      [429, policy, '"key";r=0;t=_'],
    ]);
    const refused = await api.call('POST', '/jobs', { body: { type: 'a', payload: 1 }, headers });
    expect(refused).toMatchObject({ status: 429, json: { code: 'rate-limited' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect((await api.call('GET', '/livez', { headers })).status).toBe(200);
    const free = await api.call('GET', '/queues', { headers: other });
    expect(free).toMatchObject({ status: 200 });
    expect(free.headers).not.toHaveProperty('ratelimit');
  });
});

describe('other origins', () => {
  const ASK = { origin: 'https://app.example', 'access-control-request-method': 'POST' };

  test('get no leave unless they are named', async () => {
    await api.key('web', 'read');
    const { status, headers } = await api.call('OPTIONS', '/jobs', { headers: ASK });
    expect(status).toBe(401);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('that are named may call with a key, never with cookies, and read what they need', async () => {
    await restart({ corsOrigins: ['https://app.example', 'https://two.example'] });
    const key = await api.key('web', 'read');
    const preflight = await fetch(`http://127.0.0.1:${api.port}/jobs`, { method: 'OPTIONS', headers: ASK });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');
    const answered = (await api.call('GET', '/jobs', { headers: { ...key, origin: 'https://two.example' } })).headers;
    expect(answered['access-control-allow-origin']).toBe('https://two.example');
    expect(answered['access-control-expose-headers']).toContain('x-request-id');
    expect(answered).not.toHaveProperty('access-control-allow-credentials');
    const refused = (await api.call('GET', '/jobs', { headers: { origin: 'https://two.example' } })).headers;
    expect(refused['access-control-allow-origin'], 'a page must be able to read why').toBe('https://two.example');
    const foreign = (await api.call('GET', '/jobs', { headers: { ...key, origin: 'https://bad.example' } })).headers;
    expect(foreign).not.toHaveProperty('access-control-allow-origin');
    expect(foreign.vary).toMatch(/origin/i);
  });

  test('that are named may call a service on loopback that has no keys, others not', async () => {
    await restart({ corsOrigins: ['https://app.example'] });
    const status = async (origin: string) => (await api.call('GET', '/jobs', { headers: { origin } })).status;
    expect([await status('https://app.example'), await status('https://bad.example')]).toEqual([200, 403]);
  });
});

describe('the address of the caller', () => {
  const addressed = async (): Promise<unknown> => {
    await api.call('POST', '/queues/mail/pause', { headers: { 'x-forwarded-for': '203.0.113.9' } });
    return (await api.get('/audit?limit=1')).json.items[0].details.address;
  };

  test('is the connection’s, whatever a header says', async () => {
    expect(await addressed()).toBe('127.0.0.1');
  });

  test('is what a trusted proxy says', async () => {
    await restart({ trustProxy: ['loopback'] });
    expect(await addressed()).toBe('203.0.113.9');
    await restart({ trustProxy: ['10.0.0.0/8'] });
    expect(await addressed()).toBe('127.0.0.1');
  });
});

test('Every page and refusal carries the security headers', async () => {
  await api.key('web', 'read');
  for (const path of ['/jobs', '/docs', '/docs/start.js', '/openapi.yaml', '/problems/unauthorized', '/nowhere']) {
    const { headers } = await fetch(`http://127.0.0.1:${api.port}${path}`);
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
    expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect(headers.get('content-security-policy'), path).toContain("default-src 'none'");
    expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy'), path).not.toMatch(/unsafe|upgrade-insecure/);
  }
});
