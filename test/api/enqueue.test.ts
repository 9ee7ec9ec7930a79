// Owns the proof of enqueueing over HTTP: what is stored, what is refused and where, resends, keys, batches and due times.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PAYLOADS } from '../fixtures/strings.ts';
import { Api } from './fixture/api.ts';

const JOB = { type: 'work.v1', payload: { n: 1 } };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
beforeEach(() => void api.wakes.splice(0));
afterAll(() => api.close());

test('A1 · A valid job is stored pending with defaults and answered with 201 and its address', async () => {
  const { status, headers, json } = await api.post('/jobs', JOB);
  expect(status).toBe(201);
  expect(json).toMatchObject({
    state: 'pending',
    attempts: 0,
    maxAttempts: 3,
    round: 1,
    priority: 10,
    queue: 'default',
  });
  expect(json).toMatchObject({ duplicate: false, workerId: null, startedAt: null, tags: [], createdBy: null });
  expect(json.id).toMatch(UUID_V7);
  expect(headers.location).toBe(`/jobs/${json.id}`);
  expect((await api.get(`/jobs/${json.id}`)).json).toMatchObject({
    id: json.id,
    payload: { n: 1 },
    createdAt: json.dueAt,
  });
});

test('A1 · Everything a producer may say comes back, names trimmed', async () => {
  const posted = { ...JOB, id: 'full-1', queue: ' mail ', priority: -5, tags: [' a ', 'ü'], idempotencyKey: ' k1 ' };
  const more = {
    resultTtl: '90m',
    maxAttempts: 7,
    timeout: '30s',
    retry: { base: '1s', maxAge: null },
    createdBy: ' Ada ',
  };
  expect((await api.post('/jobs', { ...posted, ...more })).status).toBe(201);
  const { json } = await api.get('/jobs/full-1');
  expect(json).toMatchObject({
    queue: 'mail',
    priority: -5,
    tags: ['a', 'ü'],
    idempotencyKey: 'k1',
    resultTtl: '1h30m',
  });
  expect(json).toMatchObject({ maxAttempts: 7, createdBy: 'Ada' });
  const stored = await api.store.jobs.get('full-1');
  expect(stored?.overrides).toEqual({ maxAttempts: 7, timeoutMs: 30_000, retry: { baseMs: 1_000, maxAgeMs: null } });
});

test('A2 H6 · All faults are told at once, each with its pointer, a resultTtl outside its limits too', async () => {
  const { status, json } = await api.post('/jobs', {
    ...JOB,
    queue: 'é'.repeat(256),
    tags: ['ok', 'x'.repeat(65)],
    delay: '3651d',
    resultTtl: '1s',
    createdBy: 'x'.repeat(101),
  });
  expect(status).toBe(422);
  expect(json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(
    ['#/createdBy', '#/delay', '#/queue', '#/resultTtl', '#/resultTtl', '#/tags/1'].sort(),
  );
});

test.each(['a\ud800b', '\u0085', 'a\u009fb'])('A2 · The name %j is refused', async name => {
  const raw = JSON.stringify({ ...JOB, queue: name });
  const { status, json } = await api.call('POST', '/jobs', { raw });
  expect(status).toBe(422);
  expect(json.errors[0].pointer).toBe('#/queue');
});

test('A3 · A payload one byte over the limit is refused with 413, in characters of several bytes too; exactly the limit passes', async () => {
  const small = await Api.start({ maxPayloadBytes: 100, requireRegisteredTypes: false });
  const payload = (bytes: number) => `"${'é'.repeat((bytes - 2) / 2)}"`;
  const send = (bytes: number) => small.call('POST', '/jobs', { raw: `{"type":"t","payload": ${payload(bytes)} }` });
  expect((await send(100)).status).toBe(201);
  const { status, json } = await send(102);
  expect(status).toBe(413);
  expect(json).toMatchObject({ code: 'payload-too-large', errors: [{ pointer: '#/payload' }] });
  const batch = await small.call('POST', '/jobs/batch', {
    raw: `{"jobs":[{"type":"t","payload":1},{"type":"t","payload":${payload(102)}}]}`,
  });
  expect(batch.status).toBe(413);
  expect(batch.json.errors[0].pointer).toBe('#/jobs/1/payload');
  expect((await small.get('/jobs')).json.items).toHaveLength(1);
  await small.close();
});

test('A4 · A delayed job is scheduled at once, nobody can claim it before its time, and the engine is told when', async () => {
  const { json } = await api.post('/jobs', { ...JOB, delay: '10m' });
  expect(json.state).toBe('scheduled');
  expect(Date.parse(json.dueAt) - Date.parse(json.createdAt)).toBe(600_000);
  expect(Math.abs((api.wakes[0] ?? 0) - Date.parse(json.dueAt))).toBeLessThan(1_000);
  expect((await api.run()).map(({ id }) => id)).not.toContain(json.id);
});

test('A5 · 50 parallel first enqueues to a new queue make one queue with 50 jobs', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => api.post('/jobs', { ...JOB, queue: 'fresh' })));
  expect(answers.every(({ status }) => status === 201)).toBe(true);
  const { items } = (await api.get('/queues')).json;
  const fresh = items.filter(({ name }: { name: string }) => name === 'fresh');
  expect(fresh).toHaveLength(1);
  expect(fresh[0].counts).toMatchObject({ pending: 50 });
});

test('A6 · Nobody runs jobs in this test, and enqueue still answers and wakes the engine before it answers', async () => {
  expect((await api.post('/jobs', JOB)).status).toBe(201);
  expect(api.wakes).toHaveLength(1);
});

test('A7 · A type without a handler is refused by name, unless registration is not required', async () => {
  const { status, json } = await api.post('/jobs', { ...JOB, type: 'nobody.v1' });
  expect(status).toBe(422);
  expect(json).toMatchObject({ code: 'type-not-registered', errors: [{ pointer: '#/type' }] });
  expect(json.errors[0].detail).toContain('nobody.v1');
  const free = await Api.start({ requireRegisteredTypes: false });
  expect((await free.post('/jobs', { ...JOB, type: 'nobody.v1' })).status).toBe(201);
  await free.close();
});

test('A7 · A handler that another node registered is found', async () => {
  const known = (await api.store.handlers.list()).handlers[0];
  if (!known) throw new Error('no handler');
  await api.store.handlers.put({ ...known, type: 'elsewhere.v1' });
  expect((await api.post('/jobs', { ...JOB, type: 'elsewhere.v1' })).status).toBe(201);
});

test('A8 · The same id again is a duplicate wherever the job is by then; with other content it is a conflict', async () => {
  const posted = { ...JOB, id: 'resend-1', queue: 'resend' };
  expect((await api.post('/jobs', posted)).status).toBe(201);
  const again = await api.post('/jobs', posted);
  expect(again).toMatchObject({ status: 200, json: { id: 'resend-1', duplicate: true } });
  expect(again.headers.location).toBeUndefined();
  const other = await api.post('/jobs', { ...posted, payload: { n: 2 } });
  expect(other.json).toMatchObject({ status: 409, code: 'id-conflict' });
  expect(other.json.errors.every(({ pointer }: { pointer: string }) => !pointer.includes('/jobs/'))).toBe(true);

  const dead = { ...JOB, id: 'resend-2' };
  await api.deadJob(dead);
  expect(await api.post('/jobs', dead)).toMatchObject({ status: 200, json: { duplicate: true, state: 'dead' } });
});

test('A9 · One bad item of 1 000 refuses the batch and is pointed at; 1 000 good ones come back in order, as one transaction', async () => {
  const jobs = Array.from({ length: 1_000 }, (_, n) => ({ ...JOB, id: `batch-${n}`, queue: 'batch' }));
  const bad = jobs.with(17, { ...jobs[17], queue: 'a\u0000b' } as (typeof jobs)[number]);
  const refused = await api.post('/jobs/batch', { jobs: bad });
  expect(refused.json).toMatchObject({ status: 422, errors: [{ pointer: '#/jobs/17/queue' }] });
  expect((await api.get('/jobs/batch-0')).status).toBe(404);
  const { json } = await api.post('/jobs/batch', { jobs });
  expect(json.results).toEqual(jobs.map(({ id }) => ({ id, duplicate: false })));
  expect(api.wakes).toHaveLength(1);
  const resent = await api.post('/jobs/batch', { jobs });
  expect(resent.json.results.every(({ duplicate }: { duplicate: boolean }) => duplicate)).toBe(true);
});

test('A9 · A conflict with a stored job points at the item of the batch', async () => {
  await api.post('/jobs', { ...JOB, id: 'taken-1' });
  const { json } = await api.post('/jobs/batch', { jobs: [JOB, { ...JOB, id: 'taken-1', payload: 2 }] });
  expect(json).toMatchObject({ status: 409, code: 'id-conflict' });
  expect(json.errors[0].pointer).toMatch(/^#\/jobs\/1/);
});

test.each(Object.entries(PAYLOADS))(
  'A10 · The payload with %s is stored and shown byte for byte',
  async (_, payload) => {
    const { json } = await api.call('POST', '/jobs', { raw: `{"type":"work.v1","payload":${payload}}` });
    expect(Buffer.from((await api.store.jobs.get(json.id))?.payload ?? []).toString('utf8')).toBe(payload.trim());
    const { text } = await api.get(`/jobs/${json.id}`);
    expect(text).toContain(`"payload":${payload.trim()}`);
  },
);

test.each([
  ['in the past', '2020-01-01T00:00:00Z', 'pending'],
  ['with an offset', '2034-01-01T02:00:00+02:00', 'scheduled'],
  ['in nine years', '2035-06-01T00:00:00.5z', 'scheduled'],
])('A11 · runAt %s is understood', async (_, runAt, state) => {
  const { status, json } = await api.post('/jobs', { ...JOB, runAt });
  expect(status).toBe(201);
  expect(json.state).toBe(state);
  expect(json.dueAt).toBe(state === 'pending' ? json.createdAt : new Date(runAt.replace('z', 'Z')).toISOString());
});

test('H1 · The key of an active job answers with that job; the header may carry it bare or quoted', async () => {
  const { json } = await api.post('/jobs', { ...JOB, idempotencyKey: 'say "hi"' });
  for (const key of ['say "hi"', '"say \\"hi\\""']) {
    const again = await api.post('/jobs', JOB, { 'idempotency-key': key });
    expect(again).toMatchObject({ status: 200, json: { id: json.id, duplicate: true } });
  }
});

test('H2 · Other content under an active key is refused, naming the job; keep and replace do as they say', async () => {
  const keyed = { ...JOB, idempotencyKey: 'h2' };
  const { id } = (await api.post('/jobs', keyed)).json;
  const other = { ...keyed, payload: { n: 2 } };
  const refused = await api.post('/jobs', other);
  expect(refused.json).toMatchObject({ status: 422, code: 'idempotency-conflict' });
  expect(refused.text).toContain(id);
  expect((await api.post('/jobs', { ...other, onConflict: 'keep' })).json).toMatchObject({ id, duplicate: true });
  expect((await api.get(`/jobs/${id}`)).json.payload).toEqual({ n: 1 });
  expect((await api.post('/jobs', { ...other, onConflict: 'replace' })).json).toMatchObject({ id });
  expect((await api.get(`/jobs/${id}`)).json.payload).toEqual({ n: 2 });
});

test('A header and a member that name different keys are refused, and a batch takes no header', async () => {
  const both = await api.post('/jobs', { ...JOB, idempotencyKey: 'a' }, { 'idempotency-key': 'b' });
  expect(both.json).toMatchObject({ status: 422, errors: [{ header: 'idempotency-key' }] });
  const batch = await api.post('/jobs/batch', { jobs: [JOB] }, { 'idempotency-key': 'b' });
  expect(batch.json).toMatchObject({ status: 400, errors: [{ header: 'idempotency-key' }] });
  const broken = await api.post('/jobs', JOB, { 'idempotency-key': '"half' });
  expect(broken.json).toMatchObject({ status: 400, errors: [{ header: 'idempotency-key' }] });
});

test('A trace context is kept with the job, and one that is not valid is as good as none', async () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const kept = await api.post('/jobs', JOB, { traceparent, tracestate: 'a=b' });
  expect(await api.store.jobs.get(kept.json.id)).toMatchObject({ traceparent, tracestate: 'a=b' });
  const none = await api.post('/jobs', JOB, { traceparent: '00-zz-1', tracestate: 'a=b' });
  expect(await api.store.jobs.get(none.json.id)).toMatchObject({ traceparent: null, tracestate: null });
});

test('A payload that breaks the schema of its handler is refused; depth counts only where there is a schema', async () => {
  const schema = { type: 'object', required: ['to'], properties: { to: { type: 'string', maxLength: 3 } } };
  await api.register('mail.v1', { schema });
  const broken = await api.post('/jobs', { type: 'mail.v1', payload: { to: 'long' } });
  expect(broken.json).toMatchObject({ status: 422, errors: [{ pointer: '#/payload' }] });
  expect((await api.post('/jobs', { type: 'mail.v1', payload: { to: 'ok' } })).status).toBe(201);
  const deep = '['.repeat(5_000) + ']'.repeat(5_000);
  const refused = await api.call('POST', '/jobs', { raw: `{"type":"mail.v1","payload":{"to":"a","x":${deep}}}` });
  expect(refused.json.errors[0].detail).toContain('nested deeper');
  expect((await api.call('POST', '/jobs', { raw: `{"type":"work.v1","payload":${deep}}` })).status).toBe(201);
});

test('A pattern that would take for ever refuses the payload after its time instead', async () => {
  await api.register('slow.v1', { schema: { type: 'string', pattern: '^(a+)+$' } });
  const { status, json } = await api.post('/jobs', { type: 'slow.v1', payload: `${'a'.repeat(40)}!` });
  expect(status).toBe(422);
  expect(json.errors[0].detail).toContain('longer than');
  expect((await api.post('/jobs', { type: 'slow.v1', payload: 'aaa' })).status).toBe(201);
});
