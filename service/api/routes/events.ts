// Owns the operation on live events: who may read along, how many at once, and until when.
import type { Request } from 'express';
import { hasAny } from '../../domain/access.ts';
import { callerBehind } from '../access.ts';
import { EventStream } from '../event-stream.ts';
import type { ApiParts, Operations } from '../operation.ts';
import type { Refusal } from '../problem.ts';
import { sendProblem } from '../reply.ts';

const MOST_READERS = 100;
const PING_EVERY_MS = 15_000;

const TOO_MANY: Refusal = {
  code: 'too-many-streams',
  detail: `${MOST_READERS} readers follow the events of this node. Close one, or use another node.`,
  faults: [],
};

const HEADERS = Object.entries({
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  // Asks proxies such as nginx not to collect what is to arrive at once.
  'x-accel-buffering': 'no',
});

export function eventOperations({ events, keys, stopping }: ApiParts): Operations {
  const readers = new Map<EventStream, Request>();
  stopping.addEventListener('abort', () => {
    for (const reader of readers.keys()) reader.end();
  });
  setInterval(() => ping(readers, req => hasAny(callerBehind(req, keys), ['read'])), PING_EVERY_MS).unref();
  return {
    streamEvents(req, res) {
      if (readers.size >= MOST_READERS) return sendProblem(res, TOO_MANY);
      for (const [name, value] of HEADERS) res.setHeader(name, value);
      if (res.locals.isHead || stopping.aborted) return void res.end();
      res.socket?.setNoDelay(true);
      const { queue, type, lastEventId } = req.query as Readonly<Record<string, string | undefined>>;
      const lastId = req.get('last-event-id') ?? lastEventId;
      const reader = new EventStream(res, { log: events, filter: { queue, type }, lastId });
      readers.set(reader, req);
      res.once('close', () => readers.delete(reader));
    },
  };
}

/** Whoever may no longer read, because the key was revoked, is not sent another ping. */
function ping(readers: ReadonlyMap<EventStream, Request>, mayRead: (req: Request) => boolean): void {
  for (const [reader, req] of readers) {
    if (mayRead(req)) reader.ping();
    else reader.end();
  }
}
