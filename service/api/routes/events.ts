// Owns the operation on live events: who may read along, how many at once, and until when.
import type { Caller } from '../../domain/access.ts';
import { EventStream } from '../event-stream.ts';
import type { ApiParts, Operations } from '../operation.ts';
import type { Refusal } from '../problem.ts';
import { sendProblem } from '../reply.ts';

const MOST_READERS = 100;
const PING_EVERY_MS = 15_000;
/** With the second after which a node knows of a revocation, nobody reads on for longer than two. */
const LOOK_EVERY_MS = 500;

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
  const readers = new Map<EventStream, Caller>();
  stopping.addEventListener('abort', () => {
    for (const reader of readers.keys()) reader.end();
  });
  setInterval(() => {
    for (const reader of readers.keys()) reader.ping();
  }, PING_EVERY_MS).unref();
  setInterval(() => {
    for (const [reader, caller] of readers) if (!keys.holds(caller)) reader.end();
  }, LOOK_EVERY_MS).unref();
  return {
    streamEvents(req, res) {
      if (readers.size >= MOST_READERS) return sendProblem(res, TOO_MANY);
      for (const [name, value] of HEADERS) res.setHeader(name, value);
      if (res.locals.isHead || stopping.aborted) return void res.end();
      res.socket?.setNoDelay(true);
      const { queue, type, lastEventId } = req.query as Readonly<Record<string, string | undefined>>;
      const lastId = req.get('last-event-id') ?? lastEventId;
      const reader = new EventStream(res, { log: events, filter: { queue, type }, lastId });
      readers.set(reader, res.locals.caller);
      res.once('close', () => readers.delete(reader));
    },
  };
}
