// Owns what the named calls have in common: the shapes of the contract, and how options of a call reach it.
import type { RawJson } from '../json-text.ts';
import type { components, operations } from '../openapi.gen.ts';

export type Schemas = components['schemas'];

/** Query parameters of an operation, but for the cursor, which a `Listing` keeps. */
export type Query<Name extends keyof operations> = operations[Name] extends { parameters: { query?: infer Parameters } }
  ? Omit<NonNullable<Parameters>, 'cursor'>
  : never;

/** A member of the body may be exact text. */
export type WithRaw<Body> = { [Member in keyof Body]: Body[Member] } | RawJson;

/** The library takes members away whose type is only `null`. */
export type Told<Data> = Promise<{ data?: Data; response: Response }>;

export function at(cursor: string | undefined): { cursor?: string } {
  return cursor === undefined ? {} : { cursor };
}
