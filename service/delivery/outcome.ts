// Owns how the end of a call reads as an outcome: answered, cut by the deadline or from our side, or broken on the way.
import type { Outcome } from '../domain/lifecycle.ts';
import type { Call, StopReason } from '../ports/delivery.ts';
import { classify } from './classify.ts';
import type { Ended } from './exchange.ts';
import { storableText } from './storable-text.ts';

/** `now`: the database's time, epoch ms. */
export function outcomeOf(ended: Ended, call: Call, now: number): Outcome {
  const { how, head, body } = ended;
  const status = head?.status ?? null;
  const answer =
    head && classify({ status: head.status, headers: head.headers, body }, call.handler.fatalStatuses, now);
  if (answer && (how === 'answered' || (how === 'stopped' && answer.kind === 'succeeded'))) return answer;
  if (how === 'stopped') return stopped(call.signal.reason, status, body);
  const kept = { responseStatus: status, responseBody: body, error: whyUnanswered(ended, call.timeoutMs) };
  if (how === 'overdue' && ended.hasBegun) return { kind: 'timedOut', ...kept };
  return { kind: 'retryable', askedDelayMs: null, ...kept };
}

/** The call was aborted before a success was read. Nobody uses the outcome of a disowned call. */
export function stopped(
  reason: StopReason | undefined,
  responseStatus: number | null,
  responseBody: string | null,
): Outcome {
  const kept = { responseStatus, responseBody };
  switch (reason?.kind) {
    case 'cancelled':
      return {
        kind: 'cancelled',
        by: reason.by,
        ...kept,
        error: `cancelled by ${reason.by} while the handler was running`,
      };
    case 'interrupted':
      return { kind: 'interrupted', by: reason.by, ...kept, error: WHY_INTERRUPTED[reason.by] };
    default:
      return {
        kind: 'interrupted',
        by: 'shutdown',
        ...kept,
        error: 'the lease was lost while the handler was running',
      };
  }
}

const WHY_INTERRUPTED = {
  shutdown: 'service stopped while the handler was running',
  heartbeat: 'the node could not heartbeat and gave up the running handler',
} as const;

/** The handler cannot be called as things stand; a changed URL, DNS record or setting may repair it. */
export function unreachable(error: string): Outcome {
  return { kind: 'retryable', askedDelayMs: null, responseStatus: null, responseBody: null, error };
}

/** Why there is no whole answer, as one bounded line. */
export function whyUnanswered({ how, error, head, hasBegun }: Ended, timeoutMs: number): string {
  if (how === 'overdue' && !hasBegun) return `no connection to the handler within the limit of ${timeoutMs} ms`;
  if (how === 'overdue')
    return `no whole answer within the limit of ${timeoutMs} ms${head ? `, status ${head.status} was read` : ''}`;
  const text = storableText(Buffer.from(describe(error ?? new Error('the call ended without an answer'))));
  return hasBegun
    ? `the connection broke before the whole answer was read: ${text}`
    : `no connection to the handler: ${text}`;
}

/** Several addresses that all failed come as one error without a message of its own. */
function describe(error: Error): string {
  const message =
    error instanceof AggregateError ? error.errors.map(each => (each as Error).message).join('; ') : error.message;
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined || message.includes(code) ? message : `${message} (${code})`;
}
