// Owns the tie between a contract and a validator: Standard Schema (https://standardschema.dev), as zod, valibot and others speak it.
import { ChokaQError } from './problem.ts';

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

type Result<Output> = { readonly value: Output; readonly issues?: undefined } | { readonly issues: readonly Issue[] };

/** The part of the specification that is used; any validator that follows it fits. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Result<Output> | Promise<Result<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

export type SchemaInput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['input'];
export type SchemaOutput<Schema extends StandardSchema> = NonNullable<Schema['~standard']['types']>['output'];

export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** What the validator made of the value; throws `ChokaQError` `validation-failed` with every issue. */
export async function validated(schema: StandardSchema, value: unknown, what: string): Promise<unknown> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return result.value;
  const faults = result.issues.map(({ message, path = [] }) => {
    const place = path.map(step => `.${String(typeof step === 'object' ? step.key : step)}`).join('');
    return `payload${place}: ${message}`;
  });
  throw new ChokaQError(`${what} breaks its schema: ${faults.join('; ')}`, { code: 'validation-failed' });
}

/** The JSON Schema of what producers send, if the validator can tell it (https://standardschema.dev/json-schema). */
export function jsonSchemaOf(schema: StandardSchema): JsonSchema | undefined {
  const converter = (schema['~standard'] as { jsonSchema?: { input?: (options: object) => JsonSchema } }).jsonSchema;
  return converter?.input?.({ target: 'draft-2020-12' });
}
