// Owns what `@chokaq/sdk/receiver` offers: profiles, the receiver for their jobs, and what handlers throw.
export { defineJob, type Job, type JobClass, type JobContract, type Received } from '../contract.ts';
export type { JobContext } from './context.ts';
export { FatalError, ThrottledError } from './errors.ts';
export type { FetchHandler } from './fetch-handler.ts';
export {
  type ClaimOutcome,
  type IdempotencyStore,
  type IdempotentOptions,
  idempotent,
  MemoryIdempotencyStore,
} from './idempotent.ts';
export type { NodeHandler, NodeRequest, NodeResponse } from './node-handler.ts';
export {
  createProfile,
  type HandlerFunction,
  type HandlerSettings,
  type Middleware,
  type Profile,
  type ReceiverOptions,
  type Registrar,
  type Registration,
} from './profile.ts';
export { newSecret, type SignedCall, Verifier } from './signature.ts';
