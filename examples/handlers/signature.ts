// Owns the check that a call really comes from ChokaQ: a Standard Webhooks signature, verified with Node.js alone.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const TOLERANCE_S = 5 * 60;

/** True when the secret signed exactly these bytes within the last five minutes; `secret` is `whsec_` + base64. */
export function isSigned(secret: string, headers: IncomingHttpHeaders, body: Buffer): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature'];
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  const isFresh = Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE_S;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  // Several signatures come while a secret is being changed: the new one's and the old one's.
  return isFresh && signatures.split(' ').some(candidate => isEqual(candidate, `v1,${signature}`));
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
