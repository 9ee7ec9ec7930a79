// Owns what crosses between the threads: lean values, and the byte strings that are packed into one block.

/** `parts` (payloads, hashes) travel beside the values, in one transferred block instead of one clone each. */
export interface Parcel<T> {
  readonly body: T;
  readonly parts: readonly Uint8Array[];
}

export const NO_PARTS: readonly Uint8Array[] = [];

/** A parcel without byte strings. */
export function plain<T>(body: T): Parcel<T> {
  return { body, parts: NO_PARTS };
}

/** From this size on, a byte string travels in a buffer of its own: as part of a block it would keep, or be kept by, all others. */
const LARGE_BYTES = 16_384;

/** Many byte strings in order: the small ones in one buffer, each large one in its own. */
export interface Block {
  readonly lengths: readonly number[];
  readonly small: ArrayBuffer;
  readonly large: readonly ArrayBuffer[];
}

export function pack(parts: readonly Uint8Array[]): Block {
  const large: ArrayBuffer[] = [];
  let size = 0;
  for (const part of parts) {
    if (part.length < LARGE_BYTES) size += part.length;
    else large.push(new Uint8Array(part).buffer);
  }
  const small = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    if (part.length >= LARGE_BYTES) continue;
    small.set(part, at);
    at += part.length;
  }
  return { lengths: parts.map(part => part.length), small: small.buffer, large };
}

/** What may be moved to the other thread instead of copied. */
export function transferable({ small, large }: Block): ArrayBuffer[] {
  return [small, ...large];
}

/** The byte strings, in order. */
export function unpack({ lengths, small, large }: Block): Uint8Array[] {
  let at = 0;
  const rest = large.values();
  return lengths.map(length => {
    if (length >= LARGE_BYTES) return new Uint8Array(rest.next().value ?? new ArrayBuffer(0));
    at += length;
    return new Uint8Array(small, at - length, length);
  });
}
