// Owns what `@chokaq/sdk` offers: the client and job contracts.
export type { BulkAnswer } from './calls/dlq.ts';
export type { Schemas } from './calls/shapes.ts';
export type { Carriable, Json, NotJson } from './carriable.ts';
export { ChokaQ, type JobTypes, type TypeKey } from './client.ts';
export {
  type AnyContract,
  type Codec,
  type ContractJob,
  type ContractOptions,
  defineJob,
  type Job,
  type JobClass,
  type JobContract,
  type Received,
  type TypeKeys,
} from './contract.ts';
export type { BatchItem, EnqueueOptions } from './enqueue.ts';
export type { EventData, EventOptions, JobEvent, QueueEvent, ServiceEvent } from './events.ts';
export { newJobId } from './job-id.ts';
export { jsonText, type RawJson, rawJson } from './json-text.ts';
export type { Listing, Page } from './listing.ts';
export type { components, operations, paths } from './openapi.gen.ts';
export type { Fetch } from './patience.ts';
export { ChokaQError, type LocalCode, type Problem } from './problem.ts';

export type { JsonSchema, SchemaInput, SchemaOutput, StandardSchema } from './schema.ts';
export type { CallOptions, ClientOptions, WaitOptions } from './wire.ts';
