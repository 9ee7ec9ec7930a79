// Owns the handler of P8: takes two seconds per call, and remembers how often each job came.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../program.ts';

/** `since`: epoch ms, to be told of the first call after it. `ids`: the jobs that should have come. */
export interface SlowWebhookRequest {
  readonly since?: number;
  readonly ids?: readonly string[];
}

export interface SlowWebhookAnswer {
  readonly inFlight: number;
  readonly calls: number;
  readonly distinct: number;
  readonly missing: number;
  /** Epoch ms. */
  readonly firstCallAt: number | null;
}

const SHORTEST_MS = 1_000;
const LONGEST_MS = 3_000;

const callsById = new Map<string, number>();
const callsAt: number[] = [];
let inFlight = 0;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const id = String(request.headers['chokaq-job-id']);
  callsById.set(id, (callsById.get(id) ?? 0) + 1);
  callsAt.push(Date.now());
  inFlight += 1;
  response.once('close', () => {
    inFlight -= 1;
  });
  request.resume();
  setTimeout(() => response.end('{"ok":true}'), SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
});

async function answer({ since, ids }: SlowWebhookRequest): Promise<SlowWebhookAnswer> {
  return {
    inFlight,
    calls: callsAt.length,
    distinct: callsById.size,
    missing: (ids ?? []).filter(id => !callsById.has(id)).length,
    firstCallAt: since === undefined ? null : (callsAt.find(at => at >= since) ?? null),
  };
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serve({ url: `http://127.0.0.1:${port}/hook` }, answer);
});
