// Owns the profile of the examples: the handler of each contract, and what runs around it.
import { createProfile, FatalError } from '@chokaq/sdk/receiver';
import { SendEmail } from './send-email.ts';

export const mailing = createProfile('mailing')
  .use(async (_job, ctx, next) => {
    const startedAt = performance.now();
    const result = await next();
    console.log(JSON.stringify({ ...ctx.logFields, ms: Math.round(performance.now() - startedAt) }));
    return result;
  })
  .handle(SendEmail, async ({ to, subject }, { signal }) => {
    if (!to.includes('@')) throw new FatalError(`${to} is no address`); // straight to the dead-letter queue
    signal.throwIfAborted(); // cancelled, or too late
    console.log(`sending "${subject}" to ${to}`);
    return { accepted: to }; // kept with the job
  });
