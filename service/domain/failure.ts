// Owns the failure reasons: the one list of why a job can be dead, and what an operator should check first for each.

export const FAILURE_REASONS = [
  'FatalError',
  'MaxRetriesExceeded',
  'Throttled',
  'RetryLifetimeExpired',
  'Timeout',
  'Cancelled',
  'Zombie',
  'HeartbeatFailure',
] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

const ADVICE: Record<FailureReason, string> = {
  FatalError:
    'The handler, or its schema, said this job can never work as it is. Read the error, repair the payload or the handler, then resurrect with the edit. Requeueing unchanged will fail again.',
  MaxRetriesExceeded:
    'Every attempt failed in a way that might have passed. Check the last response and the health of the handler first; requeueing is safe once the cause is gone and the handler is idempotent.',
  Throttled:
    'The handler kept answering 429 or 503. Check its rate limits and lower its concurrency; requeueing is safe when it has capacity again.',
  RetryLifetimeExpired:
    'The job grew older than its allowed age before it could be tried again. Check whether the work still makes sense; requeueing starts a fresh budget of attempts and age.',
  Timeout:
    'The call ran longer than its limit and was cut off; its side effects may have happened. Check the external system first; requeue only when the handler is idempotent or the effect is known to be missing.',
  Cancelled:
    'An operator asked to stop this job. If it was running, its side effects may have happened in part. Ask the actor before requeueing.',
  Zombie:
    'The job had started when its node was lost; nobody knows whether the side effects happened. Check the external system first; requeue only when the handler is idempotent or the effect is known to be missing.',
  HeartbeatFailure:
    'The node could not prove that it was alive and gave the running call up; its side effects may have happened. Check the storage connection of the node and the external system before requeueing.',
};

/** What to check first for a dead job, and whether requeueing it is safe; one text per reason. */
export function adviceFor(reason: FailureReason): string {
  return ADVICE[reason];
}
