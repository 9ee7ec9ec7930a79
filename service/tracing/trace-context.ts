// Owns how a trace is written in headers (W3C Trace Context) and read back as the parent of spans.
import { type Context, createTraceState, ROOT_CONTEXT, type SpanContext, trace } from '@opentelemetry/api';

/** As stored with a job, or sent to its handler. */
export interface TraceHeaders {
  readonly traceparent: string | null;
  readonly tracestate: string | null;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/;

/** The context whose spans are children of what the headers name; without any, a new trace begins. */
export function contextOf({ traceparent, tracestate }: TraceHeaders): Context {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const state = tracestate === null ? {} : { traceState: createTraceState(tracestate) };
  const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...state };
  return trace.setSpanContext(ROOT_CONTEXT, remote);
}

export function headersOf({ traceId, spanId, traceFlags, traceState }: SpanContext) {
  const flags = (traceFlags & 0xff).toString(16).padStart(2, '0');
  return { traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() || null };
}
