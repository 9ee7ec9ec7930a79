// Owns which pages of other origins may call the API from a browser: those that are named, with a key and never with cookies.
import cors from 'cors';
import type { RequestHandler } from 'express';

const READABLE = [
  'etag',
  'location',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'www-authenticate',
  'x-request-id',
];
const SENDABLE = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
  'last-event-id',
  'traceparent',
  'tracestate',
  'x-request-id',
];
const PREFLIGHT_HOLDS_S = 600;

/** Exact origins; without any nothing is said, which browsers take for no. */
export function crossOrigin(origins: readonly string[]): RequestHandler {
  if (origins.length === 0) return (_req, _res, next) => next();
  const answer = cors({
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: SENDABLE,
    exposedHeaders: READABLE,
    maxAge: PREFLIGHT_HOLDS_S,
  });
  return (req, res, next) => {
    // Also when the library has no reason to: the answer depends on the origin, whatever it was.
    res.vary('origin');
    const isPreflight = req.headers['access-control-request-method'] !== undefined;
    if (req.method === 'OPTIONS' && !isPreflight) next();
    else answer(req, res, next);
  };
}
