// Owns who is let in: the caller behind the key of a request, its rate limit, and whether one of its scopes is among those the operation asks for.
import type { Request, RequestHandler, Response } from 'express';
import type { Audit } from '../application/audit.ts';
import type { KeyHolder } from '../application/key-ring.ts';
import { ANYBODY, type Caller, hasAny, NOBODY, type Scope } from '../domain/access.ts';
import { type RateLimit, RateWindows } from '../domain/rate-limit.ts';
import { ACTIONS } from './audited.ts';
import type { DocumentedOperation } from './contract.ts';
import type { Refusal } from './problem.ts';
import { sendProblem } from './reply.ts';

/** What the API asks of the API keys. */
export interface Keyring {
  /** True from the first key that was ever made, also when all are revoked. */
  readonly isRequired: boolean;
  /** Whose secret this is, or null when no key that still holds has it. */
  find(secret: string): KeyHolder | null;
  /** Whether the caller would still be let in; for answers that go on for long. */
  holds(caller: Caller): boolean;
}

interface Gate {
  readonly audit: Pick<Audit, 'countRefusal'>;
  /** Operations that need no key although openapi.yaml names a scope. */
  readonly openOperations: readonly string[];
}

const BEARER = /^Bearer +(\S+) *$/i;

/** Everybody without keys; with keys the owner of the one that was sent, else nobody. */
export function callerBehind({ headers }: Request, keys: Keyring): Caller {
  if (!keys.isRequired) return ANYBODY;
  const [, secret] = BEARER.exec(headers.authorization ?? '') ?? [];
  return (secret !== undefined && keys.find(secret)) || NOBODY;
}

export class Gatekeeper {
  readonly #gate: Gate;
  readonly #windows = new RateWindows();

  constructor(gate: Gate) {
    this.#gate = gate;
  }

  /** Stands before the body is read, so that strangers cannot make the service read one. */
  guard(path: string, operations: readonly DocumentedOperation[]): RequestHandler {
    const byMethod = new Map(operations.map(operation => [operation.method.toUpperCase(), operation]));
    const isOpen = operations.every(operation => this.#isOpen(operation));
    return (req, res, next) => {
      const operation = byMethod.get(req.method);
      const { caller } = res.locals;
      if (operation === undefined ? isOpen : this.#isOpen(operation)) next();
      else if (caller === NOBODY) refuseNobody(req, res);
      else if (!this.#isInTime(caller, res)) return;
      else if (operation && !hasAny(caller, operation.scopes)) this.#refuse(operation, path, req, res);
      else next();
    };
  }

  #isOpen({ id, scopes }: DocumentedOperation): boolean {
    return scopes.length === 0 || this.#gate.openOperations.includes(id);
  }

  /** Counts the request against the key's limit; a refusal is answered here. */
  #isInTime({ keyId, name, rateLimit }: Caller, res: Response): boolean {
    if (keyId === null || rateLimit === null) return true;
    const { isAllowed, left, resetMs } = this.#windows.take(keyId, rateLimit, performance.now());
    const resetSeconds = Math.ceil(resetMs / 1_000);
    for (const [header, value] of rateHeaders(rateLimit, left, resetSeconds)) res.setHeader(header, value);
    if (isAllowed) return true;
    const detail = `The API key ${name} may make ${rateLimit.requests} requests in ${rateLimit.perMs / 1_000} s. Ask again after Retry-After seconds.`;
    sendProblem(res, { code: 'rate-limited', detail, faults: [], headers: { 'retry-after': String(resetSeconds) } });
    return false;
  }

  #refuse({ id, method, scopes }: DocumentedOperation, path: string, req: Request, res: Response): void {
    const { caller } = res.locals;
    const { keyId } = caller;
    const route = `${method.toUpperCase()} ${path}`;
    const facts = { action: ACTIONS[id] ?? 'access', route, needed: scopes, address: req.ip ?? null };
    if (keyId !== null) this.#gate.audit.countRefusal({ caller: { ...caller, keyId }, ...facts });
    sendProblem(res, scopeRefusal(caller, scopes));
  }
}

/** As draft-ietf-httpapi-ratelimit-headers writes them. */
function rateHeaders({ requests, perMs }: RateLimit, left: number, resetSeconds: number): [string, string][] {
  return [
    ['ratelimit-policy', `"key";q=${requests};w=${Math.ceil(perMs / 1_000)}`],
    ['ratelimit', `"key";r=${left};t=${resetSeconds}`],
  ];
}

function refuseNobody({ headers }: Request, res: Response): void {
  const { detail, fault } = whatIsWrong(headers.authorization);
  const challenge = `Bearer realm="chokaq"${headers.authorization === undefined ? '' : ', error="invalid_token"'}`;
  const faults = [{ detail: fault, header: 'authorization' }];
  sendProblem(res, { code: 'unauthorized', detail, faults, headers: { 'www-authenticate': challenge } });
}

function whatIsWrong(authorization: string | undefined): { readonly detail: string; readonly fault: string } {
  if (authorization !== undefined && BEARER.test(authorization)) {
    const detail = 'The API key is not a valid one, or was revoked. `chokaq keys list` shows those that hold.';
    return { detail, fault: 'is not a key that holds' };
  }
  const detail = 'Send an API key: Authorization: Bearer ck_…. `chokaq keys create` makes one.';
  return { detail, fault: authorization === undefined ? 'is missing' : 'is not Bearer and a key' };
}

function scopeRefusal({ name }: Caller, needed: readonly Scope[]): Refusal {
  const wanted = needed.join(' or ');
  const detail = `The API key ${name} lacks the scope ${wanted}. Use a key that has it.`;
  const challenge = `Bearer realm="chokaq", error="insufficient_scope", scope="${needed.join(' ')}"`;
  const fault = { detail: `lacks the scope ${wanted}`, header: 'authorization' };
  return { code: 'forbidden', detail, faults: [fault], headers: { 'www-authenticate': challenge } };
}
