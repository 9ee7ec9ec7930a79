// Owns the making of JSON text: what JSON can carry is written, exact text goes in as it is, all else is refused with its place.

const RAW = Symbol.for('chokaq.rawJson');

/** JSON text that is sent exactly as it is. */
export class RawJson {
  readonly text: string;
  readonly [RAW] = true;

  constructor(text: string) {
    this.text = text;
  }
}

/** Text for a payload, or for any value in it: big integers, `1.0`, the order of members stay as written. Throws when it is no JSON. */
export function rawJson(text: string): RawJson {
  JSON.parse(text);
  // Lone surrogates cannot be written as UTF-8; escaped ones can.
  if (!text.isWellFormed()) throw new TypeError('rawJson: the text has a lone surrogate; escape it, as in "\\ud83d"');
  return new RawJson(text);
}

/** The JSON of a value. Throws a `TypeError` that names the place of what JSON cannot carry. */
export function jsonText(value: unknown, place = 'payload'): string {
  return write(value, place, []);
}

function write(value: unknown, place: string, above: readonly object[]): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'number':
      if (!Number.isFinite(value)) return refuse(place, `${value}, which JSON cannot carry`);
      return JSON.stringify(value);
    case 'bigint':
      return refuse(place, 'a BigInt; send it as a string, or give the contract a codec');
    case 'undefined':
      return refuse(place, 'undefined and would vanish; leave the member out, or send null');
    case 'object':
      return value === null ? 'null' : writeObject(value, place, above);
    default:
      return refuse(place, `a ${typeof value}, which JSON cannot carry`);
  }
}

function writeObject(value: object, place: string, above: readonly object[]): string {
  if (value instanceof RawJson) return value.text;
  if (above.includes(value)) return refuse(place, 'part of a cycle');
  const path = [...above, value];
  if (value instanceof Date && Number.isNaN(value.getTime())) return refuse(place, 'an invalid Date');
  if (ArrayBuffer.isView(value)) return refuse(place, 'binary; send base64, or a reference');
  if ('toJSON' in value && typeof value.toJSON === 'function') return write(value.toJSON(), place, path);
  if (Array.isArray(value)) {
    // Not `map`, which would pass over holes.
    return `[${Array.from(value, (item, at) => write(item, `${place}[${at}]`, path)).join(',')}]`;
  }
  if (hasMethods(value)) return refuse(place, `an instance of ${value.constructor.name}; send plain data`);
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${write(member, `${place}.${name}`, path)}`,
  );
  return `{${members.join(',')}}`;
}

/** What has methods is more than its data: a Map, a stream, a service client. */
function hasMethods(value: object): boolean {
  for (let each = Object.getPrototypeOf(value); each !== null; each = Object.getPrototypeOf(each)) {
    if (Object.getPrototypeOf(each) === null) return false;
    if (Reflect.ownKeys(each).some(key => key !== 'constructor')) return true;
  }
  return false;
}

function refuse(place: string, what: string): never {
  throw new TypeError(`${place} is ${what}`);
}
