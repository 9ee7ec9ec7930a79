// Owns the proof that openapi.yaml is a valid, complete document whose examples say the truth, and that the service serves it.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { PROBLEMS } from '#service/api/problem.js';
import { Api } from './fixture/api.ts';
import { at, document, faultsOf, operations, placeOf } from './fixture/contract.ts';

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.close());

test('the document is valid OpenAPI 3.1', async () => {
  const { middleware } = createRequire(import.meta.url)('express-openapi-validator');
  const [first] = middleware({ apiSpec: structuredClone(document), validateApiSpec: true });
  const error = await new Promise(resolve => first({ app: { param: () => undefined } }, {}, resolve));
  expect(error).toBeUndefined();
});

test.each(operations())('%s %s has an operationId, a summary, and its error answers', (_path, _method, operation) => {
  expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
  expect(operation.summary.length).toBeGreaterThan(5);
  expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['400', '403', '500']));
});

test.each(operations())(
  '%s %s says which scope it needs, in words too, and documents 401 and 429',
  (_path, _method, operation) => {
    const { security, description = '', responses } = operation;
    const scopes = security.flatMap(({ apiKey }) => apiKey);
    const sentence =
      scopes.length === 0 ? 'Needs no key.' : `Needs the scope ${scopes.map(name => `\`${name}\``).join(' or ')}.`;
    expect(description).toContain(sentence);
    if (scopes.length > 0) expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '429']));
  },
);

test.each(operations())('%s %s shows examples, and each fits its schema', (path, method, operation) => {
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, media]) => [['paths', path, method, 'requestBody', 'content', type], media] as const,
  );
  const replies = Object.entries(operation.responses).flatMap(([status, reply]) => {
    const place = placeOf(path, method, status, reply);
    return Object.entries(at(place).content ?? {}).map(
      ([type, media]) => [[...place, 'content', type], media] as const,
    );
  });
  for (const [place, { examples = {} }] of [...bodies, ...replies]) {
    expect(Object.keys(examples), place.join('/')).not.toEqual([]);
    for (const { value, $ref } of Object.values(examples)) {
      const shown = $ref ? document.components.examples[$ref.split('/').at(-1) ?? ''].value : value;
      expect(faultsOf([...place, 'schema'], shown), place.join('/')).toEqual([]);
    }
  }
});

test('operation ids are unique', () => {
  const ids = operations().map(([, , { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the call to a handler is documented with all its headers', () => {
  const names = document.webhooks.delivery.post.parameters.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining([
      'chokaq-job-id',
      'chokaq-deadline',
      'chokaq-round',
      'webhook-id',
      'webhook-signature',
      'traceparent',
    ]),
  );
});

test('/openapi.yaml and /openapi.json are this document', async () => {
  expect(parse((await api.get('/openapi.yaml')).text)).toEqual(document);
  expect((await api.get('/openapi.json')).json).toEqual(document);
});

test.each(Object.entries(PROBLEMS))('/problems/%s explains the code', async (code, { status }) => {
  const { json } = await api.get(`/problems/${code}`);
  expect(json).toMatchObject({ code, status, title: expect.any(String), whatToDo: expect.any(String) });
});

test('/problems of an unknown code is not found, and of an impossible one malformed', async () => {
  expect((await api.get('/problems/no-such-thing')).status).toBe(404);
  expect((await api.get('/problems/NO')).status).toBe(400);
});
