// Owns the packing of drafts into batches that the service takes: bounded in number and in bytes.
import { LIMITS } from '../domain/job.ts';
import { type Draft, draftOf } from './draft.ts';
import type { Line } from './ndjson.ts';

const OPENING = Buffer.from('{"jobs":[');
const CLOSING = Buffer.from(']}');
const COMMA = Buffer.from(',');

/** Room for the batch around a line, and for an id written into it. */
const ROOM = 100;
export const LONGEST_LINE = LIMITS.batchBytes - ROOM;

/** Batches of up to `size` drafts in the order of their lines; `refuse` hears of lines that are no drafts. */
export async function* batches(
  lines: AsyncIterable<Line>,
  size: number,
  refuse: (line: number, reason: string) => void,
): AsyncGenerator<readonly Draft[]> {
  let batch: Draft[] = [];
  let length = 0;
  for await (const line of lines) {
    const draft = draftOf(line, LONGEST_LINE);
    if (typeof draft === 'string') {
      refuse(line.number, draft);
      continue;
    }
    if (batch.length === size || length + draft.body.length + batch.length > LONGEST_LINE) {
      yield batch;
      batch = [];
      length = 0;
    }
    batch.push(draft);
    length += draft.body.length;
  }
  if (batch.length > 0) yield batch;
}

/** The body of `POST /jobs/batch`. */
export function batchBody(batch: readonly Draft[]): Buffer {
  const jobs = batch.flatMap(({ body }, at) => (at === 0 ? [body] : [COMMA, body]));
  return Buffer.concat([OPENING, ...jobs, CLOSING]);
}
