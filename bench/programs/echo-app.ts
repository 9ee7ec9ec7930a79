// Owns the baseline of P1: Express with the validator on the service's own contract, answering like the service and storing nothing.
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express, { type Request, type Response } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { v7 as uuidv7 } from 'uuid';
import { serve } from '../program.ts';

interface Body {
  readonly type: string;
}

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(express.json({ limit: '16mb' }));
app.use(
  OpenApiValidator.middleware({
    apiSpec: join(import.meta.dirname, '../../../openapi.yaml'),
    validateRequests: { allErrors: true },
    validateSecurity: false,
  }),
);
app.post('/jobs', (request: Request, response: Response) => {
  const job = stored(request.body as Body);
  response.status(201).location(`/jobs/${job.id}`).json(job);
});

/** The job as the service answers it: the same members, with values of the same size. */
function stored({ type }: Body) {
  const now = new Date().toISOString();
  return {
    ...{ id: uuidv7(), type, queue: 'default', state: 'pending', priority: 10, tags: [], attempts: 0, maxAttempts: 3 },
    ...{
      round: 1,
      idempotencyKey: null,
      resultTtl: null,
      dueAt: now,
      createdAt: now,
      createdBy: null,
      startedAt: null,
    },
    ...{ heartbeatAt: null, finishedAt: null, durationMs: null, workerId: null, lastError: null },
    ...{ lastResponseStatus: null, lastResponseBody: null, duplicate: false },
  };
}

const server = app.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serve({ url: `http://127.0.0.1:${port}` }, async () => undefined);
});
