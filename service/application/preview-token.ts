// Owns the token of a preview: what was shown, signed, so that it can be executed on any node and by nobody who has not seen it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { BulkAction } from '../domain/bulk.ts';
import type { DeadSet } from '../ports/operations.ts';

/** What an execution needs to know of a preview. The id makes sure that it happens once. */
export interface Preview extends DeadSet {
  readonly id: string;
  readonly action: BulkAction;
  readonly needsAcknowledgement: boolean;
  /** By the database's clock, epoch ms. */
  readonly expiresAt: number;
}

export function writeToken(preview: Preview, secret: string): string {
  const content = Buffer.from(JSON.stringify(preview)).toString('base64url');
  return `${content}.${signatureOf(content, secret).toString('base64url')}`;
}

/** Null when it was not signed with this secret. */
export function readToken(token: string, secret: string): Preview | null {
  const [content = '', signature = '', ...more] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(content, secret);
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  return JSON.parse(Buffer.from(content, 'base64url').toString()) as Preview;
}

function signatureOf(content: string, secret: string): Buffer {
  return createHmac('sha256', secret).update(content).digest();
}
