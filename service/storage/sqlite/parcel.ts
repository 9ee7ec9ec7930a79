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

/** Many byte strings as one block and their lengths. */
export interface Block {
  readonly buffer: ArrayBuffer;
  readonly lengths: readonly number[];
}

export function pack(parts: readonly Uint8Array[]): Block {
  let size = 0;
  for (const part of parts) size += part.length;
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return { buffer: whole.buffer, lengths: parts.map(part => part.length) };
}

/** The byte strings as views into the block, in order. */
export function unpack(block: Block): Uint8Array[] {
  let at = 0;
  return block.lengths.map(length => {
    const part = new Uint8Array(block.buffer, at, length);
    at += length;
    return part;
  });
}
