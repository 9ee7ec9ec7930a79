// Owns what happens first to every request: its id, the headers of every answer, HEAD as GET, and who may speak to a service that has no API keys.
import type { Request, RequestHandler, Response } from 'express';
import { v7 } from 'uuid';
import type { Caller } from '../domain/access.ts';
import { DomainError } from '../domain/errors.ts';
import { callerBehind, type Keyring } from './access.ts';
import type { AuditNote } from './audited.ts';

declare global {
  namespace Express {
    interface Locals {
      requestId: string;
      /** Only the headers are asked for. */
      isHead: boolean;
      /** The path of the contract that was asked for. */
      route?: string;
      /** Who asks. */
      caller: Caller;
      auditNote?: AuditNote;
      /** To be called, once, when the answer is known; what it does comes before the answer. Never rejects. */
      conclude?: (outcome: string | null) => Promise<void>;
      /** The exact bytes of each payload in the body, by JSON pointer. */
      payloads: ReadonlyMap<string, Uint8Array>;
    }
  }
}

/** Answers of the API are data: nothing in them may ever run or be guessed at, and nobody may frame or keep them. */
const HEADERS = Object.entries({
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
});
const REQUEST_ID = /^[\w.:-]{1,64}$/;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

export interface Admission {
  readonly keys: Keyring;
  /** Without API keys only callers on this machine are answered, so pages from elsewhere must not reach it. */
  readonly loopbackOnly: boolean;
  /** Pages of these origins may call. */
  readonly corsOrigins: readonly string[];
}

export function admit({ keys, loopbackOnly, corsOrigins }: Admission): RequestHandler {
  return (req, res, next) => {
    greet(req, res);
    if (req.headers.host === undefined && req.httpVersion === '1.1') throw hostMissing();
    res.locals.caller = callerBehind(req, keys);
    if (loopbackOnly && !keys.isRequired) checkLocal(req, corsOrigins);
    next();
  };
}

function hostMissing(): DomainError {
  return new DomainError('malformed-request', 'Send valid HTTP/1.1.', [{ detail: 'is missing', header: 'host' }]);
}

/** What every request gets, whoever sent it. */
export function greet(req: Request, res: Response): void {
  for (const [name, value] of HEADERS) res.setHeader(name, value);
  identify(req, res);
  // Node keeps the body of an answer to HEAD back by itself.
  res.locals.isHead = req.method === 'HEAD';
  if (res.locals.isHead) req.method = 'GET';
}

function identify(req: Request, res: Response): void {
  const given = req.headers['x-request-id'];
  const requestId = typeof given === 'string' && REQUEST_ID.test(given) ? given : v7();
  res.locals.requestId = requestId;
  res.setHeader('x-request-id', requestId);
}

/** A name that resolves to loopback (DNS rebinding) and a foreign page in the user's own browser are both turned away. */
function checkLocal(req: Request, corsOrigins: readonly string[]): void {
  const { host, origin } = req.headers;
  if (host === undefined || !LOOPBACK_HOST.test(host)) {
    const fault = { detail: 'must be localhost, 127.0.0.1 or [::1]', header: 'host' };
    throw new DomainError('forbidden', 'Without API keys this service answers only to loopback names.', [fault]);
  }
  if (origin !== undefined && origin !== `http://${host}` && !corsOrigins.includes(origin)) {
    const fault = { detail: 'is a foreign origin', header: 'origin' };
    throw new DomainError('forbidden', 'Without API keys this service answers only pages of its own origin.', [fault]);
  }
}
