// Owns what the log says of committed changes that no part of the engine reports: enqueues, operators' moves, and handlers.
import type { HandlerEvent, JobEvent, LiveEvent } from '../domain/live-event.ts';
import type { Log } from '../log.ts';
import type { Announcer } from './announce.ts';

/** Passes everything on, and writes down its part. */
export class LoggedChanges implements Announcer {
  readonly #next: Announcer;
  readonly #log: Log;

  constructor(next: Announcer, log: Log) {
    this.#next = next;
    this.#log = log;
  }

  add(event: LiveEvent): void {
    this.#next.add(event);
    if (event.kind === 'job') this.#logJob(event.data);
    else if (event.kind === 'handler') this.#logHandler(event.data);
  }

  #logJob({ id: jobId, type, queue, move, reason }: JobEvent): void {
    if (move === 'enqueue') this.#log.event('jobEnqueued', { jobId, type, queue });
    else if (move === 'resurrect') this.#log.event('jobResurrected', { jobId, type, queue });
    else if (move === 'cancel' || move === 'reject') this.#log.event('jobBuried', { jobId, type, queue, reason });
  }

  #logHandler({ type, change }: HandlerEvent): void {
    this.#log.event(change === 'removed' ? 'handlerRemoved' : 'handlerRegistered', { type });
  }
}
