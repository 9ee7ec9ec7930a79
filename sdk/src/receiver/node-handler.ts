// Owns the receiver for Express and plain `node:http`, described by shape so that the package needs no types of Node.js.
import { type Answer, answerTo, CUT_OFF, DEFAULT_BODY_BYTES, TOO_LARGE } from './answer.ts';
import { joined } from './fetch-handler.ts';
import type { Profile, ReceiverOptions } from './profile.ts';
import { Verifier } from './signature.ts';

/** As much of `IncomingMessage` as is used. */
export interface NodeRequest extends AsyncIterable<Uint8Array> {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly readableEnded?: boolean;
}

/** As much of `ServerResponse` as is used. */
export interface NodeResponse {
  readonly writableEnded: boolean;
  once(event: 'close', listener: () => void): unknown;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body?: string): unknown;
}

export type NodeHandler = (request: NodeRequest, response: NodeResponse) => Promise<void>;

const WAS_READ: Answer = {
  status: 500,
  body: 'The body was parsed before the ChokaQ receiver: signatures are over its raw bytes. Mount the receiver before express.json().',
};

export function nodeHandler(profile: Profile, options: ReceiverOptions): NodeHandler {
  const { secret, maxBodyBytes = DEFAULT_BODY_BYTES, onError } = options;
  const verifier = new Verifier(secret);
  return async (request, response) => {
    const hangUp = new AbortController();
    response.once('close', () => {
      if (!response.writableEnded) hangUp.abort(new DOMException('The caller hung up.', 'AbortError'));
    });
    if (request.method !== 'POST') return send(response, { status: 405, headers: { allow: 'POST' } });
    // A rejection would end a process that does not expect one from a listener.
    const body = await bytesOf(request, maxBodyBytes).catch(() => CUT_OFF);
    if (!(body instanceof Uint8Array)) return send(response, body);
    const header = (name: string) => [request.headers[name] ?? []].flat().join(', ') || null;
    send(response, await answerTo({ header, body, signal: hangUp.signal }, { profile, verifier, onError }));
  };
}

/** The raw bytes, also as `express.raw()` leaves them, or the answer when they cannot be had. */
async function bytesOf(request: NodeRequest & { readonly body?: unknown }, most: number): Promise<Uint8Array | Answer> {
  if (request.body instanceof Uint8Array) return request.body.length > most ? TOO_LARGE : request.body;
  if (request.readableEnded) return WAS_READ;
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request) {
    length += part.length;
    if (length > most) return TOO_LARGE;
    parts.push(part);
  }
  return joined(parts, length);
}

function send(response: NodeResponse, { status, headers = {}, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers });
  response.end(body);
}
