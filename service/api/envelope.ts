// Owns the split of a request body into what the service reads and the payloads it must never read: opaque bytes, kept as posted.
import { isUtf8 } from 'node:buffer';
import { DomainError } from '../domain/errors.ts';
import { isArrayAt, isObjectAt, Names, passArray, passObject, passSpace, passValue, refuse } from './json-text.ts';

/**
 * `body` is the parsed request with null in place of each payload. `payloads` holds the exact bytes of each, without white
 * space around them, by JSON pointer: `#/payload`, `#/jobs/17/payload`. They are views: valid while `raw` is not overwritten.
 */
export interface Envelope {
  readonly body: unknown;
  readonly payloads: ReadonlyMap<string, Uint8Array>;
}

interface Slice {
  readonly pointer: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Reads a JSON request body. Outside payloads a member may stand only once in its object; inside them anything that is
 * JSON goes, at any depth. Rejects with `malformed-request`, naming the place.
 */
export function readEnvelope(raw: Uint8Array): Envelope {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  requireUtf8(bytes);
  const slices: Slice[] = [];
  const end = passSpace(bytes, passBody(bytes, slices));
  if (end !== bytes.length) refuse(bytes, end, 'nothing more');
  const payloads = new Map<string, Uint8Array>();
  for (const slice of slices) payloads.set(slice.pointer, raw.subarray(slice.start, slice.end));
  return { body: JSON.parse(withoutPayloads(bytes, slices)), payloads };
}

function passBody(bytes: Buffer, slices: Slice[]): number {
  const names = new Names();
  const passPayload = (pointer: string, start: number) => {
    const end = passValue(bytes, start, null);
    slices.push({ pointer, start, end });
    return end;
  };
  const passJob = (index: number, at: number) =>
    isObjectAt(bytes, at)
      ? passObject(bytes, at, names, (name, value) =>
          name === 'payload' ? passPayload(`#/jobs/${index}/payload`, value) : passValue(bytes, value, names),
        )
      : passValue(bytes, at, names);
  const start = passSpace(bytes, 0);
  if (!isObjectAt(bytes, start)) return passValue(bytes, start, names);
  return passObject(bytes, start, names, (name, value) => {
    if (name === 'payload') return passPayload('#/payload', value);
    return name === 'jobs' && isArrayAt(bytes, value)
      ? passArray(bytes, value, passJob)
      : passValue(bytes, value, names);
  });
}

function withoutPayloads(bytes: Buffer, slices: readonly Slice[]): string {
  let text = '';
  let from = 0;
  for (const { start, end } of slices) {
    text += `${bytes.toString('utf8', from, start)}null`;
    from = end;
  }
  return text + bytes.toString('utf8', from);
}

function requireUtf8(bytes: Buffer): void {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    refuseEncoding('starts with a byte order mark. Send it without one');
  }
  if (isUtf8(bytes)) return;
  refuseEncoding(
    `is not valid UTF-8 at byte ${firstInvalidByte(bytes)}. Send it as UTF-8, or send other bytes as base64`,
  );
}

function refuseEncoding(what: string): never {
  throw new DomainError('malformed-request', `The body ${what}.`, [{ detail: `The body ${what}.`, pointer: '#' }]);
}

/** Where the body first differs from its own decoding, in which a replacement character stands for what is not UTF-8. */
function firstInvalidByte(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'));
  let at = 0;
  while (at < bytes.length && bytes[at] === decoded[at]) at++;
  return at;
}
