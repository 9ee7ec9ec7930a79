// Owns the reading of NDJSON: a stream of bytes cut into numbered lines, in bounded memory.

export interface Line {
  /** 1-based, blank lines counted. */
  readonly number: number;
  /** Without its line end; null when it was longer than allowed. */
  readonly bytes: Buffer | null;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Yields every line that is not blank. A line beyond `longest` bytes is passed over without being kept. */
export async function* readLines(input: AsyncIterable<Buffer>, longest: number): AsyncGenerator<Line> {
  let number = 1;
  let rest: LineStart = { parts: [], length: 0 };
  for await (const chunk of input) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, from)) {
      yield* finished(extended(rest, chunk.subarray(from, end), longest), number++);
      rest = { parts: [], length: 0 };
      from = end + 1;
    }
    rest = extended(rest, chunk.subarray(from), longest);
  }
  yield* finished(rest, number);
}

/** `parts` are dropped once `length` is beyond what is allowed. */
interface LineStart {
  readonly parts: readonly Buffer[] | null;
  readonly length: number;
}

function extended({ parts, length }: LineStart, part: Buffer, longest: number): LineStart {
  const total = length + part.length;
  if (parts === null || total > longest) return { parts: null, length: total };
  return { parts: part.length === 0 ? parts : [...parts, part], length: total };
}

function* finished({ parts }: LineStart, number: number): Generator<Line> {
  const bytes = parts && trimmed(Buffer.concat(parts), number);
  if (bytes === null || !isBlank(bytes)) yield { number, bytes };
}

function trimmed(bytes: Buffer, number: number): Buffer {
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  const isMarked = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return bytes.subarray(isMarked ? BYTE_ORDER_MARK.length : 0, end);
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(byte => byte === 0x20 || byte === 0x09);
}
