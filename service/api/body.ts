// Owns request bodies: read whole under one limit, JSON in UTF-8 only, and split into what is read and the payloads that are not.
import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { DomainError } from '../domain/errors.ts';
import { LIMITS } from '../domain/job.ts';
import type { DocumentedOperation } from './contract.ts';
import { readEnvelope } from './envelope.ts';
import { domainRefusal, type Refusal } from './problem.ts';

const JSON_TYPE = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;
const NO_PAYLOADS: ReadonlyMap<string, Uint8Array> = new Map();

/** The whole body as bytes in `req.body`, or undefined when there is none; then as the parsed envelope. */
export const readBody: readonly RequestHandler[] = [
  checkHeaders,
  express.raw({ type: () => true, limit: LIMITS.batchBytes, inflate: false }),
  parseBody,
];

/** Leaves the one spelling of the content type that the validator knows: it keeps a compiled schema for each it has seen. */
function checkHeaders(req: Request, _res: Response, next: NextFunction): void {
  // The reader would wait for all of it before it says so.
  if (Number(req.headers['content-length']) > LIMITS.batchBytes) throw tooLarge();
  const type = req.headers['content-type'];
  if (!hasBody(req)) delete req.headers['content-type'];
  else if (type === undefined || !JSON_TYPE.test(type))
    throw unsupported('is not application/json in UTF-8', 'content-type');
  else req.headers['content-type'] = 'application/json';
  next();
}

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || (req.headers['content-length'] ?? '0') !== '0';
}

function parseBody(req: Request, res: Response, next: NextFunction): void {
  const raw: unknown = req.body;
  if (raw instanceof Uint8Array && raw.length > 0) {
    const { body, payloads } = readEnvelope(raw);
    req.body = body;
    res.locals.payloads = payloads;
  } else {
    req.body = undefined;
    res.locals.payloads = NO_PAYLOADS;
  }
  next();
}

/** Whoever sends members to an operation that reads none means something by them; `{}` is what clients send for nothing. */
export function refuseStrayBody(operations: readonly DocumentedOperation[]): RequestHandler {
  const bodiless = new Set(operations.filter(({ takesBody }) => !takesBody).map(({ method }) => method.toUpperCase()));
  return ({ method, body }: Request, _res, next) => {
    if (method !== 'GET' && bodiless.has(method) && body !== undefined && !isEmptyObject(body)) {
      const fault = { detail: 'must be absent', pointer: '#' };
      throw new DomainError('malformed-request', 'This operation takes no body. Send it without one.', [fault]);
    }
    next();
  };
}

function isEmptyObject(body: unknown): boolean {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}

function tooLarge(): DomainError {
  const fault = { detail: `has more than ${LIMITS.batchBytes} bytes`, pointer: '#' };
  return new DomainError('payload-too-large', 'Split the batch, or keep large content elsewhere.', [fault]);
}

function unsupported(detail: string, header: string): DomainError {
  return new DomainError(
    'unsupported-media-type',
    'Send JSON in UTF-8, uncompressed, with the header content-type: application/json.',
    [{ detail, header }],
  );
}

/** What the reader of bodies says in its `type`; undefined when the error is not one of its own. */
export function bodyRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof Error) || !('type' in error)) return undefined;
  switch (error.type) {
    case 'entity.too.large':
      return domainRefusal(tooLarge());
    case 'encoding.unsupported': {
      const fault = { detail: 'is not supported', header: 'content-encoding' };
      return { code: 'unsupported-media-type', detail: 'Send the body uncompressed.', faults: [fault] };
    }
    case 'request.aborted':
    case 'request.size.invalid':
      return { code: 'malformed-request', detail: 'The body ended before its announced length.', faults: [] };
    default:
      return undefined;
  }
}
