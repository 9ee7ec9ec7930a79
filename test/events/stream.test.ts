// Owns the proof of what a reader of live events is sent when nothing happens, and when it is given up.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EventStream } from '#service/api/event-stream.js';
import { EventRing } from '#service/events/ring.js';
import { EventReader } from '../fixtures/event-reader.ts';

/** Generous, since it only says when to give up. */
const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000, interval: 5 });

let server: Server;
let ring: EventRing;
let stream: EventStream;
let reader: EventReader;
let isClosed = false;

/** Long, so that few of its events fill a connection. */
const WANTED = `wanted-${'x'.repeat(200)}`;

beforeEach(async () => {
  ring = new EventRing('boot', 50_000);
  server = createServer((_req, res) => {
    isClosed = false;
    res.setHeader('content-type', 'text/event-stream').once('close', () => {
      isClosed = true;
    });
    const filter = { type: WANTED };
    stream = new EventStream(res as unknown as Response, { log: ring, filter, lastId: undefined });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  reader = await EventReader.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
afterEach(() => {
  reader.close();
  server.closeAllConnections();
  server.close();
});

const add = (type: string) => ring.add({ kind: 'handler', at: 0, data: { type, change: 'replaced' } });

it('a ping tells how far the reader is, though its filter let nothing through', async () => {
  add('other.v1');
  add('other.v1');
  await new Promise(setImmediate);
  stream.ping();
  await eventually(() => reader.comments).toEqual(['ping']);
  expect({ lastId: reader.lastId, events: reader.events }).toEqual({ lastId: 'boot-2', events: [] });
});

it('a reader that takes nothing for three pings is given up, though it is not far behind', async () => {
  reader.pause();
  for (let n = 0; n < 40_000; n += 1) add(WANTED);
  await eventually(() => {
    stream.ping();
    return isClosed;
  }).toBe(true);
  expect([ring.oldest, reader.events.length < 40_000]).toEqual([1, true]);
});
