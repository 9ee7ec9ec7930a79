// Owns the proof that no schema, however it is made, lets a payload stop the service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.close());

/** Each level of the payload is tried twice: the time doubles per level, without any pattern. */
const DOUBLING = {
  $defs: {
    deep: {
      oneOf: [
        { type: 'number' },
        { type: 'object', required: ['not'], properties: { not: { $ref: '#/$defs/deep' } } },
        { type: 'object', required: ['not'], properties: { not: { $ref: '#/$defs/deep' }, other: true } },
      ],
    },
  },
  $ref: '#/$defs/deep',
};

test('A schema whose branches refer back refuses a payload after its time instead of trying for ever', async () => {
  await api.register('doubling.v1', { schema: DOUBLING });
  const raw = `{"type":"doubling.v1","payload":${'{"not":'.repeat(40)}"x"${'}'.repeat(40)}}`;
  const { status, json } = await api.call('POST', '/jobs', { raw });
  expect(status).toBe(422);
  expect(json.errors).toEqual([{ pointer: '#/payload', detail: expect.stringContaining('longer than') }]);
  expect((await api.post('/jobs', { type: 'doubling.v1', payload: 7 })).status).toBe(201);
});

test('A batch that is slow to check is refused as a whole, and the rest of it is not checked', async () => {
  await api.register('slow.v1', { schema: { type: 'string', pattern: '^(a+)+$' } });
  const jobs = Array.from({ length: 200 }, () => ({ type: 'slow.v1', payload: `${'a'.repeat(40)}!` }));
  const { status, json } = await api.post('/jobs/batch', { jobs });
  expect(status).toBe(422);
  expect(json.errors.length).toBeLessThan(20);
  expect(json.errors.at(-1).detail).toContain('send fewer at once');
});

test('A schema without an end is refused when it is registered', async () => {
  const { status, json } = await api.register('endless.v1', { schema: { $ref: '#' } });
  expect(status).toBe(422);
  expect(json.errors).toEqual([{ pointer: '#/schema', detail: 'refers to itself without an end' }]);
});

test('A schema that proves endless only for some payloads refuses those', async () => {
  const looped = { type: 'object', required: ['loop'] };
  const schema = { oneOf: [{ not: looped }, { allOf: [looped, { $ref: '#' }] }] };
  expect((await api.register('sometimes.v1', { schema })).status).toBe(201);
  const looping = await api.post('/jobs', { type: 'sometimes.v1', payload: { loop: 1 } });
  expect(looping.status).toBe(422);
  expect(looping.json.errors[0].detail).toContain('without an end');
  expect((await api.post('/jobs', { type: 'sometimes.v1', payload: {} })).status).toBe(201);
});
