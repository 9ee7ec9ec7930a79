// Owns the proof of figures over HTTP: totals, rates, and series with their limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

const SUCCEEDED = { kind: 'succeeded', responseStatus: 200, responseBody: null, error: null } as const;
const FATAL = { kind: 'fatal', endpointGone: false, responseStatus: 422, responseBody: null, error: 'no' } as const;

let api: Api;
beforeAll(async () => {
  api = await Api.start();
  await api.register('work.v1');
});
afterAll(() => api.close());

const iso = (at: number) => new Date(at).toISOString();
const series = (query: string) => api.get(`/stats/series?${query}`);

test('J4 · 30 successes and 10 deaths in a minute are 0.67 jobs/s and 25 %, over all queues and in their own', async () => {
  const jobs = Array.from({ length: 40 }, () => ({ type: 'work.v1', payload: 1, queue: 'mail' }));
  await api.post('/jobs/batch', { jobs });
  for (const [n, job] of (await api.run()).entries()) await api.end(job, n < 30 ? SUCCEEDED : FATAL);
  await api.post('/jobs', { type: 'work.v1', payload: 1, queue: 'mail', delay: '1h' });
  const rates = {
    oneMinute: { throughput: 0.6667, failureRate: 0.25 },
    fiveMinutes: { throughput: 0.1333, failureRate: 0.25 },
  };
  expect((await api.get('/stats')).json).toEqual({
    at: expect.any(String),
    counts: { pending: 0, unroutable: 0, scheduled: 1, fetched: 0, processing: 0, succeeded: 30, dead: 10 },
    lifetime: { succeeded: 30, failed: 10, retried: 0 },
    lagMs: { avg: 0, max: 0 },
    rates,
  });
  expect((await api.get('/queues/mail')).json.rates).toEqual(rates);
  expect((await api.get('/queues')).json.items[0].rates).toEqual(rates);
});

test('A series without parameters is the last hour; a step can be chosen, and a queue', async () => {
  const { json } = await series('');
  expect(json).toMatchObject({ queue: null, step: '1m' });
  expect(json.points.length).toBeGreaterThanOrEqual(60);
  expect(json.points.at(-1)?.at <= iso(api.clock.now())).toBe(true);
  expect(json.points.reduce((sum: number, point: { dead: number }) => sum + point.dead, 0)).toBe(10);
  const from = iso(api.clock.now() - 60_000);
  const seconds = (await series(`from=${from}&step=1s&queue=mail`)).json;
  expect(seconds.points.length).toBeGreaterThanOrEqual(60);
  expect(seconds.points.reduce((sum: number, point: { enqueued: number }) => sum + point.enqueued, 0)).toBe(41);
  expect(
    (await series(`from=${from}&queue=none`)).json.points.every((point: { dead: number }) => point.dead === 0),
  ).toBe(true);
});

test('A series that would be too long, too fine or backwards is refused, saying what would do', async () => {
  const now = api.clock.now();
  const wrong: [query: string, parameter: string, detail: string][] = [
    [`from=${iso(now)}&to=${iso(now - 1)}`, 'from', 'must be earlier'],
    [`from=${iso(now - 600_000)}&step=500ms`, 'step', 'whole number of seconds'],
    [`from=${iso(now - 3_600_000)}&step=1s`, 'step', 'older than 15m is kept by the minute'],
    [`from=${iso(now - 3_600_000)}&step=90s`, 'step', 'whole number of minutes'],
    [`from=${iso(now - 172_800_000)}&step=1m`, 'step', '1000 is the most; 5m would do'],
    [`from=0001-01-01T00:00:00Z&step=30d`, 'step', '1000 is the most'],
    [`step=0s`, 'step', 'from 1m to 30d'],
    [`step=soon`, 'step', 'is not a duration'],
    [`from=yesterday`, 'from', 'RFC 3339'],
    [`queue=`, 'queue', 'is empty'],
    [`until=x`, 'until', 'is not known'],
  ];
  for (const [query, parameter, detail] of wrong) {
    const { status, json } = await series(query);
    expect({ status, parameter: json.errors[0]?.parameter }, query).toEqual({ status: 400, parameter });
    expect(json.errors[0].detail, query).toContain(detail);
  }
});

test('The most that is allowed is a thousand points', async () => {
  const to = Math.floor(api.clock.now() / 60_000) * 60_000;
  const longest = await series(`from=${iso(to - 60_000_000)}&to=${iso(to)}&step=1m`);
  expect(longest.json.points).toHaveLength(1_000);
  expect((await series(`from=${iso(to - 60_000_001)}&to=${iso(to)}&step=1m`)).status).toBe(400);
});
