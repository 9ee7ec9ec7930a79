// Owns the split of a request body into what the service reads and the payloads it must never read: opaque bytes, kept as posted.
import { isUtf8 } from 'node:buffer';
import { DomainError } from '../domain/errors.ts';
import {
  isArrayAt,
  isName,
  isObjectAt,
  passArray,
  passObject,
  passSpace,
  passValue,
  readName,
  refuse,
  type Watch,
} from './json-text.ts';

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

/** Bounds outside payloads, so that hostile nesting stays cheap for whoever reads on. */
const DEEPEST = 1_000;
const MOST_MEMBERS = 100_000;

const PAYLOAD = Buffer.from('payload');
const JOBS = Buffer.from('jobs');
const NULL = Buffer.from('null');

/**
 * Reads a JSON request body. Outside payloads a member may stand only once in its object; inside them anything that is
 * JSON goes, at any depth. Rejects with `malformed-request`, naming the place.
 */
export function readEnvelope(raw: Uint8Array): Envelope {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  requireUtf8(bytes);
  const count = new MemberCount();
  const slices = findPayloads(bytes, count);
  const body: unknown = JSON.parse(withoutPayloads(bytes, slices));
  // Parsing keeps one of several equal names; only then is it worth asking which and where.
  if (countMembers(body) !== count.members) findPayloads(bytes, new UniqueNames());
  const payloads = new Map<string, Uint8Array>();
  for (const { pointer, start, end } of slices) payloads.set(pointer, raw.subarray(start, end));
  return { body, payloads };
}

function findPayloads(bytes: Buffer, watch: Watch): Slice[] {
  const slices: Slice[] = [];
  const passPayload = (pointer: string, start: number) => {
    const end = passValue(bytes, start, null);
    slices.push({ pointer, start, end });
    return end;
  };
  const passJob = (index: number, start: number) => {
    if (!isObjectAt(bytes, start)) return passValue(bytes, start, watch);
    return passObject(bytes, start, watch, (from, to, at) =>
      isName(bytes, from, to, PAYLOAD) ? passPayload(`#/jobs/${index}/payload`, at) : passValue(bytes, at, watch),
    );
  };
  const passMember = (from: number, to: number, at: number) => {
    if (isName(bytes, from, to, PAYLOAD)) return passPayload('#/payload', at);
    const isBatch = isName(bytes, from, to, JOBS) && isArrayAt(bytes, at);
    return isBatch ? passArray(bytes, at, passJob) : passValue(bytes, at, watch);
  };
  const start = passSpace(bytes, 0);
  const isEnvelope = isObjectAt(bytes, start);
  const end = isEnvelope ? passObject(bytes, start, watch, passMember) : passValue(bytes, start, watch);
  const last = passSpace(bytes, end);
  if (last !== bytes.length) refuse(bytes, last, 'nothing more');
  return slices;
}

function withoutPayloads(bytes: Buffer, slices: readonly Slice[]): string {
  const rest = Buffer.allocUnsafe(bytes.length + slices.length * NULL.length);
  let length = 0;
  let from = 0;
  for (const { start, end } of slices) {
    length += bytes.copy(rest, length, from, start);
    length += NULL.copy(rest, length);
    from = end;
  }
  length += bytes.copy(rest, length, from);
  return rest.toString('utf8', 0, length);
}

/** Counts the members as they stand in the text. */
class MemberCount implements Watch {
  #depth = 0;
  members = 0;

  enter(bytes: Buffer, at: number): void {
    if (++this.#depth > DEEPEST) refuse(bytes, at, `at most ${DEEPEST} levels outside a payload`);
  }

  member(bytes: Buffer, at: number): void {
    if (++this.members > MOST_MEMBERS) refuse(bytes, at, `at most ${MOST_MEMBERS} members outside payloads`);
  }

  leave(): void {
    this.#depth--;
  }
}

/** Refuses the second of two equal names in one object. */
class UniqueNames implements Watch {
  readonly #open: Set<string>[] = [];

  enter(): void {
    this.#open.push(new Set());
  }

  member(bytes: Buffer, start: number, end: number): void {
    const name = readName(bytes, start, end);
    const names = this.#open.at(-1);
    if (names?.has(name))
      refuse(bytes, start, `each member once, but ${JSON.stringify(name)} stands twice in its object`);
    names?.add(name);
  }

  leave(): void {
    this.#open.pop();
  }
}

/** Counts the members as they were parsed; not recursive. */
function countMembers(body: unknown): number {
  let members = 0;
  const left = [body];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner: unknown[] = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value)) members += inner.length;
    for (const one of inner) if (typeof one === 'object' && one !== null) left.push(one);
  }
  return members;
}

function requireUtf8(bytes: Buffer): void {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if (isMarked) refuseEncoding('The body starts with a byte order mark; send it without one.');
  if (isUtf8(bytes)) return;
  const at = firstInvalidByte(bytes);
  refuseEncoding(`The body is not valid UTF-8 at byte ${at}; send it as UTF-8, and other bytes as base64 in a string.`);
}

function refuseEncoding(detail: string): never {
  throw new DomainError('malformed-request', detail, [{ detail, pointer: '#' }]);
}

/** Where the body first differs from its own decoding, in which a replacement character stands for what is not UTF-8. */
function firstInvalidByte(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'));
  let at = 0;
  while (at < bytes.length && bytes[at] === decoded[at]) at++;
  return at;
}
