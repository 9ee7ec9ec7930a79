// Owns the HTTP application: the way of every request from admission through the contract to its operation, and of every error out.
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type Response,
} from 'express';
import { DomainError } from '../domain/errors.ts';
import { Gatekeeper } from './access.ts';
import { admit } from './admission.ts';
import { ACTIONS, auditTrail } from './audited.ts';
import { bodyRefusal, readBody, refuseStrayBody } from './body.ts';
import { Contract, contractRefusal } from './contract.ts';
import { crossOrigin } from './cross-origin.ts';
import { docsFiles, docsPage } from './docs.ts';
import type { ApiParts, Operations } from './operation.ts';
import { domainRefusal, type Refusal } from './problem.ts';
import { sendProblem } from './reply.ts';
import { auditOperations } from './routes/audit.ts';
import { bulkOperations } from './routes/bulk.ts';
import { circuitOperations } from './routes/circuits.ts';
import { controlOperations } from './routes/control.ts';
import { dlqOperations } from './routes/dlq.ts';
import { eventOperations } from './routes/events.ts';
import { handlerOperations } from './routes/handlers.ts';
import { jobOperations } from './routes/jobs.ts';
import { nodeOperations } from './routes/nodes.ts';
import { longOperations } from './routes/operations.ts';
import { queueOperations } from './routes/queues.ts';
import { serviceOperations } from './routes/service.ts';
import { settingOperations } from './routes/settings.ts';
import { statsOperations } from './routes/stats.ts';

/** The path of the contract that a request was for, as openapi.yaml writes it; undefined for all other addresses. */
export function routeOf(res: object): string | undefined {
  return (res as Partial<Response>).locals?.route;
}

export function createApp(parts: ApiParts): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');
  app.set('trust proxy', parts.trustProxy);
  const contract = new Contract();
  app.use(admit(parts));
  app.use(crossOrigin(parts.corsOrigins));
  app.use(checkQuery);
  mount(app, contract, operationsOf(parts, contract), parts);
  app.use(docsFiles());
  app.use((_req: Request, res: Response) => sendProblem(res, NOTHING_HERE));
  app.use(answerError(parts));
  return app;
}

/** The parser of queries puts U+FFFD for what it cannot decode; a list would then be filtered by what nobody asked for. */
function checkQuery({ url }: Request, _res: Response, next: NextFunction): void {
  const start = url.indexOf('?');
  try {
    if (start !== -1) decodeURIComponent(url.slice(start));
  } catch {
    const fault = { detail: 'has a broken percent-encoding', parameter: 'query' };
    throw new DomainError('malformed-request', 'Encode the query as UTF-8 in percent-encoding, and % itself as %25.', [
      fault,
    ]);
  }
  next();
}

const NOTHING_HERE: Refusal = {
  code: 'not-found',
  detail:
    'There is nothing at this address. /docs lists all addresses; they are case-sensitive and have no slash at the end.',
  faults: [],
};

function operationsOf(parts: ApiParts, contract: Contract): Operations {
  return {
    ...jobOperations(parts),
    ...controlOperations(parts),
    ...dlqOperations(parts),
    ...bulkOperations(parts),
    ...longOperations(parts),
    ...queueOperations(parts),
    ...nodeOperations(parts),
    ...settingOperations(parts),
    ...statsOperations(parts),
    ...eventOperations(parts),
    ...handlerOperations(parts),
    ...auditOperations(parts),
    ...circuitOperations(parts),
    ...serviceOperations(parts, contract),
    getDocs: docsPage(),
  };
}

function mount(app: Express, contract: Contract, operations: Operations, parts: ApiParts): void {
  const gatekeeper = new Gatekeeper(parts);
  for (const { path, template, check, operations: documented } of contract.paths()) {
    // One route object per path: `app.all` would repeat the checks for each of the 34 methods Node knows.
    const naming = (_req: Request, res: Response, next: NextFunction) => {
      res.locals.route = template;
      next();
    };
    const admission = [naming, gatekeeper.guard(template, documented), auditTrail(documented, parts.audit)];
    const route = app.route(path).all(...admission, ...readBody, refuseStrayBody(documented), ...check);
    for (const { id, method } of documented) {
      const operation = operations[id];
      if (operation === undefined) throw new Error(`openapi.yaml names the operation ${id}, which nothing serves`);
      if (method !== 'get' && ACTIONS[id] === undefined) throw new Error(`${id} has no row in api/audited.ts`);
      route[method](operation);
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
