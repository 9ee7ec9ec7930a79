// Owns the proof of scopes: every operation of the contract against every scope, and nothing secret for whoever may not see it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SCOPES } from '#service/domain/access.js';
import { handlerFor } from '../fixtures/jobs.ts';
import { Api, type Json } from './fixture/api.ts';
import { everyOperation, send } from './fixture/every-operation.ts';

type Headers = Readonly<Record<string, string>>;

const SECRET = 'do-not-show-me';
const CALLS = everyOperation();
const OPEN = CALLS.filter(({ scopes }) => scopes.length === 0);
const GUARDED = CALLS.filter(({ scopes }) => scopes.length > 0);

let api: Api;
const keys = new Map<string, Headers>();

beforeAll(async () => {
  api = await Api.start({ requireRegisteredTypes: false });
  for (const scope of SCOPES) keys.set(scope, await api.key(`only ${scope}`, scope));
  keys.set('all but read:payload', await api.key('nosy', ...SCOPES.filter(scope => scope !== 'read:payload')));
});
afterAll(() => api.close());

function keyOf(name: string): Headers {
  const headers = keys.get(name);
  if (!headers) throw new Error(`no key ${name}`);
  return headers;
}

describe('without a key', () => {
  test.each(GUARDED)('$method $template is refused', async call => {
    const { status, headers, text } = await send(api, call, {});
    expect({ status, challenge: headers['www-authenticate'] }).toEqual({
      status: 401,
      challenge: 'Bearer realm="chokaq"',
    });
    expect(JSON.parse(text)).toMatchObject({ code: 'unauthorized', errors: [{ header: 'authorization' }] });
  });

  test.each(OPEN)('$method $template is answered, and no wrong key spoils that', async call => {
    for (const headers of [{}, { authorization: 'Bearer ck_wrong' }]) {
      expect([401, 403]).not.toContain((await send(api, call, headers)).status);
    }
  });

  test('what is open is what was meant to be', () => {
    for (const { template } of OPEN)
      expect(template).toMatch(/^\/(?:livez|readyz|docs|deck|openapi\.\w+|problems\/.*)$/);
    for (const { template } of GUARDED) expect(template).not.toMatch(/^\/(?:livez|readyz|docs)$/);
  });
});

describe.each(SCOPES)('with the scope %s alone', scope => {
  test.each(GUARDED.filter(({ scopes }) => scopes.includes(scope)))('$method $template is allowed', async call => {
    expect([401, 403]).not.toContain((await send(api, call, keyOf(scope))).status);
  });

  test.each(GUARDED.filter(({ scopes }) => !scopes.includes(scope)))(
    '$method $template is refused, naming the scope',
    async call => {
      const { status, headers, text } = await send(api, call, keyOf(scope));
      expect({ status, code: JSON.parse(text).code }).toEqual({ status: 403, code: 'forbidden' });
      expect(JSON.parse(text).detail).toContain(`lacks the scope ${call.scopes.join(' or ')}`);
      expect(headers['www-authenticate']).toContain(`scope="${call.scopes.join(' ')}"`);
    },
  );
});

async function jobIn(state: 'pending' | 'dead' | 'succeeded'): Promise<string> {
  const authorization = keyOf('produce');
  const { id } = (await api.post('/jobs', { type: `t.${state}`, payload: { text: SECRET } }, authorization)).json;
  if (state === 'pending') return id;
  await api.store.handlers.put(handlerFor(`t.${state}`));
  const [job] = await api.run();
  const answer = { responseStatus: 422, responseBody: SECRET, error: SECRET };
  if (job) await api.end(job, { ...answer, ...(state === 'dead' ? DEAD : { kind: 'succeeded' }) } as never);
  await api.store.handlers.remove(`t.${state}`, true);
  return id;
}

const DEAD = { kind: 'fatal', endpointGone: false };

describe.each(['pending', 'dead', 'succeeded'] as const)('without read:payload nothing is shown of a %s job', state => {
  test.each(GUARDED.map(({ id }) => id))('by %s', async operationId => {
    const id = await jobIn(state);
    const body = { type: 'other', payload: 1 };
    const call = everyOperation({ id }).find(one => one.id === operationId);
    if (!call) throw new Error(`no operation ${operationId}`);
    const path = operationId === 'listJobs' ? '/jobs?view=full' : call.path;
    const posted = operationId.startsWith('enqueue') ? call.body : (call.body ?? JSON.stringify(body));
    const sent = { ...call, path, body: call.method === 'GET' || call.method === 'DELETE' ? undefined : posted };
    const { status, text } = await send(api, sent, keyOf('all but read:payload'));
    expect(status).toBeLessThan(500);
    expect(text).not.toContain(SECRET);
    if (text.includes('"lastResponseBody"')) expect(text).toContain('"redacted":true');
  });
});

test('without read:payload no search finds out what an error says', async () => {
  const id = await jobIn('dead');
  for (const path of ['/jobs', '/dlq']) {
    const found = async (key: Headers) =>
      (await api.call('GET', `${path}?search=${SECRET}&limit=200`, { headers: key })).json.items.length;
    expect(await found(keyOf('read'))).toBe(0);
    expect(await found(await api.key(`searching ${path}`, 'read', 'read:payload'))).toBeGreaterThan(0);
  }
  expect((await api.call('GET', `/jobs?search=${id}`, { headers: keyOf('read') })).json.items).toHaveLength(1);
});

test('with read:payload all of it is shown, and nothing is called redacted', async () => {
  const id = await jobIn('dead');
  const seeing = await api.key('seeing', 'read', 'read:payload');
  const job = (await api.call('GET', `/jobs/${id}`, { headers: seeing })).json;
  expect(job).toMatchObject({
    redacted: false,
    payload: { text: SECRET },
    lastResponseBody: SECRET,
    lastError: SECRET,
  });
  const { items } = (await api.call('GET', `/jobs/${id}/attempts`, { headers: seeing })).json;
  expect(items[0]).toMatchObject({ redacted: false, responseBody: SECRET, error: SECRET });
  const hidden = (await api.call('GET', `/jobs/${id}`, { headers: keyOf('read') })).json;
  const nothing = { payload: null, lastResponseBody: null, lastError: null, errorDetails: null };
  expect(hidden).toMatchObject({ redacted: true, ...nothing, lastResponseStatus: 422, failureReason: 'FatalError' });
  const { items: blank } = (await api.call('GET', `/jobs/${id}/attempts`, { headers: keyOf('read') })).json;
  expect(blank[0]).toMatchObject({ redacted: true, responseBody: null, error: null, responseStatus: 422 });
});

describe('a key that may only produce', () => {
  const idsIn = async (path: string, headers: Headers): Promise<string[]> =>
    (await api.call('GET', path, { headers })).json.items.map((job: Json) => job.id);

  test('reads its own jobs and no others, in every list and by id, waiting or not', async () => {
    const [mine, theirs] = [await api.key('mine', 'produce'), await api.key('theirs', 'produce')];
    const job = { type: 'own.v1', payload: 1, queue: 'own' };
    const own = (await api.post('/jobs', job, mine)).json;
    expect(own.createdBy).toBe('mine');
    const { results } = (await api.post('/jobs/batch', { jobs: [{ ...job, createdBy: 'somebody' }] }, theirs)).json;
    const other = results[0].id;
    expect(await idsIn('/jobs?queue=own', mine)).toEqual([own.id]);
    expect(await idsIn('/jobs?queue=own', theirs)).toEqual([other]);
    expect(await idsIn('/jobs?queue=own', keyOf('read'))).toHaveLength(2);
    for (const path of [`/jobs/${other}`, `/jobs/${other}?wait=30s`, `/jobs/${other}/attempts`, `/dlq/${other}`]) {
      expect((await api.call('GET', path, { headers: mine })).status, path).toBe(404);
    }
    expect((await api.call('GET', `/jobs/${own.id}`, { headers: mine })).status).toBe(200);
    expect((await api.call('GET', `/jobs/${own.id}/attempts`, { headers: mine })).status).toBe(200);
    const { createdBy } = (await api.call('GET', `/jobs/${other}`, { headers: keyOf('read') })).json;
    expect(createdBy).toBe('somebody');
  });

  test('reads its own dead jobs in the DLQ, and no others', async () => {
    const mine = await api.key('owner of the dead', 'produce');
    const foreign = await jobIn('dead');
    await api.store.handlers.put(handlerFor('mortal.v1'));
    const { id } = (await api.post('/jobs', { type: 'mortal.v1', payload: 1 }, mine)).json;
    const [job] = await api.run();
    if (job) await api.end(job, { ...DEAD, responseStatus: 400, responseBody: null, error: 'no' } as never);
    expect(await idsIn('/dlq', mine)).toEqual([id]);
    expect((await api.call('GET', `/dlq/${id}`, { headers: mine })).status).toBe(200);
    expect((await api.call('GET', `/dlq/${foreign}`, { headers: mine })).status).toBe(404);
    expect((await api.call('GET', `/dlq/${foreign}`, { headers: keyOf('produce') })).status).toBe(200);
  });
});

describe('a producer that meets the job of another key', () => {
  const KEYED = { type: 'shared.v1', queue: 'shared', idempotencyKey: 'order:1', tags: ['vip'] };
  let [mine, theirs]: Headers[] = [];
  let id: string;

  beforeAll(async () => {
    [mine, theirs] = [await api.key('rival', 'produce', 'read:payload'), await api.key('first', 'produce')];
    id = (await api.post('/jobs', { ...KEYED, payload: { text: SECRET } }, theirs)).json.id;
  });

  test.each(['replace', 'refuse', undefined])(
    'H2 · cannot change it with onConflict %s, nor learn its id',
    async onConflict => {
      const before = await api.store.jobs.get(id);
      const job = { ...KEYED, payload: 1, onConflict };
      const { status, json, text } = await api.post('/jobs', job, mine);
      expect([status, json.code]).toEqual(
        onConflict === 'replace' ? [409, 'conflict-state'] : [422, 'idempotency-conflict'],
      );
      expect(text).not.toContain(id);
      const batch = await api.post('/jobs/batch', { jobs: [{ type: 'shared.v1', payload: 1 }, job] }, mine);
      expect([batch.status, batch.json.errors[0].pointer]).toEqual([status, '#/jobs/1']);
      expect(await api.store.jobs.get(id)).toEqual(before);
    },
  );

  test('H1 · is told that it exists, and nothing of what its producer or its run said', async () => {
    const nothing = { redacted: true, tags: [], createdBy: null, lastError: null, workerId: null, startedAt: null };
    for (const job of [
      { ...KEYED, payload: { text: SECRET } },
      { ...KEYED, payload: 1, onConflict: 'keep' },
    ]) {
      const { status, json, text } = await api.post('/jobs', job, mine);
      expect({ status, ...json }).toMatchObject({ status: 200, duplicate: true, id, state: 'pending', ...nothing });
      expect(text).not.toContain(SECRET);
    }
    const elsewhere = { ...KEYED, type: 'guessed.v1', payload: 1, onConflict: 'keep' };
    expect((await api.post('/jobs', elsewhere, mine)).text).not.toContain('shared.v1');
  });

  test('H2 · is told which one it is by a key that may read, and the key that made it replaces it', async () => {
    const reader = await api.key('reading rival', 'produce', 'read');
    const { json } = await api.post('/jobs', { ...KEYED, payload: 1 }, reader);
    expect(json.detail).toContain(id);
    const replaced = await api.post('/jobs', { ...KEYED, payload: 2, onConflict: 'replace' }, theirs);
    expect([replaced.status, replaced.json.id, replaced.json.createdBy]).toEqual([200, id, 'first']);
  });
});
