// Owns the receiver for runtimes and frameworks that speak `Request` and `Response`.
import { type Answer, answerTo, CUT_OFF, DEFAULT_BODY_BYTES, TOO_LARGE } from './answer.ts';
import type { Profile, ReceiverOptions } from './profile.ts';
import { Verifier } from './signature.ts';

export type FetchHandler = (request: Request) => Promise<Response>;

export function fetchHandler(profile: Profile, options: ReceiverOptions): FetchHandler {
  const { secret, maxBodyBytes = DEFAULT_BODY_BYTES, onError } = options;
  const verifier = new Verifier(secret);
  return async request => {
    if (request.method !== 'POST') return responseOf({ status: 405, headers: { allow: 'POST' } });
    if (request.bodyUsed) {
      throw new Error(
        'The body was read before the ChokaQ receiver: signatures are over its raw bytes. Mount it first.',
      );
    }
    const body = await bytesOf(request, maxBodyBytes).catch(() => CUT_OFF);
    if (!(body instanceof Uint8Array)) return responseOf(body ?? TOO_LARGE);
    const call = { header: (name: string) => request.headers.get(name), body, signal: request.signal };
    return responseOf(await answerTo(call, { profile, verifier, onError }));
  };
}

/** Null when there are more than allowed. */
async function bytesOf(request: Request, most: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (Number(request.headers.get('content-length') ?? 0) > most) return null;
  const reader = request.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    length += part.value.length;
    if (length > most) {
      await reader?.cancel();
      return null;
    }
    parts.push(part.value);
  }
  return joined(parts, length);
}

export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function responseOf({ status, headers = {}, body }: Answer): Response {
  return new Response(body ?? null, { status, headers });
}
