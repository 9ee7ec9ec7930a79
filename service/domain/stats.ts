// Owns what the figures of statistics mean: rates over the last minutes, and how finely the past is kept.

/** How many jobs ended, one way or the other. */
export interface Ended {
  readonly succeeded: number;
  readonly dead: number;
}

/** What ended lately: in the running second and the 60, or 300, before it. */
export interface Recent {
  readonly oneMinute: Ended;
  readonly fiveMinutes: Ended;
}

export const RECENT_MS = { oneMinute: 60_000, fiveMinutes: 300_000 } as const satisfies Record<keyof Recent, number>;

/** For so long the past is kept by the second, then by the minute. */
export const BY_SECOND_MS = 15 * 60_000;
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;

export interface Rate {
  /** Jobs that ended per second. */
  readonly throughput: number;
  /** The share of them that died, 0..1; null when none ended. */
  readonly failureRate: number | null;
}

/** The running second counts as if it were over, so that what has just ended is never missing. */
export function rateOf({ succeeded, dead }: Ended, windowMs: number): Rate {
  const ended = succeeded + dead;
  return {
    throughput: rounded(ended / (windowMs / SECOND_MS)),
    failureRate: ended === 0 ? null : rounded(dead / ended),
  };
}

export function ratesOf(recent: Recent): Record<keyof Recent, Rate> {
  return {
    oneMinute: rateOf(recent.oneMinute, RECENT_MS.oneMinute),
    fiveMinutes: rateOf(recent.fiveMinutes, RECENT_MS.fiveMinutes),
  };
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
