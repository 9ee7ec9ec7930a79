// Owns the proof of the rule that says which errors are the same.
import { expect, test } from 'vitest';
import { errorPrefix } from '#service/domain/error-family.js';

test.each([
  ['the handler answered 500', 'the handler answered 500'],
  ['the handler answered 503 with chokaq-retry: after=30s', 'the handler answered 503 with chokaq-retry: after=#s'],
  ['HTTP 422', 'HTTP 422'],
  ['HTTP/1.1 502 from upstream 17', 'HTTP/1.1 502 from upstream #'],
  ['order 4711 of 12.50 EUR at 10.0.0.7:8080', 'order # of # EUR at #'],
  ['no row 0193e0f4-6a0e-7c5a-b1b4-6a3f2f1f9f10', 'no row <id>'],
  ['object 507f1f77bcf86cd799439011 is gone', 'object <id> is gone'],
  ['no session tk_01JDXF5Z3QF8Y7K2M9', 'no session <id>'],
  ['deadbeef and facade are words', 'deadbeef and facade are words'],
  ['  two\n\tlines  ', 'two lines'],
  ['', '(no text)'],
  [null, '(no text)'],
  [' \n', '(no text)'],
  ['日本語のエラー 12', '日本語のエラー #'],
])('%j belongs to %j', (text, prefix) => {
  expect(errorPrefix(text)).toBe(prefix);
});

test('Texts that differ only in numbers and ids are one family; another status is another', () => {
  const same = [1, 22, 333].map(n => errorPrefix(`job ${n} failed after ${n * 7} ms`));
  expect(new Set(same).size).toBe(1);
  expect(errorPrefix('the handler answered 500')).not.toBe(errorPrefix('the handler answered 502'));
});

test('A prefix has at most 80 characters, never half of one, and reads as itself again', () => {
  for (const text of [
    'é'.repeat(500),
    '😀'.repeat(300),
    `${'x'.repeat(79)}😀😀`,
    `${'9'.repeat(399)}😀`,
    '\ud83d alone',
  ]) {
    const prefix = errorPrefix(text);
    expect([...prefix].length).toBeLessThanOrEqual(80);
    expect(prefix.isWellFormed()).toBe(true);
    expect(errorPrefix(prefix)).toBe(prefix);
  }
});

test('A long hostile text is read in no time', () => {
  const startedAt = performance.now();
  for (const piece of ['a1', '1.', 'f', '0f-', 'answered ', 'a'.repeat(50)]) errorPrefix(piece.repeat(100_000));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
