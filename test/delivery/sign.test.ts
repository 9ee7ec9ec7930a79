// Owns the proof that calls are signed as Standard Webhooks wants it, by the official package.
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signatureHeaders, signingKeys, webhookId } from '#service/delivery/sign.js';
import { handlerFor } from '../fixtures/jobs.ts';
import { megabyteJson, PAYLOADS } from '../fixtures/strings.ts';

const OLD = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(64, 2).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

function sign(body: string, fields: Parameters<typeof handlerFor>[1] = {}, now = Date.now()): Record<string, string> {
  const keys = signingKeys(handlerFor('t', { secret: NEW, ...fields }));
  const flat = signatureHeaders(keys, 'job-1', Buffer.from(body), now);
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? '']] : [])));
}

function verify(secret: string, body: string, headers: Record<string, string>): void {
  new Webhook(secret).verify(body, headers, { jsonParse: false });
}

describe('the signature', () => {
  it.each(Object.entries(PAYLOADS))('verifies with the official package over %s', (_, body) => {
    verify(NEW, body, sign(body));
  });

  it('verifies over a megabyte', () => {
    const body = megabyteJson();
    verify(NEW, body, sign(body));
  });

  it('does not verify with another secret, body, id or time', () => {
    const headers = sign('{"a":1}');
    expect(() => verify(OTHER, '{"a":1}', headers)).toThrow();
    expect(() => verify(NEW, '{"a":2}', headers)).toThrow();
    expect(() => verify(NEW, '{"a":1}', { ...headers, 'webhook-id': 'job-2' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => verify(NEW, '{"a":1}', { ...headers, 'webhook-timestamp': later })).toThrow();
  });

  it('is made with both secrets while one replaces the other', () => {
    const now = Date.now();
    const headers = sign('{}', { previousSecret: OLD, previousSecretUntil: now + 1 }, now);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    verify(NEW, '{}', headers);
    verify(OLD, '{}', headers);
  });

  it('leaves the old secret out once its time is over', () => {
    const now = Date.now();
    const headers = sign('{}', { previousSecret: OLD, previousSecretUntil: now }, now);
    verify(NEW, '{}', headers);
    expect(() => verify(OLD, '{}', headers)).toThrow();
  });

  it('names the job in round 1 and the round from then on', () => {
    expect(webhookId({ id: 'job-1', round: 1 })).toBe('job-1');
    expect(webhookId({ id: 'job-1', round: 2 })).toBe('job-1:r2');
  });
});
