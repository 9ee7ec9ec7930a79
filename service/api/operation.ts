// Owns what an operation of openapi.yaml is in code, and the parts that operations are made of.
import type { Request, Response } from 'express';
import type { Audit } from '../application/audit.ts';
import type { BulkById } from '../application/bulk-by-id.ts';
import type { Circuits } from '../application/circuits.ts';
import type { JobControl } from '../application/control.ts';
import type { DeadLetters } from '../application/dlq.ts';
import type { Handlers } from '../application/handlers.ts';
import type { Jobs } from '../application/jobs.ts';
import type { Nodes } from '../application/nodes.ts';
import type { Operations as BulkOperations } from '../application/operations.ts';
import type { Previews } from '../application/previews.ts';
import type { Queues } from '../application/queues.ts';
import type { Settings } from '../application/settings.ts';
import type { StatsReader } from '../application/stats.ts';
import type { Caller } from '../domain/access.ts';
import { DomainError } from '../domain/errors.ts';
import { type Job, LIMITS } from '../domain/job.ts';
import { keyFlaw, trimName } from '../domain/name.ts';
import type { Keyring } from './access.ts';
import type { EventLog } from './event-stream.ts';

/** The request has passed the contract: its query, path and body are what openapi.yaml says. */
export type Operation = (req: Request, res: Response) => void | Promise<void>;

/** By operationId. */
export type Operations = Readonly<Record<string, Operation>>;

/** Each check by name: `ok`, or what is wrong. A degraded service works, only slower than it might. */
export interface HealthReport {
  readonly status: 'ok' | 'degraded' | 'failed';
  readonly checks: Readonly<Record<string, string>>;
}

export interface Health {
  live(): HealthReport;
  ready(): Promise<HealthReport>;
}

export interface MetricsSource {
  readonly contentType: string;
  text(): Promise<string>;
}

/** What a bug met, for the log. */
export interface BugReport {
  readonly method: string;
  readonly path: string;
  readonly requestId: string;
}

export interface ApiParts {
  readonly jobs: Jobs;
  readonly control: JobControl;
  readonly dlq: DeadLetters;
  readonly previews: Previews;
  readonly operations: BulkOperations;
  readonly bulkById: BulkById;
  readonly queues: Queues;
  readonly nodes: Nodes;
  readonly settings: Settings;
  readonly stats: StatsReader;
  readonly events: EventLog;
  readonly handlers: Handlers;
  readonly circuits: Circuits;
  /** How many attempts a job has in all, as things stand now. */
  readonly maxAttempts: (job: Job) => number;
  readonly health: Health;
  readonly metrics: MetricsSource;
  readonly keys: Keyring;
  /** Origins whose pages may call the API from a browser. */
  readonly corsOrigins: readonly string[];
  /** Proxies whose word for the caller's address is taken, as Express reads it. */
  readonly trustProxy: string[];
  readonly audit: Audit;
  /** Operations that need no key although openapi.yaml names a scope. */
  readonly openOperations: readonly string[];
  /** While there are no API keys, only callers on this machine are answered. */
  readonly loopbackOnly: boolean;
  /** Aborted when the service begins to stop: whoever waits for a job is answered at once. */
  readonly stopping: AbortSignal;
  readonly onBug: (error: unknown, report: BugReport) => void;
}

/** A parameter in the path; the router has matched it, so it is there. */
export function pathParameter(req: Request, name: string): string {
  const value = req.params[name];
  if (typeof value !== 'string') throw new Error(`the route has no parameter ${name}`);
  return value;
}

/** A queue or a type key in the path. */
export function pathKey(req: Request, name: string): string {
  const key = trimName(pathParameter(req, name));
  const flaw = keyFlaw(key, LIMITS.nameLength);
  if (flaw === null) return key;
  throw new DomainError('malformed-request', 'Correct the name in the path.', [{ detail: flaw, parameter: name }]);
}

/** Who asks; `admission.ts` has found it out. */
export function callerOf({ res }: Request): Caller {
  if (res === undefined) throw new Error('a request was read before it was admitted');
  return res.locals.caller as Caller;
}

/** Who asks, for the record. Without API keys nobody has a name. */
export function actorOf(req: Request): string {
  return callerOf(req).name;
}
