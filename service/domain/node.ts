// Owns what is asked of a node: whether it still counts as running.

/** A node that was silent for so many of its longest heartbeats no longer counts as live. */
export const HEARTBEATS_OF_A_LIVE_NODE = 3;

/** `heartbeatMaxMs` is the longest pause between two signs of life; `now` the database's time. */
export function isLive(node: { readonly seenAt: number }, now: number, heartbeatMaxMs: number): boolean {
  return node.seenAt >= now - HEARTBEATS_OF_A_LIVE_NODE * heartbeatMaxMs;
}
