// Owns openapi.yaml at run time: every request is checked against it, and what the validator says becomes a refusal in one place.
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { SCOPES, type Scope } from '../domain/access.ts';
import type { Fault } from '../domain/errors.ts';
import { parseInstant } from '../domain/instant.ts';
import { inWords } from '../fault-text.ts';
import { packageFile } from '../root.ts';
import { excerpt } from './excerpt.ts';
import type { Refusal } from './problem.ts';

export type PathItem = Readonly<Record<string, unknown>>;

/** The document as far as this API looks into it. */
export interface Document {
  readonly openapi: string;
  readonly info: object;
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
export type Method = (typeof METHODS)[number];

/** One operation of the document. */
export interface DocumentedOperation {
  readonly id: string;
  readonly method: Method;
  /** Any one of these is enough; none = open to everybody, without a key. */
  readonly scopes: readonly Scope[];
  readonly takesBody: boolean;
}

export interface Path {
  /** As Express writes it. */
  readonly path: string;
  /** As the document writes it. */
  readonly template: string;
  readonly operations: readonly DocumentedOperation[];
  /** Lets through what the document allows; throws for the rest, other methods included. */
  readonly check: readonly RequestHandler[];
}

/** Has a validator of its own: the library compiles the pattern of every path it knows anew for each request. */
const BUSY_PATH = '/jobs';

type ApiSpec = Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'];

export class Contract {
  readonly yaml: string;
  readonly json: string;
  readonly #document: Document;

  constructor() {
    this.yaml = readFileSync(packageFile('openapi.yaml'), 'utf8');
    this.json = readFileSync(packageFile('dist/service/openapi.json'), 'utf8');
    this.#document = JSON.parse(this.json);
  }

  /** All paths, literal ones before those with parameters, so that `/jobs/batch` is never taken for an id. */
  paths(): readonly Path[] {
    const all = Object.keys(this.#document.paths);
    const busy = this.#validator([BUSY_PATH]);
    const others = this.#validator(all.filter(path => path !== BUSY_PATH));
    const paths = all.map(path => this.#path(path, path === BUSY_PATH ? busy : others));
    return paths.sort((a, b) => Number(a.path.includes(':')) - Number(b.path.includes(':')));
  }

  #path(path: string, check: readonly RequestHandler[]): Path {
    const item = this.#document.paths[path] ?? {};
    const operations = METHODS.filter(method => method in item).map(method => {
      const operation = item[method] as { operationId: string; security?: unknown };
      const { operationId: id, security } = operation;
      return { id, method, scopes: scopesFrom(id, security), takesBody: 'requestBody' in operation };
    });
    return { path: path.replaceAll('{', ':').replaceAll('}', ''), template: path, operations, check };
  }

  #validator(paths: readonly string[]): RequestHandler[] {
    return OpenApiValidator.middleware({
      apiSpec: excerpt(this.#document, paths) as unknown as ApiSpec,
      validateApiSpec: false,
      validateRequests: { allErrors: true },
      validateResponses: false,
      validateSecurity: false,
      fileUploader: false,
      formats: { 'date-time': { type: 'string', validate: (text: string) => parseInstant(text) !== undefined } },
    }) as RequestHandler[];
  }
}

/** `[]` opens the operation to everybody; each entry of the list names one scope that is enough. */
function scopesFrom(id: string, security: unknown): Scope[] {
  const named = Array.isArray(security) ? security.flatMap(({ apiKey }: { apiKey?: unknown }) => apiKey ?? '') : [''];
  const scopes = named.flatMap(name => SCOPES.find(scope => scope === name) ?? []);
  if (scopes.length === named.length) return scopes;
  throw new Error(`openapi.yaml must say who may ${id}, such as security: [{ apiKey: [read] }], or [] for everybody`);
}

const DETAIL = 'Correct what is listed in errors and send the request again. /docs shows what is accepted.';

const NO_BODY: Refusal = {
  code: 'malformed-request',
  detail: 'Send a JSON body.',
  faults: [{ detail: 'is missing', pointer: '#' }],
};

/** What the validator's error means, or undefined when it is not one of its own. */
export function contractRefusal(error: unknown): Refusal | undefined {
  const { BadRequest, MethodNotAllowed, NotFound, UnsupportedMediaType } = OpenApiValidator.error;
  if (error instanceof MethodNotAllowed) return methodNotAllowed(error.headers?.Allow ?? '');
  if (error instanceof NotFound)
    return { code: 'not-found', detail: 'There is nothing at this address. /docs lists all addresses.', faults: [] };
  // `body.ts` has refused every other media type: what has none here has no body.
  if (error instanceof UnsupportedMediaType) return NO_BODY;
  if (!(error instanceof BadRequest)) return undefined;
  if (error.errors.some(isMissingBody)) return NO_BODY;
  const faults = uniqueFaults(error.errors.map(faultOf));
  const onlyBody = faults.every(fault => fault.pointer !== undefined);
  return { code: onlyBody ? 'validation-failed' : 'malformed-request', detail: DETAIL, faults };
}

function methodNotAllowed(allow: string): Refusal {
  const methods = allow.split(', ').flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const headers = { allow: methods.join(', ') };
  return { code: 'method-not-allowed', detail: `Use ${methods.join(' or ')} here.`, faults: [], headers };
}

interface ValidatorFault {
  readonly path: string;
  readonly message: string;
  readonly error_code?: string;
  readonly errorCode?: string;
}

function isMissingBody({ path, errorCode }: ValidatorFault): boolean {
  return path === '/body' && errorCode === 'required.openapi.validation';
}

/** Paths look like `/body/jobs/1/type`, `/query/limit`, `/params/id`, `/headers/idempotency-key`; others are the request's own. */
function faultOf({ path, message, errorCode }: ValidatorFault): Fault {
  const detail = inWords(message);
  const [, place, rest] = /^\/(body|query|params|headers)(?:\/(.*))?$/su.exec(path) ?? [];
  if (place === 'body') return bodyFault(path, detail, errorCode ?? '');
  if (place === 'headers') return { detail, header: rest ?? '' };
  if (place === undefined) return { detail: 'has a broken percent-encoding', parameter: 'path' };
  return { detail, parameter: rest ?? '' };
}

/** Objects whose unknown members are refused. The library does not escape the names it found there. */
const CLOSED_OBJECT = /^\/body(?:\/jobs\/\d+)?(?:\/(?:retry|circuit|filter))?\//u;

function bodyFault(path: string, detail: string, errorCode: string): Fault {
  if (!errorCode.startsWith('additionalProperties.')) return { detail, pointer: `#${path.slice('/body'.length)}` };
  const [parent = ''] = CLOSED_OBJECT.exec(path) ?? [];
  const name = path.slice(parent.length).replaceAll('~', '~0').replaceAll('/', '~1');
  return { detail: 'is not a known member', pointer: `#${parent.slice('/body'.length)}${name}` };
}

/** The validator may say the same twice, once for each of its passes. */
function uniqueFaults(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map(fault => [JSON.stringify(fault), fault])).values()];
}
