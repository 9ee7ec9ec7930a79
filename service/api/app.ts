// Owns the HTTP application: the way of every request from admission through the contract to its operation, and of every error out.
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express';
import helmet from 'helmet';
import { admit } from './admission.ts';
import { bodyRefusal, readBody } from './body.ts';
import { Contract, contractRefusal } from './contract.ts';
import { docsPages } from './docs.ts';
import type { ApiParts, Operations } from './operation.ts';
import { domainRefusal, type Refusal } from './problem.ts';
import { sendProblem } from './reply.ts';
import { dlqOperations } from './routes/dlq.ts';
import { handlerOperations } from './routes/handlers.ts';
import { jobOperations } from './routes/jobs.ts';
import { queueOperations } from './routes/queues.ts';
import { serviceOperations } from './routes/service.ts';

export function createApp(parts: ApiParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  const contract = new Contract();
  app.use(securityHeaders(), admit(parts.loopbackOnly));
  app.use(docsPages());
  mount(app, contract, operationsOf(parts, contract));
  app.use((_req: Request, res: Response) => sendProblem(res, NOTHING_HERE));
  app.use(answerError(parts));
  return app;
}

const NOTHING_HERE: Refusal = {
  code: 'not-found',
  detail:
    'There is nothing at this address. /docs lists all addresses; they are case-sensitive and have no slash at the end.',
  faults: [],
};

/** Answers of the API are data: nothing in them may ever run, and nobody may frame or keep them. */
function securityHeaders(): express.RequestHandler {
  const policy = { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } };
  return helmet({ contentSecurityPolicy: policy, strictTransportSecurity: false });
}

function operationsOf(parts: ApiParts, contract: Contract): Operations {
  return {
    ...jobOperations(parts),
    ...dlqOperations(parts),
    ...queueOperations(parts),
    ...handlerOperations(parts),
    ...serviceOperations(parts, contract),
    // `docsPages` has answered this one, unless the method was wrong: then the contract has refused it.
    getDocs: (_req, res) => sendProblem(res, NOTHING_HERE),
  };
}

function mount(app: Express, contract: Contract, operations: Operations): void {
  for (const { route, check, operations: documented } of contract.paths()) {
    app.all(route, ...readBody, ...check);
    for (const { id, method } of documented) {
      const operation = operations[id];
      if (operation === undefined) throw new Error(`openapi.yaml names the operation ${id}, which nothing serves`);
      app[method](route, operation);
    }
  }
}

function answerError({ onBug }: ApiParts): ErrorRequestHandler {
  return (error: unknown, req, res, _next) => {
    const refusal = domainRefusal(error) ?? contractRefusal(error) ?? bodyRefusal(error) ?? routingRefusal(error);
    if (refusal === undefined) onBug(error, { method: req.method, path: req.path, requestId: res.locals.requestId });
    if (res.headersSent) return res.destroy();
    sendProblem(res, refusal ?? BUG);
  };
}

const BUG: Refusal = {
  code: 'internal-error',
  detail: 'Report it with the request id; the log has the cause. Sending the request again may help.',
  faults: [],
};

/** The router itself refuses a path that cannot be decoded. */
function routingRefusal(error: unknown): Refusal | undefined {
  if (!(error instanceof URIError)) return undefined;
  const fault = { detail: 'has a broken percent-encoding', parameter: 'path' };
  return { code: 'malformed-request', detail: 'Encode the path as UTF-8 in percent-encoding.', faults: [fault] };
}
