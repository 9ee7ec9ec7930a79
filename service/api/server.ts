// Owns the HTTP server around the application: limits on slow, large and malformed requests, answered as problems too.
import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { v7 } from 'uuid';
import { problemOf, type Refusal } from './problem.ts';

const HEADERS_TIMEOUT_MS = 10_000;
/** How much later than its limit a connection may be closed; Node's own 30 s would let slow headers take 40. */
const LATENESS_MS = 1_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;
const MAX_CONNECTIONS = 10_000;

/** `headersTimeoutMs` instead of 10 s. */
export function createHttpServer(app: RequestListener, headersTimeoutMs = HEADERS_TIMEOUT_MS): Server {
  const options = {
    headersTimeout: headersTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: LATENESS_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    noDelay: true,
    // Its absence is refused as everything else is, by the application.
    requireHostHeader: false,
  };
  const server = createServer(options, app);
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', refuseBrokenRequest);
  // What else somebody expects may be passed over (RFC 9110, 10.1.1); Node would answer without a problem.
  server.on('checkExpectation', app);
  return server;
}

/** What never became a request: no application has seen it, and the connection cannot be used again. */
function refuseBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = v7();
  const problem = problemOf(refusalOf(error.code), '', requestId);
  const body = JSON.stringify(problem);
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'content-type: application/problem+json',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function refusalOf(code: string | undefined): Refusal {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return { code: 'headers-too-large', detail: `Send at most ${MAX_HEADER_BYTES} bytes of headers.`, faults: [] };
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return { code: 'request-timeout', detail: 'Send the request faster, or smaller.', faults: [] };
    default:
      return { code: 'malformed-request', detail: 'Send valid HTTP/1.1.', faults: [] };
  }
}
