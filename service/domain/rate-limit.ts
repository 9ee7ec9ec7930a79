// Owns how many requests a key may make: the limit as people write it (`100/1m`), and the windows in which they are counted.
import { formatDuration, parseDuration } from './duration.ts';

/** At most `requests` in each window of `perMs`, which begins with the first request in it. */
export interface RateLimit {
  readonly requests: number;
  readonly perMs: number;
}

export interface Allowance {
  readonly isAllowed: boolean;
  /** Requests left in this window. */
  readonly left: number;
  /** How long until the next window can begin, in whole ms. */
  readonly resetMs: number;
}

const SHAPE = /^(\d{1,9})\/(\w+)$/;
const LONGEST_WINDOW_MS = 86_400_000;
const SHORTEST_WINDOW_MS = 1_000;

export const A_RATE_LIMIT = 'requests per duration such as 100/1m, with at least 1 request and a duration of 1s to 1d';

/** `undefined` when the text is not a limit. */
export function parseRateLimit(text: string): RateLimit | undefined {
  const [, requests = '', per = ''] = SHAPE.exec(text) ?? [];
  const perMs = parseDuration(per) ?? 0;
  if (Number(requests) < 1 || perMs < SHORTEST_WINDOW_MS || perMs > LONGEST_WINDOW_MS) return undefined;
  return { requests: Number(requests), perMs };
}

export function formatRateLimit({ requests, perMs }: RateLimit): string {
  return `${requests}/${formatDuration(perMs)}`;
}

interface Window {
  endsAt: number;
  used: number;
}

/** Counts by name, in memory: each node counts for itself. There are no more windows than names. */
export class RateWindows {
  readonly #windows = new Map<string, Window>();

  /** Counts one request; `now` in ms of any steady clock. */
  take(name: string, { requests, perMs }: RateLimit, now: number): Allowance {
    let window = this.#windows.get(name);
    if (window === undefined || window.endsAt <= now || window.endsAt > now + perMs) {
      window = { endsAt: now + perMs, used: 0 };
      this.#windows.set(name, window);
    }
    const isAllowed = window.used < requests;
    if (isAllowed) window.used += 1;
    return { isAllowed, left: Math.max(0, requests - window.used), resetMs: Math.round(window.endsAt - now) };
  }
}
