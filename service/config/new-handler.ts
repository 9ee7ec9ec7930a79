// Owns the shape of a handler in a file: it is that of the body of PUT /handlers/{type}, as openapi.yaml has it.
import { readFileSync } from 'node:fs';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { packageFile } from '../root.ts';

export interface Breach {
  /** From the handler to the member. */
  readonly place: readonly string[];
  /** In the validator's words. */
  readonly said: string;
}

let compiled: ValidateFunction | undefined;

/** Everything in which the value is not a handler as it may be put. */
export function breachesOfNewHandler(value: unknown): readonly Breach[] {
  compiled ??= compile();
  return compiled(value) ? [] : (compiled.errors ?? []).map(breach);
}

function compile(): ValidateFunction {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false, logger: false });
  ajv.addSchema(JSON.parse(readFileSync(packageFile('dist/service/openapi.json'), 'utf8')), 'contract');
  return ajv.compile({ $ref: 'contract#/components/schemas/NewHandler' });
}

function breach({ instancePath, params, message = 'is wrong' }: ErrorObject): Breach {
  const place = instancePath.split('/').slice(1).map(unescaped);
  const { additionalProperty: strange, missingProperty: missing, allowedValues } = params;
  if (strange !== undefined) return { place: [...place, String(strange)], said: 'is not a known member' };
  if (missing !== undefined) return { place: [...place, String(missing)], said: 'is required' };
  return { place, said: allowedValues ? `${message}: ${allowedValues.join(', ')}` : message };
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}
