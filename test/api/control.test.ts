// Owns the proof of an operator's verbs on single jobs over HTTP: stop, edit, delete.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ClaimedJob } from '#service/domain/job.js';
import { Api, type Json } from './fixture/api.ts';

const JOB = { type: 'work.v1', payload: { n: 1 } };
const SUCCEEDED = { kind: 'succeeded', responseStatus: 200, responseBody: null, error: null } as const;

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
afterAll(() => api.close());

async function posted(job: Json = {}): Promise<string> {
  return (await api.post('/jobs', { ...JOB, ...job })).json.id;
}

async function running(): Promise<ClaimedJob> {
  const id = await posted();
  const job = (await api.run()).find(candidate => candidate.id === id);
  if (!job) throw new Error(`job ${id} was not claimed`);
  return job;
}

async function succeeded(): Promise<string> {
  const job = await running();
  await api.end(job, SUCCEEDED);
  return job.id;
}

async function edited(id: string, body: Json): Promise<Awaited<ReturnType<Api['call']>>> {
  const { headers } = await api.get(`/jobs/${id}`);
  return api.call('PATCH', `/jobs/${id}`, { body, headers: { 'if-match': headers.etag ?? '' } });
}

test('G2 · Cancelling a job that has not started ends it at once, with its actor', async () => {
  const id = await posted({ delay: '1h' });
  const { status, json } = await api.post(`/jobs/${id}/cancel`);
  expect({ status, json }).toMatchObject({
    status: 200,
    json: { state: 'dead', failureReason: 'Cancelled', attempts: 0 },
  });
  expect(json.errorDetails).toContain('anonymous');
});

test('G2 · Cancelling a running job asks its owner, who is told with its next claim', async () => {
  const job = await running();
  const { status, json } = await api.post(`/jobs/${job.id}/cancel`);
  expect({ status, state: json.state }).toEqual({ status: 202, state: 'processing' });
  const request = { owner: 'node-a', limit: 0, perType: 1, perHandler: {}, start: true };
  const owner = (await api.store.jobs.get(job.id))?.workerId ?? '';
  const { cancelRequests } = await api.store.jobs.claim({ ...request, owner });
  expect(cancelRequests).toContainEqual({ jobId: job.id, leaseId: job.leaseId, by: 'anonymous' });
  await api.end(job, SUCCEEDED);
  expect((await api.get(`/jobs/${job.id}`)).json.state, 'a 2xx that came first wins').toBe('succeeded');
});

test('G3 · Cancelling many jobs in mixed states tells the truth about each, in order', async () => {
  const pending = await posted({ delay: '1h' });
  const [dead, done] = [await api.deadJob(JOB), await succeeded()];
  const ids = [pending, dead, done, 'nowhere', pending];
  const { status, json } = await api.post('/jobs/cancel', { ids });
  expect(status).toBe(200);
  expect(json.results.map((result: { id: string }) => result.id)).toEqual(ids);
  const codes = json.results.map((result: { code: string | null }) => result.code);
  expect(codes.slice(1, 4)).toEqual(['conflict-state', 'conflict-state', 'not-found']);
  expect([codes[0], codes[4]].sort(), 'only one of two mentions can cancel it').toEqual(
    ['conflict-state', null].sort(),
  );
});

test('G4 · A finished job cannot be cancelled, and its next round is not touched', async () => {
  const id = await api.deadJob(JOB);
  expect((await api.post(`/jobs/${id}/cancel`)).json).toMatchObject({ status: 409, code: 'conflict-state' });
  await api.post(`/dlq/${id}/resurrect`, { delay: '1h' });
  expect((await api.get(`/jobs/${id}`)).json).toMatchObject({ state: 'scheduled', round: 2 });
});

test('An edit changes what it names and nothing else, byte for byte', async () => {
  const id = await posted({ delay: '1h', tags: ['kept'], priority: 7 });
  const { headers } = await api.get(`/jobs/${id}`);
  const raw = '{"payload": {"n":1.0, "n":1e400} ,"dueAt":"2020-01-01T00:00:00Z"}';
  const { status } = await api.call('PATCH', `/jobs/${id}`, {
    raw,
    headers: { 'content-type': 'application/json', 'if-match': headers.etag ?? '' },
  });
  expect(status).toBe(200);
  const { text, json } = await api.get(`/jobs/${id}`);
  expect(text).toContain('"payload":{"n":1.0, "n":1e400}');
  expect(json).toMatchObject({ state: 'pending', tags: ['kept'], priority: 7, attempts: 0 });
});

test('I2 · A stale If-Match is refused with 412, a missing one with 428, and nothing changes', async () => {
  const id = await posted({ delay: '1h' });
  const stale = (await api.get(`/jobs/${id}`)).headers.etag ?? '';
  expect((await edited(id, { priority: 1 })).status).toBe(200);
  for (const etag of [stale, '"1-999"', 'W/"1-2"', '*', 'nonsense']) {
    const { json } = await api.call('PATCH', `/jobs/${id}`, { body: { priority: 2 }, headers: { 'if-match': etag } });
    expect(json, etag).toMatchObject({ status: 412, code: 'precondition-failed' });
    const isEtag = /^"\d+-\d+"$/.test(etag);
    expect(json.detail, etag).toMatch(isEtag ? /has changed since/ : /send its ETag in If-Match, as it is/);
  }
  const { json } = await api.call('PATCH', `/jobs/${id}`, { body: { priority: 2 } });
  expect(json).toMatchObject({ status: 428, errors: [{ header: 'if-match' }] });
  expect((await api.get(`/jobs/${id}`)).json.priority).toBe(1);
});

test('I2 · An edit that breaks a rule is refused with its place, and nothing changes', async () => {
  const id = await posted({ delay: '1h' });
  const wrong = [
    [{ tags: [' '] }, '#/tags/0'],
    [{ priority: 1_001 }, '#/priority'],
    [{ dueAt: '2026-02-30T00:00:00Z' }, '#/dueAt'],
    [{ dueAt: '2099-01-01T00:00:00Z' }, '#/dueAt'],
    [{ queue: 'other' }, '#/queue'],
    [{}, '#'],
  ] as const;
  for (const [body, pointer] of wrong) {
    const { status, json } = await edited(id, body);
    expect({ status, pointer: json.errors[0]?.pointer }, JSON.stringify(body)).toEqual({ status: 422, pointer });
  }
  const headers = { 'content-type': 'application/json', 'if-match': '"1-1"' };
  expect((await api.call('PATCH', `/jobs/${id}`, { raw: '{"payload": {]}', headers })).status).toBe(400);
  expect((await api.get(`/jobs/${id}`)).json).toMatchObject({ priority: 10, payload: { n: 1 } });
});

test('A dead job can be edited and stays dead; a running or succeeded one cannot', async () => {
  const dead = await api.deadJob(JOB);
  expect((await edited(dead, { payload: { n: 2 } })).json).toMatchObject({ state: 'dead', payload: { n: 2 } });
  const job = await running();
  expect((await edited(job.id, { priority: 1 })).json).toMatchObject({ status: 409, code: 'conflict-state' });
  await api.end(job, SUCCEEDED);
  expect((await edited(job.id, { priority: 1 })).json).toMatchObject({ status: 409, code: 'conflict-state' });
});

test('B10 · An edit takes a claimed job from its node, so that the old payload is never started', async () => {
  await api.register('checked.v1', { schema: { type: 'object' } });
  const id = await posted({ type: 'checked.v1' });
  const request = { owner: 'node-a', limit: 1_000, perType: 1_000, perHandler: {}, start: true };
  const claimed = (await api.store.jobs.claim(request)).jobs.find(job => job.id === id);
  expect(claimed?.state).toBe('fetched');
  expect((await edited(id, { payload: { repaired: true } })).json.state).toBe('pending');
  const again = (await api.run()).find(job => job.id === id);
  expect(Buffer.from(again?.payload ?? []).toString()).toBe('{"repaired":true}');
});

test('Only succeeded jobs are deleted, only dead ones purged, and lifetime totals stay', async () => {
  const queue = 'deletions';
  const done = await posted({ queue });
  const job = (await api.run()).find(({ id }) => id === done);
  if (job) await api.end(job, SUCCEEDED);
  const dead = await api.deadJob({ ...JOB, queue });
  const waiting = await posted({ queue, delay: '1h' });
  for (const [path, status] of [
    [`/jobs/${dead}`, 409],
    [`/jobs/${waiting}`, 409],
    [`/dlq/${done}`, 409],
    [`/dlq/${waiting}`, 409],
    [`/jobs/${done}`, 204],
    [`/dlq/${dead}`, 204],
    [`/jobs/${done}`, 404],
    [`/dlq/${dead}`, 404],
  ] as const)
    expect((await api.call('DELETE', path)).status, path).toBe(status);
  const { counts } = (await api.get(`/queues/${queue}`)).json;
  expect(counts).toMatchObject({ succeeded: 0, dead: 0, failed: 1, scheduled: 1 });
});
