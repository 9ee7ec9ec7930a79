// Owns what happens at the edge of the contract: what is not HTTP gets a problem, the bare address leads to the docs.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from './fixture/api.ts';

let api: Api;
beforeAll(async () => {
  api = await Api.start();
});
afterAll(() => api.close());

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400],
  ['too many headers', `GET /livez HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
])('A request with %s gets a problem, too', async (_, bytes, status) => {
  const text = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(api.port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', chunk => {
      received += chunk;
    });
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
  expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(JSON.parse(text.split('\r\n\r\n')[1] ?? '')).toMatchObject({ status, requestId: expect.any(String) });
});

test('A browser that opens the service is sent to the page that shows what it is', async () => {
  const answer = await fetch(`http://127.0.0.1:${api.port}/`, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('/docs');
  const page = await fetch(`http://127.0.0.1:${api.port}/`);
  expect(await page.text()).toContain('swagger');
});
