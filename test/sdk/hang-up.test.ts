// Owns the proof that a receiver outlives callers that hang up, and reporters that throw.
import { connect } from 'node:net';
import { defineJob } from '@chokaq/sdk';
import { createProfile, newSecret } from '@chokaq/sdk/receiver';
import { signedRequest } from '@chokaq/sdk/testing';
import { expect, test } from 'vitest';
import { TestServer } from './fixture/server.ts';

const secret = newSecret();
const profile = createProfile('p').handle(defineJob<null>('a.v1'), () => undefined);

test('a caller that hangs up within its body ends nothing but its call', async () => {
  const settled: Promise<unknown>[] = [];
  const receive = profile.nodeHandler({ secret });
  const server = await TestServer.listening(() => (request, response) => void settled.push(receive(request, response)));
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf');
  await expect.poll(() => settled.length).toBe(1);
  socket.destroy();
  expect(await settled[0]).toBeUndefined();
  await server.stop();
});

test('a reporter that throws changes no verdict', async () => {
  const onError = () => {
    throw new Error('the log is full');
  };
  const receive = profile.fetchHandler({ secret, onError });
  expect((await receive(await signedRequest('a.v1', null, { secret: newSecret() }))).status).toBe(401);
});
