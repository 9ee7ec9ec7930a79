// Owns the last events of this node: numbered in order, the oldest overwritten, and listeners told once per turn of the event loop.
import type { LiveEvent } from '../domain/live-event.ts';

const CAPACITY = 10_000;

interface Slot {
  readonly event: LiveEvent;
  /** The event as JSON, made for its first reader. */
  json: string | undefined;
}

export class EventRing {
  readonly #boot: string;
  readonly #capacity: number;
  readonly #slots: Slot[] = [];
  readonly #listeners = new Set<() => void>();
  #next = 1;
  #isTelling = false;

  /** `boot` tells the numbers of this process from those of any other. */
  constructor(boot: string, capacity = CAPACITY) {
    this.#boot = boot;
    this.#capacity = capacity;
  }

  /** The number that the next event will have. */
  get next(): number {
    return this.#next;
  }

  /** The number of the oldest event that is still there. */
  get oldest(): number {
    return Math.max(1, this.#next - this.#capacity);
  }

  add(event: LiveEvent): void {
    this.#slots[this.#next % this.#capacity] = { event, json: undefined };
    this.#next += 1;
    if (this.#isTelling || this.#listeners.size === 0) return;
    this.#isTelling = true;
    setImmediate(() => this.#tell());
  }

  /** The event of that number, if it is still there, and its JSON, which all readers share. */
  read(number: number): { readonly event: LiveEvent; readonly json: () => string } | undefined {
    const slot = number >= this.oldest && number < this.#next ? this.#slots[number % this.#capacity] : undefined;
    if (slot === undefined) return undefined;
    return {
      event: slot.event,
      json: () => {
        slot.json ??= JSON.stringify({ at: new Date(slot.event.at).toISOString(), ...slot.event.data });
        return slot.json;
      },
    };
  }

  idOf(number: number): string {
    return `${this.#boot}-${number}`;
  }

  /** The number after that of the id; null when it is of another process, too old, or not yet given. */
  after(id: string): number | null {
    const cut = id.lastIndexOf('-');
    const digits = id.slice(cut + 1);
    if (id.slice(0, Math.max(0, cut)) !== this.#boot || !/^\d{1,15}$/.test(digits)) return null;
    const number = Number(digits) + 1;
    return number >= this.oldest && number <= this.#next ? number : null;
  }

  /** Calls when there are new events, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    this.#isTelling = false;
    for (const listener of this.#listeners) listener();
  }
}
