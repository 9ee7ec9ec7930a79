// Owns the proof of the edges of the API: problems for every error, methods, hosts and origins, health, docs, bugs and lost storage.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DomainError } from '#service/domain/errors.js';
import { Api, type ApiOptions } from './fixture/api.ts';

const JOB = { type: 'work.v1', payload: 1 };

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
afterAll(async () => {
  expect(api.bugs).toEqual([]);
  await api.close();
});

test.each([
  ['GET', '/jobs/batch', 'POST'],
  ['DELETE', '/jobs', 'POST, GET, HEAD'],
  ['OPTIONS', '/jobs', 'POST, GET, HEAD'],
  ['POST', '/livez', 'GET, HEAD'],
  ['POST', '/docs', 'GET, HEAD'],
  ['PATCH', '/handlers/x', 'GET, HEAD, PUT, DELETE'],
])('%s %s is refused and told what is allowed', async (method, path, allowed) => {
  const { status, headers, json } = await api.call(method, path);
  expect(status).toBe(405);
  expect(json.code).toBe('method-not-allowed');
  expect(headers.allow?.split(', ').sort()).toEqual(allowed.split(', ').sort());
});

test.each([
  '/JOBS',
  '/jobs/',
  '//jobs',
  '/jobs/a/b/c',
  '/docs/',
  '/docs/index.html',
  '/docs/..%2f..%2fpackage.json',
  '/favicon.ico',
])('GET %s is not found', async path => {
  const { status, json } = await api.get(path);
  expect(status).toBe(404);
  expect(json).toMatchObject({ code: 'not-found', instance: path });
});

test.each([
  ['/jobs?limit=0', 'limit'],
  ['/jobs?limit=99999999999999999999', 'limit'],
  ['/jobs?limit=1.5', 'limit'],
  ['/jobs?state=lost', 'state'],
  ['/jobs?search=', 'search'],
  ['/jobs?__proto__=1', '__proto__'],
  ['/jobs?createdAfter=2026-02-30T00:00:00Z', 'createdAfter'],
  ['/jobs?createdAfter=2026-01-01', 'createdAfter'],
  ['/jobs?cursor=', 'cursor'],
  [`/jobs?queue=${'q'.repeat(256)}`, 'queue'],
  ['/dlq?reason=Boredom', 'reason'],
  ['/dlq?responseStatus=99', 'responseStatus'],
  ['/jobs/a%20b', 'id'],
  ['/jobs/x?wait=2m', 'wait'],
  ['/jobs/x?wait=soon', 'wait'],
  ['/jobs/%ff', 'path'],
  ['/queues/..', 'name'],
  [`/handlers/${'q'.repeat(256)}`, 'type'],
  ['/handlers/x?force=maybe', 'force'],
])('GET %s is malformed, and the parameter is named', async (path, parameter) => {
  const method = path.includes('force') ? 'DELETE' : 'GET';
  const { status, json } = await api.call(method, path);
  expect(status).toBe(400);
  expect(json).toMatchObject({ code: 'malformed-request', errors: [{ parameter }] });
});

test('HEAD follows GET: the same headers, no body', async () => {
  const get = await api.get('/livez');
  const head = await api.call('HEAD', '/livez');
  expect(head.status).toBe(200);
  expect(head.text).toBe('');
  expect(head.headers['content-length']).toBe(get.headers['content-length']);
  expect((await api.call('HEAD', '/jobs/nope')).status).toBe(404);
});

test.each([
  ['no body at all', { raw: '' }, 400],
  ['a BOM', { raw: `\ufeff${JSON.stringify(JOB)}` }, 400],
  ['UTF-16', { raw: Buffer.from(JSON.stringify(JOB), 'utf16le') }, 400],
  [
    'invalid UTF-8',
    { raw: Buffer.concat([Buffer.from('{"type":"work.v1","payload":"'), Buffer.from([0xff]), Buffer.from('"}')]) },
    400,
  ],
  ['a member twice', { raw: '{"type":"work.v1","payload":1,"type":"x"}' }, 400],
  ['an unknown member __proto__', { raw: '{"type":"work.v1","payload":1,"__proto__":{"queue":"x"}}' }, 422],
  ['a list', { raw: '[]' }, 422],
  ['nothing but null', { raw: 'null' }, 422],
  ['gzip', { body: JOB, headers: { 'content-encoding': 'gzip' } }, 415],
  ['another charset', { body: JOB, headers: { 'content-type': 'application/json; charset=utf-16' } }, 415],
  ['a form', { body: JOB, headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ['two charsets', { body: JOB, headers: { 'content-type': 'application/json; charset=utf-8; charset=utf-16' } }, 415],
])('A body with %s is refused', async (_, call, status) => {
  expect((await api.call('POST', '/jobs', call)).status).toBe(status);
});

test('A body over 16 MB is refused without being read to its end', async () => {
  const raw = `{"type":"work.v1","payload":"${'x'.repeat(16_000_000)}"}`;
  const { status, json } = await api.call('POST', '/jobs', { raw });
  expect(status).toBe(413);
  expect(json.code).toBe('payload-too-large');
});

test('Many content types do not make the validator compile again and again', async () => {
  for (let n = 0; n < 5; n++) await api.call('GET', '/livez', { headers: { 'content-type': `text/x-${n}` } });
  const startedAt = performance.now();
  for (let n = 0; n < 50; n++)
    await api.call('GET', '/jobs?limit=1', { headers: { 'content-type': `application/json; v=${n}` } });
  const many = performance.now() - startedAt;
  const again = performance.now();
  for (let n = 0; n < 50; n++)
    await api.call('GET', '/jobs?limit=1', { headers: { 'content-type': 'application/json; v=1' } });
  expect(many).toBeLessThan(5 * (performance.now() - again) + 500);
});

test('A valid request id is taken and echoed, another one replaced', async () => {
  const taken = await api.call('GET', '/jobs/nope', { headers: { 'x-request-id': 'abc-123' } });
  expect(taken.headers['x-request-id']).toBe('abc-123');
  expect(taken.json.requestId).toBe('abc-123');
  const replaced = await api.call('GET', '/livez', { headers: { 'x-request-id': 'a b' } });
  expect(replaced.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
});

test.each([
  ['host', 'evil.example'],
  ['host', '127.0.0.1.evil.example:80'],
  ['host', '10.0.0.1'],
  ['origin', 'https://evil.example'],
  ['origin', 'null'],
  ['origin', 'http://localhost:1'],
])('Without keys a foreign %s (%s) is refused, on every route', async (header, value) => {
  for (const path of ['/jobs', '/docs', '/livez']) {
    const { status, json } = await api.call('GET', path, { headers: { [header]: value } });
    expect(status).toBe(403);
    expect(json).toMatchObject({ code: 'forbidden', errors: [{ header }] });
  }
});

test.each(['localhost', 'LOCALHOST:8080', '127.0.0.1:1', '[::1]:8080'])(
  'The host %s and its own origin are answered',
  async host => {
    const { status } = await api.call('GET', '/livez', { headers: { host, origin: `http://${host}` } });
    expect(status).toBe(200);
  },
);

test('A service that is meant for others answers to any name', async () => {
  await withApi({ loopbackOnly: false }, async open => {
    expect(
      (await open.call('GET', '/livez', { headers: { host: 'jobs.example.com', origin: 'https://a.example' } })).status,
    ).toBe(200);
  });
});

test('No answer names its framework, carries an ETag, or may be sniffed, framed or kept', async () => {
  for (const path of ['/jobs', '/nowhere', '/docs', '/livez']) {
    const { headers } = await api.get(path);
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['content-security-policy']).not.toMatch(/unsafe|upgrade-insecure/);
  }
});

test('The docs page works under its policy: nothing inline, every file of this origin and served', async () => {
  const { text, headers } = await api.get('/docs');
  expect(headers['content-security-policy']).toContain("script-src 'self'");
  expect(headers['content-security-policy']).toContain("connect-src 'self'");
  expect(text).not.toMatch(/<script>|<style|style=|onload=|https?:/);
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file);
  expect(files).toHaveLength(4);
  for (const file of files) {
    const answer = await fetch(`http://127.0.0.1:${api.port}/${file}`);
    expect(answer.status, file).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/javascript|css|png/);
    expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100);
  }
});

test('Health is told; what fails is named in a problem', async () => {
  expect((await api.get('/readyz?verbose')).json).toEqual({ status: 'ok', checks: { storage: 'ok' } });
  const bad = { status: 'failed', checks: { storage: 'ok', claimLoop: 'no claim for 40000 ms' } } as const;
  await withApi({ health: { live: () => bad, ready: async () => bad } }, async sick => {
    for (const path of ['/livez', '/readyz']) {
      const { status, headers, json } = await sick.get(path);
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(json).toMatchObject({ code: 'not-ready', errors: [{ detail: 'claimLoop: no claim for 40000 ms' }] });
    }
  });
});

test('Metrics are text', async () => {
  const { headers, text } = await api.get('/metrics');
  expect(headers['content-type']).toContain('text/plain');
  expect(text).toBe('chokaq_up 1\n');
});

test('Storage that is away is 503 with Retry-After', async () => {
  const away = async () => {
    throw new DomainError('storage-unavailable', 'The database is locked. Try again.');
  };
  await withApi(
    {
      requireRegisteredTypes: false,
      wrap: store => ({ ...store, jobs: Object.create(store.jobs, { insert: { value: away }, get: { value: away } }) }),
    },
    async broken => {
      for (const answer of [await broken.post('/jobs', JOB), await broken.get('/jobs/x')]) {
        expect(answer.status).toBe(503);
        expect(answer.headers['retry-after']).toBe('1');
        expect(answer.json.code).toBe('storage-unavailable');
      }
    },
  );
});

test('A bug is a problem without a word about the inside, and goes to the log', async () => {
  const bug = new TypeError('secret: SELECT * FROM jobs_hot');
  const fails = async () => {
    throw bug;
  };
  await withApi(
    { wrap: store => ({ ...store, jobs: Object.create(store.jobs, { get: { value: fails } }) }) },
    async broken => {
      const { status, text } = await broken.get('/jobs/x');
      expect(status).toBe(500);
      expect(text).not.toMatch(/SELECT|TypeError|node_modules/);
      expect(broken.bugs).toEqual([bug]);
    },
  );
});

async function withApi(options: ApiOptions, act: (api: Api) => Promise<void>): Promise<void> {
  const own = await Api.start(options);
  try {
    await act(own);
  } finally {
    await own.close();
  }
}
