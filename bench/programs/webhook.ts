// Owns the trivial handler: reads the body, answers 200, and tells when the first and the last of the expected calls arrived.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../program.ts';

/** Count anew, or answer once `calls` have arrived. */
export type WebhookRequest = { readonly reset: true } | { readonly calls: number };

export interface WebhookCount {
  readonly calls: number;
  /** From the first call to the last. */
  readonly seconds: number;
  /** The most connections that were open at once. */
  readonly connections: number;
}

let calls = 0;
let open = 0;
let mostOpen = 0;
let firstAt = 0;
let lastAt = 0;
let expected = Number.POSITIVE_INFINITY;
let onExpected: () => void = () => undefined;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  request.resume();
  request.on('end', () => {
    lastAt = performance.now();
    if (calls++ === 0) firstAt = lastAt;
    response.end('{"ok":true}');
    if (calls >= expected) onExpected();
  });
});

server.on('connection', socket => {
  mostOpen = Math.max(mostOpen, ++open);
  socket.once('close', () => {
    open -= 1;
  });
});

async function answer(request: WebhookRequest): Promise<WebhookCount> {
  if ('reset' in request) {
    calls = 0;
    mostOpen = open;
  } else if (calls < request.calls) {
    expected = request.calls;
    await new Promise<void>(resolve => {
      onExpected = resolve;
    });
    expected = Number.POSITIVE_INFINITY;
  }
  return { calls, seconds: (lastAt - firstAt) / 1_000, connections: mostOpen };
}

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serve({ url: `http://127.0.0.1:${port}/hook` }, answer);
});
