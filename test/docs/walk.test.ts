// Owns the proof that the walk in the README works as it is printed there: pasted into a shell, against a real service.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { World } from '../process/fixture/world.ts';
import { page } from './fixture/page.ts';
import { freePort, runShell } from './fixture/shell.ts';

let world: World;
let service: ServiceProcess;

beforeAll(async () => {
  world = await World.create();
  service = await world.start();
}, 60_000);
afterAll(() => world.end());

test('the walk registers, posts, retries, dies, resurrects and succeeds', async () => {
  const blocks = page('README.md')
    .blocksIn('sh')
    .filter(({ under }) => under === 'A walk with curl');
  const script = blocks.map(({ text }) => text).join('\n');
  const ports = { service: Number(new URL(service.url).port), handler: await freePort() };
  const lines = (await runShell(script, ports)).split('\n');
  const [handler, posted, dead, attempts, listed, shown, resurrected, succeeded, ...more] = lines
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
  expect(more).toEqual([]);
  expect(handler).toMatchObject({ type: 'email.send.v1', maxAttempts: 2, secret: expect.stringMatching(/^whsec_/) });
  expect(posted).toMatchObject({ id: 'welcome-42', duplicate: false });
  expect(dead).toMatchObject({ state: 'dead', attempts: 2, failureReason: 'MaxRetriesExceeded' });
  const [first, second, ...others] = attempts.items;
  expect([first.outcome, second.outcome, others]).toEqual(['retryable', 'retryable', []]);
  expect(Date.parse(second.startedAt) - Date.parse(first.finishedAt)).toBeGreaterThanOrEqual(2_000);
  expect(listed.items.map((job: { id: string }) => job.id)).toEqual(['welcome-42']);
  expect(shown).toMatchObject({
    failureReason: 'MaxRetriesExceeded',
    advice: expect.any(String),
    payload: { to: 'user@example.com' },
  });
  expect(resurrected).toMatchObject({ id: 'welcome-42', round: 2, attempts: 0 });
  // One attempt, or two on a machine so busy that the handler is not up yet after a second.
  expect(succeeded).toMatchObject({ state: 'succeeded', round: 2 });
  expect(lines.some(line => line.includes('sending to user@example.com'))).toBe(true);
}, 60_000);
