// Owns openapi.yaml at run time: every request is checked against it, and what the validator says becomes a refusal in one place.
import { readFileSync } from 'node:fs';
import type { RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { parse } from 'yaml';
import type { Fault } from '../domain/errors.ts';
import { parseInstant } from '../domain/instant.ts';
import { packageFile } from '../root.ts';
import type { Refusal } from './problem.ts';

type ApiSpec = Exclude<Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'], string>;
type Document = ApiSpec & { readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>> };

const METHODS = ['get', 'put', 'post', 'delete', 'patch'] as const;
export type Method = (typeof METHODS)[number];

/** One operation of the document; `route` is its path as Express writes it. */
export interface Operation {
  readonly id: string;
  readonly method: Method;
}

export interface Path {
  readonly route: string;
  readonly operations: readonly Operation[];
  /** Lets through what the document allows; throws for the rest, other methods included. */
  readonly check: readonly RequestHandler[];
}

export class Contract {
  readonly yaml: string;
  readonly json: string;
  readonly #document: Document;

  constructor() {
    this.yaml = readFileSync(packageFile('openapi.yaml'), 'utf8');
    this.#document = parse(this.yaml);
    this.json = JSON.stringify(this.#document);
  }

  /** All paths, literal ones before those with parameters, so that `/jobs/batch` is never taken for an id. */
  paths(): readonly Path[] {
    const paths = Object.keys(this.#document.paths).map(path => this.#path(path));
    return paths.sort((a, b) => Number(a.route.includes(':')) - Number(b.route.includes(':')));
  }

  #path(path: string): Path {
    const item = this.#document.paths[path] ?? {};
    const operations = METHODS.filter(method => method in item).map(method => {
      const { operationId } = item[method] as { operationId: string };
      return { id: operationId, method };
    });
    return { route: path.replaceAll('{', ':').replaceAll('}', ''), operations, check: this.#validator(path) };
  }

  /** One validator per path: the library compiles every path it knows anew for each request. */
  #validator(path: string): RequestHandler[] {
    const { paths, webhooks: _, ...rest } = structuredClone(this.#document) as Document & { webhooks: unknown };
    return OpenApiValidator.middleware({
      apiSpec: { ...rest, paths: { [path]: paths[path] } } as ApiSpec,
      validateApiSpec: false,
      validateRequests: { allErrors: true },
      validateResponses: false,
      validateSecurity: false,
      fileUploader: false,
      formats: { 'date-time': { type: 'string', validate: (text: string) => parseInstant(text) !== undefined } },
    }) as RequestHandler[];
  }
}

const DETAIL = 'Correct what is listed in errors and send the request again. /docs shows what is accepted.';

/** What the validator's error means, or undefined when it is not one of its own. */
export function contractRefusal(error: unknown): Refusal | undefined {
  const { BadRequest, MethodNotAllowed, NotFound, UnsupportedMediaType } = OpenApiValidator.error;
  if (error instanceof MethodNotAllowed) return methodNotAllowed(error.headers?.Allow ?? '');
  if (error instanceof NotFound)
    return { code: 'not-found', detail: 'There is nothing at this address. /docs lists all addresses.', faults: [] };
  if (error instanceof UnsupportedMediaType) {
    const fault = { detail: 'is not application/json', header: 'content-type' };
    return {
      code: 'unsupported-media-type',
      detail: 'Send JSON with the header content-type: application/json.',
      faults: [fault],
    };
  }
  if (!(error instanceof BadRequest)) return undefined;
  if (error.errors.some(isMissingBody)) {
    return { code: 'malformed-request', detail: 'Send a JSON body.', faults: [{ detail: 'is missing', pointer: '#' }] };
  }
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
  const [, place, rest] = /^\/(body|query|params|headers)(?:\/(.*))?$/su.exec(path) ?? [];
  if (place === 'body') return bodyFault(path, message, errorCode ?? '');
  if (place === 'headers') return { detail: message, header: rest ?? '' };
  if (place === undefined) return { detail: 'has a broken percent-encoding', parameter: 'path' };
  return {
    detail: message.replace(/^(Unknown|Empty value found for) query parameter.*$/su, unknownOrEmpty),
    parameter: rest ?? '',
  };
}

function unknownOrEmpty(_: string, what: string): string {
  return what === 'Unknown' ? 'is not known' : 'is empty';
}

/** Objects whose unknown members are refused. The library does not escape the names it found there. */
const CLOSED_OBJECT = /^\/body(?:\/jobs\/\d+)?(?:\/(?:retry|circuit))?\//u;

function bodyFault(path: string, message: string, errorCode: string): Fault {
  if (!errorCode.startsWith('additionalProperties.'))
    return { detail: message, pointer: `#${path.slice('/body'.length)}` };
  const [parent = ''] = CLOSED_OBJECT.exec(path) ?? [];
  const name = path.slice(parent.length).replaceAll('~', '~0').replaceAll('/', '~1');
  return { detail: 'is not a known member', pointer: `#${parent.slice('/body'.length)}${name}` };
}

/** The validator may say the same twice, once for each of its passes. */
function uniqueFaults(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.map(fault => [JSON.stringify(fault), fault])).values()];
}
