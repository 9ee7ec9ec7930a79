// Owns the JSON grammar over raw UTF-8 bytes: passes over values of any depth without recursion and without building them.
import { DomainError } from '../domain/errors.ts';

const END = -1;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const OPEN_OBJECT = 0x7b;
/** `[` to `]` and `{` to `}`. */
const CLOSING = 2;

const WORDS = ['true', 'false', 'null'].map(word => Buffer.from(word));
const ESCAPED = new Set(Buffer.from('"\\/bfnrt'));

const UNNESTED = Buffer.alloc(0);

/** Told of every object and array, and of every member name by the place of its quotes. */
export interface Watch {
  enter(bytes: Buffer, at: number): void;
  member(bytes: Buffer, start: number, end: number): void;
  leave(): void;
}

/** Answers where the value that begins at `start` ends, at whatever depth it nests. */
export function passValue(bytes: Buffer, start: number, watch: Watch | null): number {
  let at = start;
  let open: Buffer = UNNESTED;
  let depth = 0;
  for (;;) {
    const first = bytes[at] ?? END;
    if (first === OPEN_OBJECT || first === OPEN_ARRAY) {
      watch?.enter(bytes, at);
      if (depth === open.length) open = enlarged(open);
      open[depth++] = first;
      at = passSpace(bytes, at + 1);
      if (bytes[at] !== first + CLOSING) {
        if (first === OPEN_OBJECT) at = passName(bytes, at, watch);
        continue;
      }
    } else at = passScalar(bytes, at, first);
    for (;;) {
      if (depth === 0) return at;
      at = passSpace(bytes, at);
      const container = open[depth - 1] ?? END;
      if (passesOn(bytes, at, container)) {
        at = passSpace(bytes, at + 1);
        if (container === OPEN_OBJECT) at = passName(bytes, at, watch);
        break;
      }
      at++;
      depth--;
      watch?.leave();
    }
  }
}

/** Passes the object at `start`, whose values the caller passes: `passMember` gets the place of each name and where its value begins. */
export function passObject(
  bytes: Buffer,
  start: number,
  watch: Watch,
  passMember: (nameStart: number, nameEnd: number, at: number) => number,
): number {
  watch.enter(bytes, start);
  let at = passSpace(bytes, start + 1);
  let more = bytes[at] !== OPEN_OBJECT + CLOSING;
  while (more) {
    const end = passString(bytes, at);
    watch.member(bytes, at, end);
    at = passSpace(bytes, passMember(at, end, passColon(bytes, end)));
    more = passesOn(bytes, at, OPEN_OBJECT);
    if (more) at = passSpace(bytes, at + 1);
  }
  watch.leave();
  return at + 1;
}

/** Passes the array at `start`, whose elements the caller passes: `passElement` gets each index and where its value begins. */
export function passArray(bytes: Buffer, start: number, passElement: (index: number, at: number) => number): number {
  let at = passSpace(bytes, start + 1);
  if (bytes[at] === OPEN_ARRAY + CLOSING) return at + 1;
  for (let index = 0; ; index++) {
    at = passSpace(bytes, passElement(index, at));
    if (!passesOn(bytes, at, OPEN_ARRAY)) return at + 1;
    at = passSpace(bytes, at + 1);
  }
}

/** The member name between the quotes at `start` and before `end`, unescaped. */
export function readName(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start + 1, end - 1);
  return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
}

/** Whether the member name between these quotes is `name`, however it is escaped. */
export function isName(bytes: Buffer, start: number, end: number, name: Buffer): boolean {
  for (let at = start + 1, offset = 0; at < end - 1; at++, offset++) {
    if (bytes[at] === BACKSLASH) return readName(bytes, start, end) === name.toString();
    if (bytes[at] !== name[offset]) return false;
  }
  return end - start - 2 === name.length;
}

export function isObjectAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN_OBJECT;
}

export function isArrayAt(bytes: Buffer, at: number): boolean {
  return bytes[at] === OPEN_ARRAY;
}

export function passSpace(bytes: Buffer, start: number): number {
  let at = start;
  let byte = bytes[at] ?? END;
  while (byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)) byte = bytes[++at] ?? END;
  return at;
}

/** The text is not what it must be at this byte. */
export function refuse(bytes: Buffer, at: number, expected: string): never {
  const before = bytes.toString('utf8', 0, at);
  const line = before.split('\n').length;
  const column = before.length - before.lastIndexOf('\n');
  const [found] = bytes.toString('utf8', at, at + 4);
  const detail = `Expected ${expected} at line ${line}, column ${column} (byte ${at}), found ${found === undefined ? 'the end of the body' : JSON.stringify(found)}.`;
  throw new DomainError('malformed-request', `The body is not the JSON text this route takes. ${detail}`, [
    { detail, pointer: '#' },
  ]);
}

/** After a value: true at a comma, false at the end of the container. */
function passesOn(bytes: Buffer, at: number, container: number): boolean {
  const byte = bytes[at];
  if (byte === COMMA) return true;
  if (byte !== container + CLOSING) refuse(bytes, at, container === OPEN_OBJECT ? "',' or '}'" : "',' or ']'");
  return false;
}

/** Passes a member name and its colon, up to its value. */
function passName(bytes: Buffer, start: number, watch: Watch | null): number {
  const end = passString(bytes, start);
  watch?.member(bytes, start, end);
  return passColon(bytes, end);
}

function passColon(bytes: Buffer, start: number): number {
  const at = passSpace(bytes, start);
  if (bytes[at] !== COLON) refuse(bytes, at, "':'");
  return passSpace(bytes, at + 1);
}

function passScalar(bytes: Buffer, at: number, first: number): number {
  if (first === QUOTE) return passString(bytes, at);
  if (first === MINUS || (first >= ZERO && first <= NINE)) return passNumber(bytes, at);
  const word = WORDS.find(candidate => candidate[0] === first);
  if (!word) return refuse(bytes, at, 'a JSON value');
  for (let offset = 1; offset < word.length; offset++) {
    if (bytes[at + offset] !== word[offset]) refuse(bytes, at + offset, `the rest of '${word}'`);
  }
  return at + word.length;
}

function passString(bytes: Buffer, start: number): number {
  if (bytes[start] !== QUOTE) refuse(bytes, start, 'a string in double quotes');
  let at = start + 1;
  for (;;) {
    const byte = bytes[at] ?? END;
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at = passEscape(bytes, at + 1);
    else if (byte < 0x20) refuse(bytes, at, byte === END ? `'"'` : 'control characters in a string to be escaped');
    else at++;
  }
}

function passEscape(bytes: Buffer, at: number): number {
  const byte = bytes[at] ?? END;
  if (ESCAPED.has(byte)) return at + 1;
  if (byte !== LOWER_U) refuse(bytes, at, 'one of "\\/bfnrtu after a backslash');
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (!isHex(bytes[digit] ?? END)) refuse(bytes, digit, 'four hexadecimal digits after \\u');
  }
  return at + 5;
}

function passNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  at = bytes[at] === ZERO ? at + 1 : passDigits(bytes, at);
  if (bytes[at] === DOT) at = passDigits(bytes, at + 1);
  const byte = bytes[at];
  if (byte !== 0x65 && byte !== 0x45) return at;
  const sign = bytes[at + 1];
  return passDigits(bytes, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
}

function passDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (isDigit(bytes[at] ?? END)) at++;
  return at === start ? refuse(bytes, at, 'a digit') : at;
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function isHex(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function enlarged(bytes: Buffer): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(32, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}
