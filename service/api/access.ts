// Owns who is let in: the caller behind the key of a request, and whether one of its scopes is among those the operation asks for.
import type { Request, RequestHandler, Response } from 'express';
import { ANYBODY, type Caller, hasAny, NOBODY, type Scope } from '../domain/access.ts';
import type { DocumentedOperation } from './contract.ts';
import type { Refusal } from './problem.ts';
import { sendProblem } from './reply.ts';

/** What the API asks of the API keys. */
export interface Keyring {
  /** True from the first key that was ever made, also when all are revoked. */
  readonly isRequired: boolean;
  /** Whose secret this is, or null when no key that still holds has it. */
  find(secret: string): Caller | null;
}

export const NO_KEYS: Keyring = { isRequired: false, find: () => null };

const BEARER = /^Bearer +(\S+) *$/i;

/** Everybody without keys; with keys the owner of the one that was sent, else nobody. */
export function callerBehind({ headers }: Request, keys: Keyring): Caller {
  if (!keys.isRequired) return ANYBODY;
  const [, secret] = BEARER.exec(headers.authorization ?? '') ?? [];
  return (secret !== undefined && keys.find(secret)) || NOBODY;
}

/** Stands before the body is read, so that strangers cannot make the service read one. */
export function authorize(operations: readonly DocumentedOperation[]): RequestHandler {
  const needs = new Map(operations.map(({ method, scopes }) => [method.toUpperCase(), scopes]));
  const isOpen = operations.every(({ scopes }) => scopes.length === 0);
  return (req, res, next) => {
    const needed = needs.get(req.method);
    const { caller } = res.locals;
    if (needed?.length === 0 || (needed === undefined && isOpen)) next();
    else if (caller === NOBODY) refuseNobody(req, res);
    else if (needed && !hasAny(caller, needed)) sendProblem(res, scopeRefusal(caller, needed));
    else next();
  };
}

function refuseNobody({ headers }: Request, res: Response): void {
  const isSent = headers.authorization !== undefined;
  const detail = isSent
    ? 'The API key in Authorization is not a valid one, or was revoked. `chokaq keys list` shows those that hold.'
    : 'Send an API key: Authorization: Bearer ck_…. `chokaq keys create` makes one.';
  const fault = { detail: isSent ? 'is not a key that holds' : 'is missing', header: 'authorization' };
  const challenge = `Bearer realm="chokaq"${isSent ? ', error="invalid_token"' : ''}`;
  sendProblem(res, { code: 'unauthorized', detail, faults: [fault], headers: { 'www-authenticate': challenge } });
}

function scopeRefusal({ name }: Caller, needed: readonly Scope[]): Refusal {
  const wanted = needed.join(' or ');
  const detail = `The API key ${name} lacks the scope ${wanted}. Use a key that has it.`;
  const challenge = `Bearer realm="chokaq", error="insufficient_scope", scope="${needed.join(' ')}"`;
  const fault = { detail: `lacks the scope ${wanted}`, header: 'authorization' };
  return { code: 'forbidden', detail, faults: [fault], headers: { 'www-authenticate': challenge } };
}
