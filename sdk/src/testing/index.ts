// Owns what `@chokaq/sdk/testing` offers: a service in this process, and calls signed as the real one signs them.
export type { FakeAttempt, FakeJob } from './fake-job.ts';
export { type Drained, type DrainOptions, FakeChokaQ } from './fake-service.ts';
export { type CallFacts, signedRequest } from './signed-request.ts';
