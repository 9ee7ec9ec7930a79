// Owns the proof of the SDK as a whole against a real service: a typed producer and a verified receiver, from registration to the end.
import type { createServer } from 'node:http';
import { ChokaQ, ChokaQError, defineJob, rawJson } from '@chokaq/sdk';
import { createProfile, FatalError, type JobContext, newSecret, ThrottledError } from '@chokaq/sdk/receiver';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { ServiceProcess } from '../process/fixture/service.ts';
import { World } from '../process/fixture/world.ts';
import { TestServer } from './fixture/server.ts';

const schema = z.object({ to: z.string(), mode: z.string().optional() });
const SendEmail = defineJob(['email.send.v2', 'email.send.v1'], { schema, queue: 'mail', maxAttempts: 3 });
const Raw = defineJob<unknown>('raw.v1');
const secret = newSecret();
const seen: { job: unknown; ctx: JobContext }[] = [];
const profile = createProfile('mailing')
  .use((job, ctx, next) => {
    seen.push({ job, ctx });
    return next();
  })
  .handle(
    SendEmail,
    async ({ to, mode }, { attempt, signal }) => {
      if (mode === 'fatal') throw new FatalError(`${to} is nobody`);
      if (mode === 'throttled' && attempt === 1) throw new ThrottledError({ retryAfter: '1s' });
      if (mode === 'flaky' && attempt === 1) throw new Error('out of luck');
      if (mode === 'slow') await new Promise(resolve => signal.addEventListener('abort', resolve));
      return { sentTo: to };
    },
    { timeout: '20s' },
  )
  .handle(Raw, () => undefined);

let world: World;
let service: ServiceProcess;
let server: TestServer;
let client: ChokaQ;

beforeAll(async () => {
  world = await World.create();
  service = await world.start({ CHOKAQ_STORAGE: 'memory' });
  server = await TestServer.listening(
    () => profile.nodeHandler({ secret }) as Parameters<typeof createServer>[1] & object,
  );
  client = new ChokaQ({ url: service.url });
  const registered = await profile.register(client, { url: server.url, secret });
  expect(registered.map(({ type }) => type)).toEqual(['email.send.v2', 'email.send.v1', 'raw.v1']);
}, 60_000);
afterAll(async () => {
  await server.stop();
  await world.end();
});

describe('With a real service', () => {
  test('a job goes all the way, typed, signed, verified; its result is kept', async () => {
    const { id, queue, maxAttempts } = await client.enqueue(SendEmail({ to: 'x' }));
    expect({ queue, maxAttempts }).toEqual({ queue: 'mail', maxAttempts: 3 });
    expect(await client.waitFor(id)).toMatchObject({ state: 'succeeded', lastResponseBody: '{"sentTo":"x"}' });
    expect(seen.at(-1)).toMatchObject({
      job: { to: 'x' },
      ctx: { jobId: id, type: 'email.send.v2', attempt: 1, queue: 'mail' },
    });
  });

  test('verdicts are understood: fatal, throttled, tried again', async () => {
    const { results } = await client.enqueueBatch(
      ['fatal', 'throttled', 'flaky'].map(mode => SendEmail({ to: 'x', mode })),
    );
    const jobs = await Promise.all(results.map(({ id }) => client.waitFor(id)));
    expect(jobs.map(({ state, failureReason, attempts }) => [state, failureReason, attempts])).toEqual([
      ['dead', 'FatalError', 1],
      ['succeeded', null, 2],
      ['succeeded', null, 2],
    ]);
    const outcomes = await client.jobs.attempts(results[1]?.id ?? '').all();
    expect(outcomes[0]?.outcome).toBe('throttled');
    expect(jobs[0]?.lastResponseBody).toBe('FatalError: x is nobody');
  });

  test('cancelling a running job aborts the signal of its handler', async () => {
    const { id } = await client.enqueue(SendEmail({ to: 'x', mode: 'slow' }));
    const running = await vi.waitFor(() => {
      const call = seen.find(({ ctx }) => ctx.jobId === id);
      expect(call).toBeDefined();
      return call;
    }, 10_000);
    await client.jobs.cancel(id);
    expect(await client.waitFor(id)).toMatchObject({ failureReason: 'Cancelled' });
    await vi.waitFor(() => expect(running?.ctx.signal.aborted).toBe(true));
  });

  test('A10 · exact text arrives as it is', async () => {
    const text = '{"n":9007199254740993, "f":1.0,"2":1,"1":-0,"e":1e400}';
    const { id } = await client.enqueue(Raw(rawJson(text)));
    await client.waitFor(id);
    expect(seen.find(({ ctx }) => ctx.jobId === id)?.ctx.text).toBe(text);
    expect((await client.jobs.read(id)).text).toContain(text);
  });

  test('the schema was registered: the service checks producers that do not', async () => {
    const error = await client.enqueue('email.send.v1', { to: 1 }).catch(reason => reason);
    expect(error).toBeInstanceOf(ChokaQError);
    expect(error).toMatchObject({
      status: 422,
      code: 'validation-failed',
      problem: { errors: [{ pointer: expect.stringContaining('#/payload') }] },
    });
  });
});
