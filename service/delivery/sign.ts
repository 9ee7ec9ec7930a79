// Owns the signature of a call: Standard Webhooks (https://www.standardwebhooks.com), scheme v1.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { Handler } from '../domain/handler.ts';

const PREFIX = 'whsec_';

/** The decoded keys of one handler; the previous one signs too while it is valid. */
export interface SigningKeys {
  readonly key: KeyObject;
  readonly previous: { readonly key: KeyObject; readonly until: number } | null;
}

export function signingKeys({ secret, previousSecret, previousSecretUntil }: Handler): SigningKeys {
  const isRotating = previousSecret !== null && previousSecretUntil !== null;
  const previous = isRotating ? { key: decode(previousSecret), until: previousSecretUntil } : null;
  return { key: decode(secret), previous };
}

function decode(secret: string): KeyObject {
  return createSecretKey(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
}

/** A resurrected job is a new message: a receiver that deduplicates by `webhook-id` must not drop it. */
export function webhookId(job: { readonly id: string; readonly round: number }): string {
  return job.round === 1 ? job.id : `${job.id}:r${job.round}`;
}

/** The three headers, as name-value pairs in one flat list. `now` in epoch ms; the header has whole seconds. */
export function signatureHeaders(keys: SigningKeys, id: string, body: Uint8Array, now: number): string[] {
  const timestamp = String(Math.floor(now / 1_000));
  const signed = `${id}.${timestamp}.`;
  let signature = sign(keys.key, signed, body);
  if (keys.previous && now < keys.previous.until) signature += ` ${sign(keys.previous.key, signed, body)}`;
  return ['webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', signature];
}

function sign(key: KeyObject, signed: string, body: Uint8Array): string {
  return `v1,${createHmac('sha256', key).update(signed).update(body).digest('base64')}`;
}
