// Owns how a node shares its slots, so that one hung type cannot keep every other type from starting.

/** The most jobs of one type that a claim for `free` slots may bring: half of them, at least one. */
export function shareOfOneType(free: number): number {
  return Math.max(1, Math.floor(free / 2));
}

/**
 * How many more jobs one handler may be given on a node of `capacity` slots, of which `free` are free and `held` are its own.
 * Its own `concurrency` bounds it; and once it holds half of the node it leaves the last eighth (at least one slot of
 * two or more) to the others. Half of each claim alone would not do: repeated halving ends at the last slot.
 */
export function roomForHandler(capacity: number, free: number, held: number, concurrency: number | null): number {
  const own = concurrency === null ? free : Math.max(0, concurrency - held);
  if (capacity < 2 || held < capacity / 2) return Math.min(free, own);
  const reserve = Math.max(1, Math.floor(capacity / 8));
  return Math.max(0, Math.min(free - reserve, own));
}
