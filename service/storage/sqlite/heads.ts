// Owns which rows a claim takes: the heads of all lanes merged in dequeue order, within the claim's budget.
import type { ClaimRequest } from '../../ports/store.ts';
import type { Session } from './session.ts';
import { UP_TO } from './statements.ts';

const READ_HEADS = `
  SELECT seq, priority, due_at, created_at, id FROM jobs_hot INDEXED BY hot_ready
  WHERE status = 0 AND promoted = 1 AND queue = ? AND type = ?
  ORDER BY priority DESC, due_at, created_at, id ${UP_TO} OFFSET CAST(? AS INTEGER)`;

/** Ready work of one queue and type that may be claimed. */
export interface Lane {
  readonly queue: string;
  readonly type: string;
  readonly handler: string;
  readonly handlerHasSchema: boolean;
  /** What the queue's maxWorkers leaves over all nodes, or null for no bound. */
  readonly queueRoom: number | null;
  readonly queueTimeoutMs: number | null;
  readonly headPriority: number;
  readonly headDueAt: number;
}

type HeadValues = readonly [seq: number, priority: number, dueAt: number, createdAt: number, id: string];

export interface Head {
  readonly seq: number;
  readonly dueAt: number;
  readonly lane: Lane;
}

/** What a claim may still take: in all, per type, per handler and per queue. */
export class Budget {
  readonly #request: ClaimRequest;
  /** What a handler's circuit admits; Infinity when it sets no limit. */
  readonly #admits: (handler: string) => number;
  readonly #admitted = new Map<string, number>();
  readonly #types = new Map<string, number>();
  readonly #handlers = new Map<string, number>();
  readonly #queues = new Map<string, number>();
  #left: number;

  constructor(request: ClaimRequest, admits: (handler: string) => number) {
    this.#request = request;
    this.#admits = admits;
    this.#left = request.limit;
  }

  get left(): number {
    return this.#left;
  }

  /** How many more rows of this lane may be taken. */
  roomFor({ type, handler, queue, queueRoom }: Lane): number {
    const { perType, perHandler } = this.#request;
    let room = Math.min(this.#left, perType - (this.#types.get(type) ?? 0));
    const ofHandler = Object.hasOwn(perHandler, handler) ? perHandler[handler] : undefined;
    const handlerRoom = Math.min(ofHandler ?? Number.POSITIVE_INFINITY, this.#circuitRoom(handler));
    if (handlerRoom !== Number.POSITIVE_INFINITY)
      room = Math.min(room, handlerRoom - (this.#handlers.get(handler) ?? 0));
    if (queueRoom !== null) room = Math.min(room, queueRoom - (this.#queues.get(queue) ?? 0));
    return room;
  }

  /** Asked of the circuit once: what it admits does not change while a claim chooses. */
  #circuitRoom(handler: string): number {
    let room = this.#admitted.get(handler);
    if (room === undefined) {
      room = this.#admits(handler);
      this.#admitted.set(handler, room);
    }
    return room;
  }

  take({ type, handler, queue }: Lane): void {
    this.#left -= 1;
    countUp(this.#types, type);
    countUp(this.#handlers, handler);
    countUp(this.#queues, queue);
  }
}

function countUp(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Takes rows of the lanes, which come in the order of their heads; a lane is opened only when its head's turn comes. */
export function chooseHeads(session: Session, lanes: readonly Lane[], budget: Budget): Head[] {
  const chosen: Head[] = [];
  const open: OpenLane[] = [];
  const unopened = lanes.values();
  let next = unopened.next().value;
  while (budget.left > 0) {
    while (next !== undefined && isNext(next, open[0])) {
      const room = budget.roomFor(next);
      if (room > 0) place(open, new OpenLane(session, next, chunkSize(room, lanes.length)));
      next = unopened.next().value;
    }
    const best = open.shift();
    if (best === undefined) break;
    if (budget.roomFor(best.lane) <= 0) continue;
    budget.take(best.lane);
    chosen.push(best.takeHead());
    place(open, best);
  }
  return chosen;
}

function chunkSize(room: number, lanes: number): number {
  return lanes === 1 ? room : Math.min(room, 4 + Math.ceil((2 * room) / lanes));
}

/** Ties count as next: only the rows themselves can tell. */
function isNext(lane: Lane, best: OpenLane | undefined): boolean {
  const head = best?.head;
  if (head === undefined) return true;
  if (lane.headPriority !== head[1]) return lane.headPriority > head[1];
  return lane.headDueAt <= head[2];
}

class OpenLane {
  readonly lane: Lane;
  readonly #session: Session;
  readonly #chunk: number;
  #rows: readonly HeadValues[];
  #at = 0;
  #offset = 0;

  constructor(session: Session, lane: Lane, chunk: number) {
    this.lane = lane;
    this.#session = session;
    this.#chunk = chunk;
    this.#rows = this.#read();
  }

  get head(): HeadValues | undefined {
    return this.#rows[this.#at];
  }

  takeHead(): Head {
    const head = this.head;
    if (head === undefined) throw new Error('an empty lane was asked for its head');
    this.#at += 1;
    if (this.#at === this.#chunk) {
      this.#offset += this.#chunk;
      this.#rows = this.#read();
      this.#at = 0;
    }
    return { seq: head[0], dueAt: head[2], lane: this.lane };
  }

  /** Nothing of the lane changes while heads are chosen, so an offset finds the next chunk. */
  #read(): readonly HeadValues[] {
    return this.#session.rows(READ_HEADS, this.lane.queue, this.lane.type, this.#chunk, this.#offset);
  }
}

/** Keeps open lanes in dequeue order of their heads; exhausted ones drop out. */
function place(open: OpenLane[], lane: OpenLane): void {
  const head = lane.head;
  if (head === undefined) return;
  const at = open.findIndex(other => other.head !== undefined && precedes(head, other.head));
  if (at === -1) open.push(lane);
  else open.splice(at, 0, lane);
}

function precedes(a: HeadValues, b: HeadValues): boolean {
  if (a[1] !== b[1]) return a[1] > b[1];
  if (a[2] !== b[2]) return a[2] < b[2];
  if (a[3] !== b[3]) return a[3] < b[3];
  return a[4] < b[4];
}
