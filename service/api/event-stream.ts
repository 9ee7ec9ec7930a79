// Owns one reader of live events: a place in the ring that moves as fast as its connection takes what is sent.
import type { Response } from 'express';
import { type EventFilter, type LiveEvent, passes } from '../domain/live-event.ts';

/** What the API asks of the events of this node. */
export interface EventLog {
  /** The number that the next event will have, and that of the oldest that is still there. */
  readonly next: number;
  readonly oldest: number;
  read(number: number): { readonly event: LiveEvent; readonly json: () => string } | undefined;
  idOf(number: number): string;
  /** The number after that of the id, or null when it is unknown or too old. */
  after(id: string): number | null;
  listen(listener: () => void): () => void;
}

export interface ReaderParts {
  readonly log: EventLog;
  readonly filter: EventFilter;
  /** The id of the last event the reader has, if it names one. */
  readonly lastId: string | undefined;
}

/** Bytes that are put together before they are handed to the connection, which then says whether it takes more. */
const CHUNK = 32_768;
/** So many pings without the connection taking anything, and the reader is given up. */
const PINGS_BLOCKED = 3;

/** Nothing is kept for a reader but its place: one that is slower than 10 000 events is dropped, and comes back with its last id. */
export class EventStream {
  readonly #res: Response;
  readonly #parts: ReaderParts;
  readonly #leave: () => void;
  #next: number;
  #pingsBlocked = 0;
  #isBlocked = false;

  constructor(res: Response, parts: ReaderParts) {
    this.#res = res;
    this.#parts = parts;
    const { log, lastId } = parts;
    const known = lastId === undefined ? log.next : log.after(lastId);
    this.#next = known ?? log.next;
    this.#leave = log.listen(() => this.#pump());
    res.on('drain', () => this.#unblock()).on('close', this.#leave);
    this.#send(`retry: 2000\n${known === null ? this.#reset() : this.#place()}`);
    this.#pump();
  }

  /** Also tells where the reader is, so that one whose filter lets little through can come back to there. */
  ping(): void {
    if (this.#isBlocked) this.#pingsBlocked += 1;
    if (this.#pingsBlocked >= PINGS_BLOCKED) this.#res.destroy();
    else if (!this.#isBlocked) this.#send(`: ping\n${this.#place()}`);
  }

  end(): void {
    this.#leave();
    this.#res.end();
  }

  #pump(): void {
    const { log, filter } = this.#parts;
    while (!this.#isBlocked && this.#next < log.next) {
      if (this.#next < log.oldest) return void this.#res.destroy();
      let text = '';
      for (; this.#next < log.next && text.length < CHUNK; this.#next += 1) {
        const found = log.read(this.#next);
        if (found && passes(found.event, filter))
          text += `id: ${log.idOf(this.#next)}\nevent: ${found.event.kind}\ndata: ${found.json()}\n\n`;
      }
      if (text !== '') this.#send(text);
    }
  }

  #send(text: string): void {
    if (!this.#res.write(text)) this.#isBlocked = true;
  }

  #unblock(): void {
    this.#isBlocked = false;
    this.#pingsBlocked = 0;
    this.#pump();
  }

  /** A block without data gives the reader an id and no event. */
  #place(): string {
    return `id: ${this.#parts.log.idOf(this.#next - 1)}\n\n`;
  }

  #reset(): string {
    return `event: reset\ndata: {"reason":"unknown-id"}\n${this.#place()}`;
  }
}
