// Owns signatures of calls: Standard Webhooks (https://www.standardwebhooks.com), scheme v1, with Web Crypto alone.

const TOLERANCE_S = 5 * 60;
const SCHEME = 'v1,';
const encoder = new TextEncoder();

export interface SignedCall {
  readonly id: string | null;
  readonly timestamp: string | null;
  /** Space-separated; several come while a secret is being changed. */
  readonly signatures: string | null;
  /** As received, before anything has read it. */
  readonly body: Uint8Array;
}

/** Verifies against one secret, or several while they are being changed. */
export class Verifier {
  readonly #keys: Promise<readonly CryptoKey[]>;

  /** `whsec_` and base64. Throws for anything else, so that a missing secret is noticed at start. */
  constructor(secret: string | readonly string[]) {
    const secrets = typeof secret === 'string' ? [secret] : secret;
    if (secrets.length === 0) throw new TypeError('secret must hold at least one secret');
    const bytes = secrets.map(secretBytes);
    this.#keys = Promise.all(bytes.map(each => hmacKey(each, ['verify'])));
  }

  /** True when one of the secrets signed exactly these bytes within five minutes of `now` (ms). */
  async isSigned({ id, timestamp, signatures, body }: SignedCall, now = Date.now()): Promise<boolean> {
    if (id === null || timestamp === null || signatures === null || !/^\d{1,12}$/.test(timestamp)) return false;
    if (Math.abs(now / 1_000 - Number(timestamp)) > TOLERANCE_S) return false;
    const signed = signedBytes(id, timestamp, body);
    const given = signatures
      .split(' ')
      .flatMap(text => (text.startsWith(SCHEME) ? (decoded(text.slice(3)) ?? []) : []));
    const checks = (await this.#keys).flatMap(key =>
      // `verify` compares in constant time.
      given.map(signature => crypto.subtle.verify('HMAC', key, signature, signed)),
    );
    return (await Promise.all(checks)).some(Boolean);
  }
}

/** The three headers of a call that is signed with the secret at `now` (ms). */
export async function signatureHeaders(secret: string, id: string, body: Uint8Array, now = Date.now()) {
  const timestamp = String(Math.floor(now / 1_000));
  const key = await hmacKey(secretBytes(secret), ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, signedBytes(id, timestamp, body));
  const text = SCHEME + btoa(String.fromCharCode(...new Uint8Array(signature)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': text };
}

/** A fresh secret for a handler. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === 'string' && secret.startsWith('whsec_') ? decoded(secret.slice(6)) : null;
  // The value itself must not end up in a log.
  if (!bytes || bytes.length < 24)
    throw new TypeError('secret must be whsec_ and the base64 of at least 24 bytes, as newSecret() makes one');
  return bytes;
}

function hmacKey(bytes: Uint8Array<ArrayBuffer>, usages: ('sign' | 'verify')[]): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, usages);
}

function signedBytes(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  return signed;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), character => character.charCodeAt(0));
  } catch {
    return null;
  }
}
