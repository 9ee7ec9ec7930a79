// Owns the spans of this service: decorators around the ports, in place only when an OpenTelemetry SDK was loaded before the service.
import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { NewJob } from '../domain/job.ts';
import type { Outcome } from '../domain/lifecycle.ts';
import type { Call, Delivery } from '../ports/delivery.ts';
import type { Store } from '../ports/store.ts';
import { contextOf, headersOf } from './trace-context.ts';

const NAME = 'chokaq';

/** Null when there is no SDK: then nothing is decorated, and the job's trace is passed on by the delivery itself. */
export function tracerOf(version: string): Tracer | null {
  const provider = trace.getTracerProvider();
  const isIdle = provider instanceof ProxyTracerProvider && provider.getDelegateTracer(NAME, version) === undefined;
  return isIdle ? null : trace.getTracer(NAME, version);
}

/** Lets the SDK, if there is one, send what it holds back. */
export async function flushSpans(): Promise<void> {
  const provider = trace.getTracerProvider();
  const actual: object = provider instanceof ProxyTracerProvider ? provider.getDelegate() : provider;
  await (actual as { forceFlush?(): Promise<void> }).forceFlush?.();
}

/** The same store; new jobs are stored under the span of their enqueue, so that every attempt, after whatever restart, is its child. */
export function tracedStore(store: Store, tracer: Tracer | null): Store {
  if (tracer === null) return store;
  const insert: Store['jobs']['insert'] = async posted => {
    const span = startSend(tracer, posted);
    const headers = headersOf(span.spanContext());
    return ended(span, store.jobs.insert(posted.map(job => ({ ...job, ...headers }))), () => undefined);
  };
  return { ...store, check: () => store.check(), close: () => store.close(), jobs: { ...store.jobs, insert } };
}

function startSend(tracer: Tracer, posted: readonly NewJob[]): Span {
  const [first] = posted;
  const queues = new Set(posted.map(({ queue }) => queue));
  const queue = queues.size === 1 ? first?.queue : undefined;
  const attributes = {
    ...described('send', queue),
    ...(posted.length === 1 ? aboutJob(first) : { 'messaging.batch.message_count': posted.length }),
  };
  const name = queue === undefined ? 'send' : `send ${queue}`;
  return tracer.startSpan(name, { kind: SpanKind.PRODUCER, attributes }, parentOf(first));
}

/** A span that is active here (of an instrumented HTTP server) is nearer than what the producer sent. */
function parentOf(job: NewJob | undefined): Context {
  const active = context.active();
  if (trace.getSpan(active) !== undefined || job === undefined) return active;
  return contextOf(job);
}

/** The same delivery; each attempt is a span, and what the handler does is its child. */
export function tracedDelivery(delivery: Delivery, tracer: Tracer | null): Delivery {
  if (tracer === null) return delivery;
  return {
    deliver: call => {
      const parent = contextOf(call.job);
      const span = startProcess(tracer, call, parent);
      const traced = { ...call, trace: headersOf(span.spanContext()) };
      const outcome = context.with(trace.setSpan(parent, span), () => delivery.deliver(traced));
      return ended(span, outcome, result => describeEnd(span, result));
    },
    ping: handler => delivery.ping(handler),
    refusal: url => delivery.refusal(url),
    close: () => delivery.close(),
  };
}

function startProcess(tracer: Tracer, { job }: Call, parent: Context): Span {
  const attempt = { 'chokaq.job.attempt': job.attempts, 'chokaq.job.round': job.round };
  const attributes = { ...described('process', job.queue), ...aboutJob(job), ...attempt };
  return tracer.startSpan(`process ${job.queue}`, { kind: SpanKind.CONSUMER, attributes }, parent);
}

/** Never what the handler said: error texts may hold what is nobody else's business. */
function describeEnd(span: Span, { kind, responseStatus }: Outcome): void {
  span.setAttribute('chokaq.job.outcome', kind);
  if (responseStatus !== null) span.setAttribute('http.response.status_code', responseStatus);
  if (kind === 'succeeded') return;
  span.setAttribute('error.type', kind);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

async function ended<T>(span: Span, work: Promise<T>, describe: (result: T) => void): Promise<T> {
  try {
    const result = await work;
    describe(result);
    return result;
  } catch (error) {
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown');
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** By the semantic conventions for messaging. */
function described(operation: 'send' | 'process', queue: string | undefined): Attributes {
  return {
    'messaging.system': NAME,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
    ...(queue !== undefined && { 'messaging.destination.name': queue }),
  };
}

function aboutJob(job: { readonly id: string; readonly type: string } | undefined): Attributes {
  return job === undefined ? {} : { 'messaging.message.id': job.id, 'chokaq.job.type': job.type };
}
