// Owns repetition: a step that says how long to rest, nudges that end the rest, and a watch over steps that hang.
import type { Log } from '../log.ts';

const LONGEST_TIMER_MS = 2_147_483_647;
const FIRST_PAUSE_AFTER_ERROR_MS = 250;
const LONGEST_PAUSE_AFTER_ERROR_MS = 10_000;

/** One step of a loop; resolves with the milliseconds to rest before the next. */
export type Step = () => Promise<number>;

/**
 * Runs its step again and again, never two at a time. A nudge while resting runs the step in the same turn of the
 * event loop (so that its writes can share a transaction with the nudger's); a nudge during a step cancels the next rest.
 * A step that rejects is logged and tried again after a growing pause.
 */
export class Loop {
  readonly name: string;
  readonly #step: Step;
  readonly #log: Log;
  #timer: NodeJS.Timeout | undefined;
  /** When the next step was, or is, to begin; a step that succeeds moves it on, a failure or a restart does not. */
  #expectedAt = Number.POSITIVE_INFINITY;
  #restAtMost = Number.POSITIVE_INFINITY;
  #turn: Promise<void> | undefined;
  #turns = 0;
  #failures = 0;
  #stopped = true;
  #beganAt = 0;

  constructor(name: string, step: Step, log: Log) {
    this.name = name;
    this.#step = step;
    this.#log = log;
  }

  start(): void {
    this.#stopped = false;
    this.#begin();
  }

  /** Ends the rest now, or in `ms` when that is sooner than planned. */
  nudge(ms = 0): void {
    if (this.#stopped) return;
    if (this.#turn) this.#restAtMost = Math.min(this.#restAtMost, ms);
    else if (ms <= 0) this.#begin();
    else if (performance.now() + ms < this.#expectedAt) this.#rest(ms);
  }

  /** Lets the step under way end, and starts no other. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#turn;
  }

  /** Gives up on a step that never ended and begins afresh; what it still does is its own lease's business. */
  restart(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#begin();
  }

  /** How long the step under way has been running, in ms; 0 while resting. */
  stepMs(): number {
    return this.#turn && !this.#stopped ? performance.now() - this.#beganAt : 0;
  }

  /** How long no step has succeeded although one should have begun, in ms; 0 for a loop that is resting or stopped. */
  overdueMs(): number {
    return this.#stopped ? 0 : Math.max(0, performance.now() - this.#expectedAt);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#beganAt = performance.now();
    this.#expectedAt = Math.min(this.#expectedAt, this.#beganAt);
    this.#restAtMost = Number.POSITIVE_INFINITY;
    const turn = ++this.#turns;
    this.#turn = this.#attempt().then(restMs => this.#end(turn, restMs));
  }

  async #attempt(): Promise<number> {
    try {
      const restMs = await this.#step();
      this.#failures = 0;
      return restMs;
    } catch (error) {
      this.#log.event('loopFailed', { loop: this.name, err: error });
      return Math.min(FIRST_PAUSE_AFTER_ERROR_MS * 2 ** this.#failures++, LONGEST_PAUSE_AFTER_ERROR_MS);
    }
  }

  /** Only the latest turn counts: one that was given up may still end, but decides nothing. */
  #end(turn: number, restMs: number): void {
    if (turn !== this.#turns) return;
    this.#turn = undefined;
    if (this.#stopped) return;
    if (this.#failures > 0) this.#wait(restMs);
    else this.#rest(Math.min(restMs, this.#restAtMost));
  }

  #rest(ms: number): void {
    this.#expectedAt = performance.now() + Math.max(0, ms);
    this.#wait(ms);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (ms <= 0) this.#begin();
    else this.#timer = setTimeout(() => this.#begin(), Math.min(Math.ceil(ms), LONGEST_TIMER_MS));
  }
}

/** A duration spread evenly by ± `share`, so that nodes do not act in step. */
export function jittered(ms: number, share: number, random: number): number {
  return ms * (1 - share + 2 * share * random);
}
