// Owns the answers of a service whose database was away when it started: alive, not ready and why, and 503 for all else.
import express, { type Express, type Request, type Response } from 'express';
import { greet } from './admission.ts';
import type { HealthReport } from './operation.ts';
import type { Refusal } from './problem.ts';
import { sendProblem } from './reply.ts';
import { sendHealth } from './routes/service.ts';

const AWAY: Refusal = {
  code: 'storage-unavailable',
  detail:
    'The database has not answered since this node started, and nothing was done. Send the request again after Retry-After seconds.',
  faults: [],
};

/** Nobody is asked who they are: the keys are in the database, and nothing can be had here. `why` is what the database lacks. */
export function createWaitingApp(why: () => string): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use((req: Request, res: Response, next: () => void) => {
    greet(req, res);
    next();
  });
  app.get('/livez', (_req, res) => sendHealth(res, { status: 'ok', checks: { process: 'ok' } }, true));
  app.get('/readyz', (_req, res) => sendHealth(res, notReady(why()), true));
  app.use((_req: Request, res: Response) => sendProblem(res, AWAY));
  return app;
}

function notReady(why: string): HealthReport {
  return { status: 'failed', checks: { storage: why } };
}
