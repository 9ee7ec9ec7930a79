// Owns the text that is kept of foreign bytes: bounded, and escaped so that every database takes it.
import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../domain/job.ts';

const LIMIT = LIMITS.responseBodyBytes;

/**
 * `bytes` read as UTF-8, at most 4 KB of it in UTF-8 again. NUL becomes `\u0000`; bytes that are not UTF-8 (encoded
 * lone surrogates among them) become `\xNN`. A character cut at the limit is left out.
 */
export function storableText(bytes: Buffer): string {
  if (bytes.length <= LIMIT && isUtf8(bytes) && !bytes.includes(0)) return bytes.toString();
  let text = '';
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    const piece = size === 0 ? escapedByte(bytes, at) : escapedNul(bytes.toString('utf8', at, at + size));
    length += Buffer.byteLength(piece);
    if (length > LIMIT) break;
    text += piece;
    at += Math.max(size, 1);
  }
  return text;
}

/** How many bytes the UTF-8 character at `at` has; 0 when there is none. */
function characterSize(bytes: Buffer, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return 1;
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const character = bytes.subarray(at, at + size);
  return character.length === size && isUtf8(character) ? size : 0;
}

function escapedByte(bytes: Buffer, at: number): string {
  return `\\x${(bytes[at] ?? 0).toString(16).padStart(2, '0')}`;
}

function escapedNul(character: string): string {
  return character === '\0' ? '\\u0000' : character;
}
